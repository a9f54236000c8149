package capacity_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

// The tests of this file run in a synctest bubble, whose clock makes a minute take no real time. A bubble must have no
// network connections. So an imitation replaces the engine, and returns fixed answers.

// imitation answers each operation with a body, and after a time, that the test sets. It describes the table at once.
type imitation struct {
	takes   time.Duration
	answers map[string]string
}

const imitatedTable = `{"Table":{"TableName":"t","KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}]}}`

func (i imitation) RoundTrip(r *http.Request) (*http.Response, error) {
	operation := protocol.Operation(r)
	body, known := i.answers[operation]
	switch {
	case operation == "DescribeTable":
		body = imitatedTable
	case !known:
		return nil, fmt.Errorf("no answer to %s", operation)
	default:
		<-time.After(i.takes)
	}
	return protocol.Respond(r, http.StatusOK, []byte(body)), nil
}

// ask sends a request and returns the answer's body.
func ask(ctx context.Context, transport http.RoundTripper, operation, body string) (string, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://localhost", strings.NewReader(body))
	if err != nil {
		return "", err
	}
	r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+operation)
	response, err := transport.RoundTrip(r)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	got, err := io.ReadAll(response.Body)
	return string(got), err
}

const oneGate = `{"TransactItems":[{"Update":{"TableName":"t","Key":{"PK":{"S":"gate"},"SK":{"S":"GATE"}},"UpdateExpression":"ADD n :one"}}]}`

func TestAnswersTakeTheirTime(t *testing.T) {
	t.Parallel()
	const get = `{"TableName":"t","Key":{"PK":{"S":"a"},"SK":{"S":"1"}}}`
	const query = `{"TableName":"t","KeyConditionExpression":"PK = :p","ExpressionAttributeValues":{":p":{"S":"a"}}}`
	answers := map[string]string{
		"GetItem": `{}`, "PutItem": `{}`, "TransactWriteItems": `{}`,
		"Query": `{"Items":[],"ConsumedCapacity":{"TableName":"t","CapacityUnits":128}}`, // eventually consistent: 1 MB
	}
	for _, c := range []struct {
		what, operation, body string
		hold, engine          time.Duration
		from, to              time.Duration
	}{
		{"a read", "GetItem", get, 0, 2, 3, 5},
		{"a page", "Query", query, 0, 2, 60, 100},
		{"a plain write", "PutItem", `{"TableName":"t","Item":{"PK":{"S":"a"},"SK":{"S":"1"}}}`, 0, 2, 4, 6},
		{"a transaction", "TransactWriteItems", oneGate, 8, 2, 10, 15},
		{"a transaction that is held longer", "TransactWriteItems", oneGate, 20, 2, 20, 20},
		{"a slow engine", "GetItem", get, 0, 50, 50, 50},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				o := capacity.Options{Hold: c.hold * time.Millisecond, Latency: true}
				through := capacity.New(o).Transport(imitation{c.engine * time.Millisecond, answers})
				for range 100 {
					began := time.Now()
					_, err := ask(t.Context(), through, c.operation, c.body)
					require.NoError(t, err)
					took := time.Since(began)
					assert.True(t, took >= c.from*time.Millisecond && took <= c.to*time.Millisecond, "it took %v", took)
				}
			})
		})
	}
}
