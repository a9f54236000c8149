package main

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/tidwall/gjson"

	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
	"github.com/ranch-game/ranch/localstack/dynamo/faults"
	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/localstack/sam/gateway"
)

var (
	// gone is a table that does not exist.
	gone = faults.Answer(protocol.Refusal{Status: http.StatusBadRequest, Body: map[string]string{
		"__type": "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException", "message": "a drill",
	}})
	// slow answers after the time limit of an attempt (shared/store), so that no retry helps.
	slow = faults.Slow(1200 * time.Millisecond)
	// late answers 100 ms before the time limit of an attempt.
	late = faults.Slow(900 * time.Millisecond)
)

// only restricts a fault to the requests of players' calls. Requests of the scheduled functions succeed: as in a bad
// deployment, only some requests fail.
func only(f faults.Fault) faults.Fault {
	return func(r *http.Request, pass http.RoundTripper) (*http.Response, error) {
		if strings.Contains(r.Header.Get("X-Amzn-Trace-Id"), ofPlayers) {
			return f(r, pass)
		}
		return pass.RoundTrip(r)
	}
}

// setting returns a fault that calls set with bad. The end of the fault calls set with good.
func setting[T any](bad, good T, set func(*drill, T) error) fault {
	return func(_ context.Context, d *drill) (action, error) {
		return func(_ context.Context, d *drill) error { return set(d, good) }, set(d, bad)
	}
}

// table returns a fault of the table.
func table(f faults.Fault) fault {
	return setting(f, faults.Pass, func(d *drill, f faults.Fault) error {
		d.backend.fail(f)
		return nil
	})
}

// limits returns a fault that gives the table these limits. Its end removes them.
func limits(o capacity.Options) fault {
	return setting(o, capacity.Options{}, func(d *drill, o capacity.Options) error {
		d.backend.limit(o)
		return nil
	})
}

// notScheduled switches a function's schedule off.
func notScheduled(function string) fault {
	return setting(function, "", func(d *drill, off string) error {
		d.off = off
		return nil
	})
}

// notRunning takes all concurrency from a function, so that none of its requests runs.
func notRunning(function string) fault {
	return setting(0, gateway.Unreserved, func(d *drill, n int) error { return d.stack.Reserve(function, n) })
}

// oneRequest allows a function's route a single request.
func oneRequest(function string) fault {
	return setting(gateway.Throttle{Rate: 1e-9, Burst: 1}, gateway.Throttle{}, func(d *drill, t gateway.Throttle) error { return d.stack.Limit(function, t) })
}

// crashing kills all processes of a function when a request of a player's call reaches the table.
func crashing(function string) fault {
	return func(ctx context.Context, d *drill) (action, error) {
		kill := faults.Before(func() {
			for _, p := range d.stack.Processes() {
				if p.Function == function {
					p.Kill()
				}
			}
		})
		return table(only(kill))(ctx, d)
	}
}

// conflicting returns a fault with which the table cancels two of three transactions because of a conflict.
func conflicting() faults.Fault {
	var seen atomic.Int64
	return func(r *http.Request, pass http.RoundTripper) (*http.Response, error) {
		if protocol.Operation(r) != "TransactWriteItems" || seen.Add(1)%3 == 0 {
			return pass.RoundTrip(r)
		}
		body, err := protocol.ReadAll(r.Body, r.ContentLength)
		if err != nil {
			return nil, err
		}
		items := int(gjson.GetBytes(body, "TransactItems.#").Int())
		return protocol.Conflicts(slices.Repeat([]bool{true}, items)).Respond(r), nil
	}
}

// scan returns the items of the table that a filter expression with these values selects. If there is no such item, it
// returns an error.
func (d *drill) scan(ctx context.Context, expression string, values map[string]string) ([]map[string]types.AttributeValue, error) {
	in := &dynamodb.ScanInput{TableName: aws.String(stack.TableName), FilterExpression: aws.String(expression), ExpressionAttributeValues: map[string]types.AttributeValue{}}
	for name, value := range values {
		in.ExpressionAttributeValues[name] = &types.AttributeValueMemberS{Value: value}
	}
	found, err := d.backend.engine.Client().Scan(ctx, in)
	if err == nil && len(found.Items) == 0 {
		err = fmt.Errorf("the table has no items with %s, %v", expression, values)
	}
	if err != nil {
		return nil, err
	}
	return found.Items, nil
}

