package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/shared/store"
)

func TestSetUp_seedsAnEmptyTableOnce(t *testing.T) {
	e, template := startEngine(t), loadTemplate(t)
	var counts [3]int32
	for i, c := range []struct {
		seed bool
		says string
	}{{false, ""}, {true, "Created 24 shows of the demo, with 8 rivals (SEED=none leaves them out)\n"}, {true, ""}} {
		var output bytes.Buffer
		if err := setUp(t.Context(), config{seed: c.seed}, template, e, &output); err != nil || !strings.HasSuffix(output.String(), c.says) || strings.Contains(output.String(), "Created") != (c.says != "") {
			t.Errorf("set-up %d says %q, %v, not %q", i, output.String(), err, c.says)
		}
		out, err := e.Client().Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String(stack.TableName), Select: types.SelectCount})
		if err != nil {
			t.Fatal(err)
		}
		counts[i] = out.Count
	}
	if counts[0] != 0 || counts[1] < 400 || counts[2] != counts[1] {
		t.Errorf("after SEED=none, a seeding and another one there are %v items", counts)
	}
}

// TestSetUp_otherLayout checks that a table of another layout stays untouched, and that the error says what to do.
func TestSetUp_otherLayout(t *testing.T) {
	e := startEngine(t)
	if err := engine.CreateTable(t.Context(), e.Client(), stack.TableName); err != nil {
		t.Fatal(err)
	}
	layout := map[string]types.AttributeValue{"n": &types.AttributeValueMemberN{Value: "3"}}
	for _, key := range []string{"PK", "SK"} {
		layout[key] = &types.AttributeValueMemberS{Value: "LAYOUT"}
	}
	if _, err := e.Client().PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(stack.TableName), Item: layout}); err != nil {
		t.Fatal(err)
	}
	const want = "the data in kept is from another version of Ranch: move or delete the folder, or choose another one with DATA_DIR=: "
	for _, seed := range []bool{false, true} {
		err := setUp(t.Context(), config{dataDir: "kept", seed: seed}, loadTemplate(t), e, io.Discard)
		if err == nil || !strings.HasPrefix(err.Error(), want) || !errors.Is(err, store.ErrOtherLayout) {
			t.Errorf("the error is %v", err)
		}
	}
}

// TestInitialise checks that the first set-up of a LocalStack creates the template's secret, and that a second one
// keeps it.
func TestInitialise(t *testing.T) {
	server := startLocalStack(t)
	var first string
	for i, want := range []string{"Created 24 shows of the demo", "The secret ranch-signing-keys exists already and is kept\n"} {
		var output bytes.Buffer
		if err := initialise(t.Context(), config{engine: engine.LocalStack, seed: true}, &output); err != nil {
			t.Fatal(err)
		}
		read, err := server.Secrets.GetSecretValue(t.Context(), &secretsmanager.GetSecretValueInput{SecretId: aws.String(stack.SecretName)})
		if err != nil {
			t.Fatal(err)
		}
		secret := aws.ToString(read.SecretString)
		if i == 0 {
			first = secret
		}
		var keys map[string]string
		if err := json.Unmarshal([]byte(secret), &keys); err != nil || keys["current"] != "k1" || len(keys["k1"]) != 64 || secret != first {
			t.Errorf("set-up %d: the secret is another one or has %d fields, %v", i, len(keys), err)
		}
		if !strings.Contains(output.String(), want) {
			t.Errorf("set-up %d says %q, without %q", i, output.String(), want)
		}
	}
}
