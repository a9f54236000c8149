package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/run/stack"
)

// openStack brings up a stack whose functions do nothing, on the engine that ENGINE names, until the test ends.
func openStack(t *testing.T, cfg config) (s *session, out *screen) {
	t.Helper()
	kind, err := engine.KindFromEnv()
	if err != nil {
		t.Fatal(err)
	}
	cfg.engine, out = kind, &screen{}
	s = &session{}
	err = s.open(t.Context(), cfg, out, newConsole(out, false))
	t.Cleanup(func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
		checkGone(t, cfg)
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, out
}

// tool returns a client such as the developer's tools are, which know the announced endpoint alone.
func tool(endpoint string) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{Region: running.Region, Credentials: running.Credentials(), BaseEndpoint: aws.String(endpoint)})
}

func key(pk string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"PK": &types.AttributeValueMemberS{Value: pk}, "SK": &types.AttributeValueMemberS{Value: "S"}}
}

// TestStack_noWebPageReachesTheDatabase sends what a page in the developer's browser can send, from an origin of its
// own and under a name of its own that leads here, to every server of a stack.
func TestStack_noWebPageReachesTheDatabase(t *testing.T) {
	tree(t, buildNothing)
	cfg := ports(t)
	s, out := openStack(t, cfg)
	if strings.Contains(out.String(), s.engine.Endpoint()) {
		t.Errorf("it tells where the engine itself is, %s:\n%s", s.engine.Endpoint(), out)
	}
	if s.served.Endpoint != fmt.Sprintf("http://127.0.0.1:%d", cfg.dbPort) || s.served.Endpoint == s.engine.Endpoint() {
		t.Errorf("the database is at %s, the engine at %s", s.served.Endpoint, s.engine.Endpoint())
	}
	attempts := []struct {
		name, method, host string
		header             http.Header
		toAPI              bool // a web page may do this with the API
	}{
		{"preflight", "OPTIONS", "", http.Header{
			"Origin": {"https://evil.example"}, "Access-Control-Request-Method": {"POST"}, "Access-Control-Request-Headers": {"x-amz-target"},
		}, true},
		{"fetch", "POST", "", http.Header{"Origin": {"https://evil.example"}, "Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"cors"}}, true},
		{"fetch without CORS", "POST", "", http.Header{"Origin": {"https://evil.example"}, "Content-Type": {"text/plain"}}, true},
		{"fetch from a sandboxed frame", "POST", "", http.Header{"Origin": {"null"}}, true},
		{"link", "GET", "", http.Header{"Sec-Fetch-Site": {"cross-site"}, "Sec-Fetch-Mode": {"navigate"}, "Sec-Fetch-Dest": {"document"}}, true},
		{"rebound name", "POST", "evil.example", http.Header{}, false},
		{"rebound name, same origin", "POST", "evil.example", http.Header{"Origin": {"http://evil.example"}, "Sec-Fetch-Site": {"same-origin"}}, false},
		{"name that begins well", "GET", "localhost.evil.example", http.Header{}, false},
	}
	listed := `"TableNames"`
	for _, a := range attempts {
		for _, server := range []struct {
			url     string
			refuses bool
		}{{s.served.Endpoint, true}, {s.served.API, !a.toAPI}} {
			request, err := http.NewRequestWithContext(t.Context(), a.method, server.url, strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			request.Header = listTables(a.header)
			if a.host != "" {
				request.Host = a.host + strings.TrimPrefix(server.url, "http://127.0.0.1")
			}
			answer, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(answer.Body)
			answer.Body.Close()
			if err != nil {
				t.Fatal(err)
			}
			if refused := answer.StatusCode == http.StatusForbidden; refused != server.refuses || strings.Contains(string(body), listed) {
				t.Errorf("%s to %s: %s %s", a.name, server.url, answer.Status, body)
			}
			if allowed := answer.Header.Get("Access-Control-Allow-Origin"); allowed != "" && server.refuses {
				t.Errorf("%s to %s: the origin %s may read it", a.name, server.url, allowed)
			}
		}
		for i, server := range s.served.Inside { // also the functions' own way to the engine, at a port nobody is told
			request := httptest.NewRequest(a.method, "http://127.0.0.1/EnterShow", strings.NewReader("{}"))
			request.Header = listTables(a.header)
			if a.host != "" {
				request.Host = a.host
			}
			recorder := httptest.NewRecorder()
			server.Handler.ServeHTTP(recorder, request)
			if recorder.Code != http.StatusForbidden || recorder.Header().Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s to server %d: %d %s", a.name, i, recorder.Code, recorder.Body)
			}
		}
	}
	request, err := http.NewRequestWithContext(t.Context(), "POST", s.served.Endpoint, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = listTables(nil)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if body, err := io.ReadAll(answer.Body); err != nil || answer.StatusCode != http.StatusOK || !strings.Contains(string(body), listed) {
		t.Errorf("without a browser's headers: %s %s, %v", answer.Status, body, err)
	}
}

// listTables adds the headers of a request to DynamoDB, signed by nobody.
func listTables(header http.Header) http.Header {
	all := http.Header{
		"X-Amz-Target":  {"DynamoDB_20120810.ListTables"},
		"X-Amz-Date":    {"20261120T093000Z"},
		"Content-Type":  {"application/x-amz-json-1.0"},
		"Authorization": {"AWS4-HMAC-SHA256 Credential=x/20261120/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0"},
	}
	maps.Copy(all, header)
	return all
}

func TestStack_servesTheDatabaseToTools(t *testing.T) {
	tree(t, buildNothing)
	s, _ := openStack(t, ports(t))
	client, table := tool(s.served.Endpoint), aws.String(stack.TableName)
	if _, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: table, Item: key("there")}); err != nil {
		t.Fatal(err)
	}
	read, err := client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: table, Key: key("there"), ConsistentRead: aws.Bool(true)})
	if err != nil || len(read.Item) != 2 {
		t.Errorf("GetItem: %v, %v", read, err)
	}
	put := func(pk string) types.TransactWriteItem {
		return types.TransactWriteItem{Put: &types.Put{TableName: table, Item: key(pk), ConditionExpression: aws.String("attribute_not_exists(PK)")}}
	}
	_, err = client.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{put("new"), put("there")}})
	var cancelled *types.TransactionCanceledException
	if !errors.As(err, &cancelled) || len(cancelled.CancellationReasons) != 2 {
		t.Fatalf("TransactWriteItems: %v", err)
	}
	for i, want := range []string{"None", "ConditionalCheckFailed"} {
		if got := aws.ToString(cancelled.CancellationReasons[i].Code); got != want {
			t.Errorf("reason %d is %s, not %s", i, got, want)
		}
	}
	if found, err := running.Find(); err != nil || found.Endpoint != s.served.Endpoint {
		t.Errorf("it is announced as %+v, %v", found, err)
	}
}