func (d *drill) put(ctx context.Context, items ...map[string]types.AttributeValue) error {
	for _, item := range items {
		if _, err := d.backend.engine.Client().PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(stack.TableName), Item: item}); err != nil {
			return err
		}
	}
	return nil
}

// loseSessions deletes the records of all refresh tokens, so that players lose their sessions as after a restore to an
// earlier time. end writes the records back.
func loseSessions(ctx context.Context, d *drill) (end action, err error) {
	records, err := d.scan(ctx, "begins_with(PK, :token)", map[string]string{":token": "TOKEN#"})
	if err != nil {
		return nil, err
	}
	end = func(ctx context.Context, d *drill) error { return d.put(ctx, records...) }
	for _, r := range records {
		key := map[string]types.AttributeValue{"PK": r["PK"], "SK": r["SK"]}
		if _, err := d.backend.engine.Client().DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: aws.String(stack.TableName), Key: key}); err != nil {
			return end, err
		}
	}
	return end, nil
}

// spoilKeys writes invalid text into the secret.
func spoilKeys(ctx context.Context, d *drill) (end action, err error) {
	mend, err := d.backend.moto.Spoil(ctx, stack.SecretName)
	if mend == nil {
		return nil, err
	}
	return func(ctx context.Context, _ *drill) error { return mend(ctx) }, err
}

// spoilLedger takes all gold from the player's balance past the ledger.
func spoilLedger(ctx context.Context, d *drill) (end action, err error) {
	return d.replace(ctx, "SK = :profile AND em = :email", map[string]string{":profile": "PROFILE", ":email": d.players.Email}, "g", &types.AttributeValueMemberN{Value: "0"})
}

// replace replaces an attribute of the only item that the expression selects. end writes the item back.
func (d *drill) replace(ctx context.Context, expression string, values map[string]string, attribute string, value types.AttributeValue) (end action, err error) {
	found, err := d.scan(ctx, expression, values)
	if err == nil && len(found) > 1 {
		err = fmt.Errorf("%d items have %s, %v, want one", len(found), expression, values)
	}
	if err != nil {
		return nil, err
	}
	changed := maps.Clone(found[0])
	changed[attribute] = value
	return func(ctx context.Context, d *drill) error { return d.put(ctx, found[0]) }, d.put(ctx, changed)
}

// breakOffRefunds cancels a show and sets the cancellation's time to ten minutes ago. The refund of the show's only fee
// fails, since its record is damaged. end repairs the record.
func breakOffRefunds(ctx context.Context, d *drill) (end action, err error) {
	show, err := d.players.show(ctx, "10")
	if err != nil {
		return nil, err
	}
	if _, err := d.players.call(ctx, http.MethodPost, "/events/shows/"+show+"/enter", map[string]string{"animalId": d.players.animals[0].ID}); err != nil {
		return nil, err
	}
	end, err = d.replace(ctx, "contains(SK, :show) AND attribute_exists(fe.seq)", map[string]string{":show": "#SHOW#" + show}, "fe", &types.AttributeValueMemberS{Value: "damaged"})
	if err != nil {
		return end, err
	}
	if err := d.operate(ctx, nil, "show", "cancel", show); err == nil || !strings.Contains(err.Error(), "no refund for 1 of 1 entries") {
		return end, fmt.Errorf("the fee was given back: %w", err)
	}
	return end, d.put(ctx, map[string]types.AttributeValue{
		"PK": &types.AttributeValueMemberS{Value: "PENDING"}, "SK": &types.AttributeValueMemberS{Value: "REFUNDS#" + show},
		"ca": &types.AttributeValueMemberN{Value: fmt.Sprint(time.Now().Add(-10 * time.Minute).UnixMilli())},
	})
}

// keysAge is how long a function uses the signing keys before it reads the secret again.
const keysAge = time.Second

// refreshesUntilKeysAge makes calls for 1.25 keysAge, so that each process that gets a call reads the secret again.
func refreshesUntilKeysAge(ctx context.Context, d *drill) error {
	for began := time.Now(); time.Since(began) < keysAge+keysAge/4; {
		if err := refreshes(1)(ctx, d); err != nil {
			return err
		}
		time.Sleep(keysAge / 10) // only a pause between calls
	}
	return nil
}
