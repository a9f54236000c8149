package engine

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ranch-game/ranch/localstack/kit/loopback"
	"github.com/ranch-game/ranch/localstack/kit/process/processtest"
)

func start(t *testing.T, o Options) *Engine {
	t.Helper()
	e, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e
}

func tables(t *testing.T, e *Engine) []string {
	t.Helper()
	out, err := e.Client().ListTables(t.Context(), &dynamodb.ListTablesInput{})
	if err != nil {
		t.Fatal(err)
	}
	return out.TableNames
}

func createTable(t *testing.T, e *Engine, name string) {
	t.Helper()
	if err := CreateTable(t.Context(), e.Client(), name); err != nil {
		t.Fatal(err)
	}
}

func key(pk string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"PK": &types.AttributeValueMemberS{Value: pk}, "SK": &types.AttributeValueMemberS{Value: "s"}}
}

// TestStart tests the life of an engine, for each kind that Start starts. The engine has the template's table, is
// hidden from web pages, keeps its data for itself, and is gone after Close. The next engine with the same folder has
// the data.
func TestStart(t *testing.T) {
	t.Parallel()
	for _, kind := range []Kind{Embedded, DynamoDBLocal} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			if _, err := findJava(); err != nil && kind == DynamoDBLocal {
				if os.Getenv("CI") == "true" {
					t.Fatal(err)
				}
				t.Skip("NOT TESTED: ", err)
			}
			dir := filepath.Join(t.TempDir(), "made by Start")
			e := start(t, Options{Kind: kind, DataDir: dir})
			if names := tables(t, e); len(names) != 0 || !processtest.Alive(e.process.PID()) {
				t.Errorf("a fresh engine has the tables %v", names)
			}
			for range 2 { // a table that exists is kept
				createTable(t, e, "ranch-test")
				if _, err := e.Client().PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("ranch-test"), Item: key("p")}); err != nil {
					t.Fatal(err)
				}
			}
			checkHidden(t, kind, e.Endpoint())
			if _, err := Start(t.Context(), Options{Kind: kind, DataDir: dir}); err == nil || !strings.Contains(err.Error(), "in use by another engine") {
				t.Errorf("a second engine on the same data: %v", err)
			}
			e.Close()
			if processtest.Alive(e.process.PID()) {
				t.Error("the engine runs on after Close")
			}
			e.Close()
			if got := tables(t, start(t, Options{Kind: kind, DataDir: dir})); len(got) != 1 || got[0] != "ranch-test" {
				t.Errorf("after a restart the tables are %v", got)
			}
		})
	}
}

// checkHidden checks that no web page can find the embedded engine. A page can find DynamoDB Local, and checkHidden
// checks that no page can read its responses.
func checkHidden(t *testing.T, kind Kind, endpoint string) {
	t.Helper()
	at, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	if kind == Embedded {
		if address := net.ParseIP(at.Hostname()); !address.IsLoopback() || runtime.GOOS == "linux" && address.String() == loopback.Address {
			t.Errorf("it is at %s", at.Host)
		}
		if connection, err := net.Dial("tcp", net.JoinHostPort(loopback.Address, at.Port())); err == nil && runtime.GOOS == "linux" {
			connection.Close()
			t.Errorf("it is at %s, too", loopback.Address)
		}
		return
	}
	request, err := http.NewRequestWithContext(t.Context(), "OPTIONS", endpoint, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header = http.Header{
		"Origin": {"https://evil.example"}, "Access-Control-Request-Method": {"POST"}, "Access-Control-Request-Headers": {"x-amz-target"},
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if allowed, found := answer.Header["Access-Control-Allow-Origin"]; found {
		t.Errorf("a preflight is answered with the origin %s", allowed)
	}
}

// TestKill_losesNothingThatWasAcknowledged checks that the embedded engine keeps everything that it has acknowledged,
// even if Kill ends it.
func TestKill_losesNothingThatWasAcknowledged(t *testing.T) {
	t.Parallel()
	dir, acknowledged := t.TempDir(), 0
	for range 3 {
		e := start(t, Options{DataDir: dir})
		createTable(t, e, "kept")
		found, err := e.Client().Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("kept"), ConsistentRead: aws.Bool(true)})
		if err != nil || int(found.Count) < acknowledged {
			t.Fatalf("%v, %d of %d rows", err, found.Count, acknowledged)
		}
		acknowledged = int(found.Count) // one more may be there
		client, written, begun := newClient(e.Endpoint(), 1), make(chan int), make(chan struct{})
		go func() {
			n := 0
			for {
				item := key(fmt.Sprintf("%s %d", e.Endpoint(), n))
				if _, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("kept"), Item: item}); err != nil {
					written <- n
					return
				}
				if n++; n == 50 {
					close(begun)
				}
			}
		}()
		select {
		case <-begun:
		case n := <-written:
			t.Fatalf("the engine has ended after %d writes", n)
		}
		e.Kill()
		acknowledged += <-written
		e.Close()
	}
}

func TestStart_saysWhatWentWrong(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engine")
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho out of luck >&2; exit 3\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("DYNOXIDE", path)
	if _, err := Start(t.Context(), Options{}); err == nil || !strings.Contains(err.Error(), "out of luck") {
		t.Errorf("the error is %v, without the engine's last words", err)
	}
	t.Setenv("DYNOXIDE", filepath.Join(t.TempDir(), "dynoxide"))
	if _, err := Start(t.Context(), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without the program the error is %v", err)
	}
	const endpoint = "http://127.0.0.1:1" // a port of the system's, which no program uses
	t.Setenv("AWS_ENDPOINT_URL", endpoint)
	if _, err := Start(t.Context(), Options{Kind: LocalStack}); err == nil || !strings.Contains(err.Error(), "no LocalStack answers at "+endpoint) {
		t.Errorf("without LocalStack the error is %v", err)
	}
	if _, err := ParseKind("Embedded"); err == nil || !strings.Contains(err.Error(), "ENGINE=Embedded must be embedded, dynamodb-local or localstack") {
		t.Errorf("an unknown engine: %v", err)
	}
}
