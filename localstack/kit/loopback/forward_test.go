package loopback

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ranch-game/ranch/infra/running"
)

// forward serves what Forward makes of the engine's address.
func forward(t *testing.T, engine string) (address string) {
	t.Helper()
	endpoint, err := url.Parse(engine)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(Forward(endpoint))
	t.Cleanup(server.Close)
	return server.URL
}

// TestForward: both sides get what the other one sends, but for an engine's permissions to browsers.
func TestForward(t *testing.T) {
	large := bytes.Repeat([]byte("x"), 40<<20) // more than any of DynamoDB's limits, which are the engine's to hold
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.URL.Path != "/some/path" || r.URL.RawQuery != "a=b&c" || r.Header.Get("X-Amz-Target") != "target" ||
			r.Header.Get("X-Forwarded-For") != "" || r.Header.Get("Accept-Encoding") != "" {
			t.Errorf("it gets %s with %v, %v", r.URL, r.Header, err)
		}
		for _, name := range []string{"X-Amz-Crc32", "Access-Control-Allow-Origin", "Access-Control-Allow-Headers", "Access-Control-Expose-Headers"} {
			w.Header().Set(name, "*")
		}
		w.WriteHeader(http.StatusTeapot)
		_, _ = w.Write(body)
	}))
	defer engine.Close()
	r, err := http.NewRequestWithContext(t.Context(), "POST", forward(t, engine.URL)+"/some/path?a=b&c", bytes.NewReader(large))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Amz-Target", "target")
	client := http.Client{Transport: &http.Transport{DisableCompression: true}}
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusTeapot || !bytes.Equal(body, large) || answer.Header.Get("X-Amz-Crc32") != "*" {
		t.Errorf("the answer is %s with %v and %d bytes, %v", answer.Status, answer.Header, len(body), err)
	}
	for name := range answer.Header {
		if strings.HasPrefix(name, "Access-Control-") {
			t.Errorf("the answer has the header %s", name)
		}
	}
}

// TestForward_withoutTheEngine: an SDK takes the answer for a failure of the server, which it may repeat.
func TestForward_withoutTheEngine(t *testing.T) {
	client := dynamodb.New(dynamodb.Options{
		Region: running.Region, Credentials: running.Credentials(), BaseEndpoint: aws.String(forward(t, "http://127.0.0.1:1")), RetryMaxAttempts: 1,
	})
	_, err := client.ListTables(t.Context(), &dynamodb.ListTablesInput{})
	if fault := (*types.InternalServerError)(nil); !errors.As(err, &fault) || !strings.Contains(fault.ErrorMessage(), "the engine does not answer") {
		t.Errorf("the error is %v", err)
	}
}
