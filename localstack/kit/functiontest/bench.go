// Package functiontest runs endpoints and scheduled jobs as Lambda does: with an event in JSON. Each test has a table
// of its own. The package also has golden files, and tests that all endpoints share.
package functiontest

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
	"github.com/ranch-game/ranch/shared/emf"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/httpapi"
	"github.com/ranch-game/ranch/shared/store"
)

// Start is the time at which benches begin: 2026-11-20T09:30:00.000Z. Because its milliseconds are 000, tests notice a
// time format that drops trailing zeros.
const Start game.Instant = 1_795_167_000_000

// maxPayload is the largest response, in bytes, that Lambda accepts from a function.
const maxPayload = 6_291_556

// Bench runs one endpoint in a scene: a table with shows and players, and a time, which the endpoint's clock shows.
type Bench struct {
	*storetest.Scene
	Endpoint httpapi.Endpoint
	Time     time.Duration // the function's time limit; New sets the one in template.yaml

	route samtemplate.Function
}

// New returns a bench for the function whose folder the test is in, with the function's route and role from
// template.yaml. New calls endpoint with the scene's store and the signing keys, each as the interface that the
// endpoint needs. The store has only the rights of the role.
func New[Store, Tokens any](t testing.TB, endpoint func(Store, Tokens) httpapi.Endpoint) *Bench {
	t.Helper()
	scene, function := newScene(t)
	start(t, scene, function)
	e := endpoint(any(scene.Store).(Store), any(Keys()).(Tokens))
	return &Bench{Scene: scene, Endpoint: e, Time: function.Timeout, route: function}
}

// start does what package boot does with the keys when a function starts. A function that signs tokens publishes its
// public keys in the table. A function that only verifies tokens reads the public keys.
func start(t testing.TB, scene *storetest.Scene, function samtemplate.Function) {
	t.Helper()
	var err error
	_, signs := function.Environment["SIGNING_KEYS_SECRET"]
	switch {
	case signs:
		err = scene.PublishKeys(t.Context(), store.PublicKeys{Secret: "arn:the-secret", Keys: Keys().Public()})
	case slices.ContainsFunc(function.Statements, func(s samtemplate.Statement) bool { return slices.Contains(s.LeadingKeys, "KEYS") }):
		_, err = scene.PublicKeys(t.Context())
	}
	require.NoError(t, err)
	scene.Wire.Reset()
}

// newScene returns a scene for the function whose folder the test is in. The store has only the rights of its role.
func newScene(t testing.TB) (*storetest.Scene, samtemplate.Function) {
	t.Helper()
	this, err := this()
	require.NoError(t, err)
	scene := storetest.NewFixedScene(t, Start)
	scene.Wire.Through(this.role.Transport)
	if err := scene.CheckLayout(t.Context()); err != nil { // as functions do when they start
		t.Fatal(err)
	}
	scene.Wire.Reset()
	return scene, this.function
}

// AtTime returns a bench on the same table at another time.
func (b *Bench) AtTime(now game.Instant) *Bench {
	other := *b
	other.Scene = b.Scene.AtTime(now)
	return &other
}

// Within returns a bench on the same table with d as the function's time limit.
func (b *Bench) Within(d time.Duration) *Bench {
	other := *b
	other.Time = d
	return &other
}

// Do runs the endpoint with a request and returns the response. It checks that Lambda accepts the response's size, and
// that the body is JSON. It also checks that the log has one line, without a secret. It is safe for concurrent use.
func (b *Bench) Do(t testing.TB, r Request) Answer {
	t.Helper()
	var log bytes.Buffer
	e := b.Endpoint
	e.Clock, e.Logger = b.Now.Time, slog.New(slog.NewJSONHandler(&log, nil))
	e.Metrics = emf.Source{Namespace: "ranch-test", Function: b.route.LogicalID, Version: "1"}
	payload, err := invoke(t, e.Invoke, b.Time, JSON(b.event(r)))
	if err != nil {
		t.Errorf("the function failed: %v", err)
		return Answer{}
	}
	assert.True(t, len(payload) <= maxPayload, "an answer of %d bytes is more than Lambda takes", len(payload))
	a := decode(t, payload)
	a.Log = log.String()
	readLog(t, a.Log)
	checkLog(t, r, a.Log)
	return a
}

// invoke runs a function as Lambda does, with a time limit.
func invoke(t testing.TB, function any, limit time.Duration, event string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	return lambda.NewHandler(function).Invoke(ctx, []byte(event))
}

// decode parses a response as API Gateway does. It decompresses a compressed body as a client does. Package httpapi
// tests the headers that every response has.
func decode(t testing.TB, payload []byte) Answer {
	t.Helper()
	var out events.APIGatewayV2HTTPResponse
	assert.NoError(t, json.Unmarshal(payload, &out))
	body := []byte(out.Body)
	zipped := out.Headers["Content-Encoding"] == "gzip"
	assert.Equal(t, out.IsBase64Encoded, zipped, "gzip %t, base64 %t", zipped, out.IsBase64Encoded)
	if zipped {
		reader, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(out.Body)))
		if err == nil {
			body, err = io.ReadAll(reader)
		}
		assert.NoError(t, err)
	}
	assert.True(t, json.Valid(body), "the body is no JSON: %.200s", body)
	return Answer{Status: out.StatusCode, Header: out.Headers, Body: string(body)}
}

// secretLength is the least length, in bytes, of a text that checkLog looks for. Shorter ones could be there by chance.
const secretLength = 8

// readLog checks that a log is one line, and returns the line's metrics without dimensions. Package emf tests the
// format of metrics.
func readLog(t testing.TB, log string) map[string]float64 {
	t.Helper()
	assert.Equal(t, 1, strings.Count(log, "\n"), "want one line in the log, got %q", log)
	var line struct {
		Metadata struct {
			CloudWatchMetrics []struct {
				Dimensions [][]string
				Metrics    []struct{ Name string }
			}
		} `json:"_aws"`
	}
	var members map[string]any
	require.NoError(t, errors.Join(json.Unmarshal([]byte(log), &line), json.Unmarshal([]byte(log), &members)), log)
	metrics := map[string]float64{}
	for _, directive := range line.Metadata.CloudWatchMetrics {
		for _, m := range directive.Metrics {
			if len(directive.Dimensions[0]) == 0 {
				metrics[m.Name] = members[m.Name].(float64)
			}
		}
	}
	return metrics
}

// checkLog checks that the log has no text of the request that may be a secret: the token, the body and its texts, and
// the client's address and name. It accepts the request's id.
func checkLog(t testing.TB, r Request, log string) {
	t.Helper()
	texts := []string{r.Token, r.Body, clientAddress, clientName}
	var members map[string]any
	if json.Unmarshal([]byte(r.Body), &members) == nil {
		for _, member := range members {
			if text, ok := member.(string); ok {
				texts = append(texts, text)
			}
		}
	}
	for _, text := range texts {
		assert.True(t, len(text) < secretLength || text == r.ID || !strings.Contains(log, text),
			"the log has %.80q of the request: %s", text, log)
	}
}
