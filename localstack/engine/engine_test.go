package engine

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/localstack/kit/loopback"
	"github.com/ranch-game/ranch/localstack/kit/process/processtest"
)

// eachKind runs the test on both engines that Start starts. Without Java there is only one, except in CI, where that is
// a failure.
func eachKind(t *testing.T, test func(*testing.T, Kind)) {
	t.Run(string(Embedded), func(t *testing.T) { t.Parallel(); test(t, Embedded) })
	t.Run(string(DynamoDBLocal), func(t *testing.T) {
		t.Parallel()
		if _, err := findJava(); err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatal(err)
			}
			t.Skip("NOT TESTED: ", err)
		}
		// A Java machine for every test at once would take minutes on a small computer.
		oneAtATime.Lock()
		defer oneAtATime.Unlock()
		test(t, DynamoDBLocal)
	})
}

var oneAtATime sync.Mutex

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

func createPlainTable(t *testing.T, e *Engine, name string) {
	t.Helper()
	_, err := e.Client().CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName:            aws.String(name),
		BillingMode:          types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("PK"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("PK"), KeyType: types.KeyTypeHash}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestStart_answersUntilClose(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		e := start(t, Options{Kind: kind})
		if names := tables(t, e); len(names) != 0 {
			t.Errorf("a fresh engine has the tables %v", names)
		}
		if !processtest.Alive(e.process.PID()) {
			t.Fatal("the engine answers without being there")
		}
		e.Close()
		if processtest.Alive(e.process.PID()) {
			t.Error("the engine runs on after Close")
		}
		e.Close()
	})
}

func TestStart_keepsDataInDataDir(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		dir := filepath.Join(t.TempDir(), "made by Start")
		first := start(t, Options{Kind: kind, DataDir: dir})
		createPlainTable(t, first, "kept")
		if _, err := Start(t.Context(), Options{Kind: kind, DataDir: dir}); err == nil || !strings.Contains(err.Error(), "in use by another engine") {
			t.Errorf("a second engine on the same data: %v", err)
		}
		first.Close()
		second := start(t, Options{Kind: kind, DataDir: dir})
		if got := tables(t, second); len(got) != 1 || got[0] != "kept" {
			t.Errorf("after a restart the tables are %v, not [kept]", got)
		}
	})
}

// TestStart_isFoundByNoWebPage: what answers a page's questions is where no page finds it, and what may be found
// answers none of them.
// What the embedded engine has acknowledged is there after a kill, however it was killed.
func TestKill_losesNothingThatWasAcknowledged(t *testing.T) {
	t.Parallel()
	dir, acknowledged := t.TempDir(), 0
	for range 3 {
		e := start(t, Options{DataDir: dir})
		if acknowledged == 0 {
			createPlainTable(t, e, "kept")
		}
		found, err := e.Client().Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("kept"), ConsistentRead: aws.Bool(true)})
		if err != nil || int(found.Count) < acknowledged {
			t.Fatalf("%v, %d of %d rows", err, found.Count, acknowledged)
		}
		acknowledged = int(found.Count) // one more than were acknowledged may be there
		client, written := newClient(e.Endpoint(), 1), make(chan int)
		begun := make(chan struct{}, 1)
		go func() {
			n := 0
			for {
				_, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("kept"), Item: map[string]types.AttributeValue{
					"PK": &types.AttributeValueMemberS{Value: fmt.Sprintf("%s %d", e.Endpoint(), n)},
				}})
				if err != nil {
					written <- n
					return
				}
				if n++; n == 50 {
					begun <- struct{}{}
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

func TestStart_isFoundByNoWebPage(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		first, second := start(t, Options{Kind: kind}), start(t, Options{Kind: kind})
		if first.Endpoint() == second.Endpoint() {
			t.Errorf("both are at %s", first.Endpoint())
		}
		if kind == Embedded {
			at, err := url.Parse(first.Endpoint())
			if err != nil {
				t.Fatal(err)
			}
			if address := net.ParseIP(at.Hostname()); !address.IsLoopback() || runtime.GOOS == "linux" && address.String() == loopback.Address {
				t.Errorf("it is at %s", at.Host)
			}
			if connection, err := net.Dial("tcp", net.JoinHostPort(loopback.Address, at.Port())); err == nil && runtime.GOOS == "linux" {
				connection.Close()
				t.Errorf("it is at %s, too", loopback.Address)
			}
			return
		}
		request, err := http.NewRequestWithContext(t.Context(), "OPTIONS", first.Endpoint(), nil)
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
	})
}

