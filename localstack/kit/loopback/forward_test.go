package loopback

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ranch-game/ranch/infra/running"
)

// serve serves what Forward makes of the engine's address, and counts the requests.
func serve(t *testing.T, engine string) (address string, requests *atomic.Int32) {
	t.Helper()
	endpoint, err := url.Parse(engine)
	if err != nil {
		t.Fatal(err)
	}
	handler := RefuseBrowsers(Forward(endpoint))
	requests = &atomic.Int32{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL, requests
}

func TestForward(t *testing.T) {
	large := bytes.Repeat([]byte("x"), 40<<20) // more than any of DynamoDB's limits, which are the engine's to hold
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.URL.Path != "/some/path" || r.URL.RawQuery != "a=b&c" || r.Header.Get("X-Amz-Target") != "target" || r.Header.Get("X-Forwarded-For") != "" {
			t.Errorf("it gets %s with %v, %v", r.URL, r.Header, err)
		}
		if r.Header.Get("Accept-Encoding") != "" {
			t.Errorf("it is asked for %s, which the client has not", r.Header.Get("Accept-Encoding"))
		}
		for name, value := range map[string]string{
			"X-Amz-Crc32": "1", "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "x-amz-target", "Access-Control-Expose-Headers": "*",
		} {
			w.Header().Set(name, value)
		}
		w.WriteHeader(http.StatusTeapot)
		_, _ = w.Write(body)
	}))
	defer engine.Close()
	address, _ := serve(t, engine.URL)
	r, err := http.NewRequestWithContext(t.Context(), "POST", address+"/some/path?a=b&c", bytes.NewReader(large))
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
	if err != nil || answer.StatusCode != http.StatusTeapot || !bytes.Equal(body, large) || answer.Header.Get("X-Amz-Crc32") != "1" {
		t.Errorf("the answer is %s with %v and %d bytes, %v", answer.Status, answer.Header, len(body), err)
	}
	for name := range answer.Header {
		if strings.HasPrefix(name, "Access-Control-") {
			t.Errorf("the answer has the header %s", name)
		}
	}
}

// TestForward_withoutTheEngine asks with an SDK client while nothing listens at the engine's address: it tries again,
// and says why in the end.
func TestForward_withoutTheEngine(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	address, requests := serve(t, "http://"+l.Addr().String())
	client := dynamodb.New(dynamodb.Options{
		Region: running.Region, Credentials: running.Credentials(), BaseEndpoint: aws.String(address),
		Retryer: retry.NewStandard(func(o *retry.StandardOptions) { o.MaxAttempts, o.MaxBackoff = 3, 1 }),
	})
	_, err = client.ListTables(t.Context(), &dynamodb.ListTablesInput{})
	var fault *types.InternalServerError
	if !errors.As(err, &fault) || !strings.Contains(fault.ErrorMessage(), "the engine does not answer") {
		t.Errorf("the error is %v", err)
	}
	if requests.Load() != 3 {
		t.Errorf("the client has asked %d times, not 3", requests.Load())
	}
}
