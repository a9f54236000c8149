package main

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// It says where it listens, plays, and ends once what is late has arrived.
func TestRun(t *testing.T) {
	t.Parallel()
	name := storetest.NewScene(t, 0).Name
	ctx, end := context.WithCancel(t.Context())
	reader, writer := io.Pipe()
	done := make(chan error, 1)
	go func() {
		defer writer.Close()
		done <- run(ctx, []string{"-listen", "127.0.0.1:0", "-control", "127.0.0.1:0", "-engine", storetest.Endpoint(), "-faults", "late=100%,late-by=200ms", "-seed", "1"}, writer)
	}()
	lines := bufio.NewScanner(reader)
	address := ""
	for range 2 {
		if !lines.Scan() {
			t.Fatal(<-done)
		}
		if said, is := strings.CutPrefix(lines.Text(), "clients: "); is {
			address = said
		}
	}
	put := func(address string) error {
		client := dynamodb.New(dynamodb.Options{Region: running.Region, BaseEndpoint: &address, Credentials: running.Credentials(), Retryer: aws.NopRetryer{}})
		_, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &name, Item: map[string]types.AttributeValue{
			"PK": &types.AttributeValueMemberS{Value: "p"}, "SK": &types.AttributeValueMemberS{Value: "s"},
		}})
		return err
	}
	if err := put(address); err == nil {
		t.Error("a late attempt is told that it is done")
	}
	end()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("it goes on")
	}
	past := dynamodb.New(dynamodb.Options{Region: running.Region, BaseEndpoint: aws.String(storetest.Endpoint()), Credentials: running.Credentials()})
	out, err := past.Scan(t.Context(), &dynamodb.ScanInput{TableName: &name})
	if err != nil || out.Count != 1 {
		t.Errorf("the late attempt has not arrived: %+v, %v", out, err)
	}
	if err := put(address); err == nil {
		t.Error("it still listens")
	}
}

func TestRun_refusals(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"-faults", "none"}, {"-listen", "0.0.0.0:0"}, {"-engine", "here"}, {"more"}, {"-unknown"}, {"-control", "0.0.0.0:0", "-listen", "127.0.0.1:0"}} {
		if err := run(t.Context(), args, io.Discard); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
}