func TestStart_manyAtOnceAreStrangers(t *testing.T) {
	t.Parallel()
	engines := make([]*Engine, 8)
	var group errgroup.Group
	for i := range engines {
		group.Go(func() (err error) {
			engines[i], err = Start(t.Context(), Options{})
			if err == nil {
				t.Cleanup(engines[i].Close)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	for i, e := range engines {
		createPlainTable(t, e, "table-"+strconv.Itoa(i))
	}
	for i, e := range engines {
		if got := tables(t, e); len(got) != 1 || got[0] != "table-"+strconv.Itoa(i) {
			t.Errorf("engine %d has the tables %v", i, got)
		}
	}
}

// program writes a shell script and makes it the embedded engine.
func program(t *testing.T, script string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "engine")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("DYNOXIDE", path)
}

func TestStart_reportsWhyAnEngineEnded(t *testing.T) {
	program(t, "echo out of luck >&2; exit 3")
	if _, err := Start(t.Context(), Options{}); err == nil || !strings.Contains(err.Error(), "out of luck") {
		t.Errorf("the error is %v, without the engine's last words", err)
	}
}

func TestStart_endsAnEngineThatNeverAnswers(t *testing.T) {
	program(t, "exec sleep 600")
	held, err := reservePort(loopback.Address)
	if err != nil {
		t.Fatal(err)
	}
	defer held.release()
	e := &Engine{endpoint: fmt.Sprintf("http://127.0.0.1:%d", held.port)}
	if err := e.run(exec.Command(os.Getenv("DYNOXIDE")), nil); err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := e.awaitReady(t.Context(), 200*time.Millisecond); err == nil || !strings.Contains(err.Error(), e.endpoint) {
		t.Errorf("waiting for an engine that never answers: %v", err)
	}
	e.Close()
	if processtest.Alive(e.process.PID()) {
		t.Error("it runs on")
	}
}

func TestStart_reportsAProgramThatIsNotThere(t *testing.T) {
	t.Setenv("DYNOXIDE", filepath.Join(t.TempDir(), "dynoxide"))
	if _, err := Start(t.Context(), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the error is %v", err)
	}
}

func TestStart_saysWhereItLookedForLocalStack(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	endpoint := "http://" + l.Addr().String()
	t.Setenv("AWS_ENDPOINT_URL", endpoint)
	if _, err := Start(t.Context(), Options{Kind: LocalStack}); err == nil || !strings.Contains(err.Error(), "no LocalStack answers at "+endpoint) {
		t.Errorf("the error is %v", err)
	}
}

func TestStart_leavesLocalStackRunning(t *testing.T) {
	stands := start(t, Options{}) // anything that answers as DynamoDB does
	t.Setenv("AWS_ENDPOINT_URL", stands.Endpoint())
	e := start(t, Options{Kind: LocalStack})
	e.Close()
	tables(t, stands)
}

func TestParseKind(t *testing.T) {
	for in, want := range map[string]Kind{"": Embedded, "embedded": Embedded, "dynamodb-local": DynamoDBLocal, "localstack": LocalStack} {
		if got, err := ParseKind(in); got != want || err != nil {
			t.Errorf("ParseKind(%q) = %q, %v", in, got, err)
		}
	}
	if _, err := ParseKind("Embedded"); err == nil || !strings.Contains(err.Error(), "ENGINE=Embedded is none of") {
		t.Errorf("an unknown engine: %v", err)
	}
}