// TestStack_keepsDataInDataDir starts three stacks one after another: with a folder, with the same folder, and without.
func TestStack_keepsDataInDataDir(t *testing.T) {
	tree(t, buildNothing)
	cfg := ports(t)
	for i, c := range []struct {
		dataDir, says, neverSays string
		kept                     int
	}{
		{"data", "The data is kept in ", "no demo is added", 0},
		{"data", "The data is kept in ", "Created a demo", 1},
		{"", "The data is gone when this ends: ", "no demo is added", 0},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			cfg.dataDir = c.dataDir
			s, out := openStack(t, cfg)
			if text := out.String(); !strings.HasPrefix(text, c.says) || strings.Contains(text, c.neverSays) {
				t.Errorf("it says:\n%s", text)
			}
			client, item := tool(s.served.Endpoint), key("kept")
			read, err := client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String(stack.TableName), Key: item})
			if err != nil || len(read.Item) != 2*c.kept {
				t.Errorf("the item is %v, %v", read, err)
			}
			if _, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(stack.TableName), Item: item}); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestStack_outlivesItsEngine: what is left says so, and that to tools as something to try again.
func TestStack_outlivesItsEngine(t *testing.T) {
	tree(t, buildNothing)
	s, _ := openStack(t, ports(t))
	s.engine.Close()
	ctx, stop := context.WithCancel(t.Context())
	var out screen
	ended := make(chan error, 1)
	go func() { ended <- s.wait(ctx, &out) }()
	eventually(t, "it says so", out.shows("The engine has ended: "))
	request, err := http.NewRequestWithContext(t.Context(), "POST", s.served.Endpoint, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = listTables(nil)
	if answer, err := http.DefaultClient.Do(request); err != nil {
		t.Error(err)
	} else {
		answer.Body.Close()
		if answer.StatusCode != http.StatusBadGateway {
			t.Errorf("the database answers %s", answer.Status)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("without its engine: %v", err)
	}
}
