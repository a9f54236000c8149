package main

import (
	"context"
	"errors"
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

	"github.com/ranch-game/ranch/localstack/dynamo/faults"
	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
	"github.com/ranch-game/ranch/localstack/run/stack"
)

// These are faults of the table.
var (
	// gone is a table that does not exist.
	gone = faults.Answer(protocol.Refusal{Status: http.StatusBadRequest, Body: map[string]string{
		"__type": "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException", "message": "a drill",
	}})
	// slow answers after the time limit of an attempt (shared/store), so that no retry helps.
	slow = faults.Slow(1200 * time.Millisecond)
	// late answers just before an attempt ends.
	late = faults.Slow(900 * time.Millisecond)
)

// only restricts a fault to the requests of players' calls. The scheduled functions do not meet it: as in a bad
// deployment, only some requests fail.
func only(f faults.Fault) faults.Fault {
	return func(r *http.Request, pass http.RoundTripper) (*http.Response, error) {
		if strings.Contains(r.Header.Get("X-Amzn-Trace-Id"), ofPlayers) {
			return f(r, pass)
		}
		return pass.RoundTrip(r)
	}
}

// crashing returns a fault that kills a function's processes when a process sends a request to the table.
func crashing(function string) func(context.Context, *drill) (action, error) {
	return func(_ context.Context, d *drill) (action, error) {
		d.cloud.fail(only(faults.Before(func() {
			for _, p := range d.stack.Processes() {
				if p.Function == function {
					p.Kill()
				}
			}
		})))
		return nil, nil
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

// loseSessions deletes the records of all refresh tokens, so that players lose their sessions as after a restore to an
// earlier time. end writes the records back.
func loseSessions(ctx context.Context, d *drill) (end action, err error) {
	client := d.cloud.engine.Client()
	found, err := client.Scan(ctx, &dynamodb.ScanInput{
		TableName: aws.String(stack.TableName), FilterExpression: aws.String("begins_with(PK, :token)"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":token": &types.AttributeValueMemberS{Value: "TOKEN#"}},
	})
	if err == nil && len(found.Items) == 0 {
		err = errors.New("there are no refresh tokens' records")
	}
	if err != nil {
		return nil, err
	}
	for _, item := range found.Items {
		key := map[string]types.AttributeValue{"PK": item["PK"], "SK": item["SK"]}
		if _, err := client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: aws.String(stack.TableName), Key: key}); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context, d *drill) error {
		for _, item := range found.Items {
			if _, err := client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(stack.TableName), Item: item}); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// spoilKeys writes invalid text into the secret.
func spoilKeys(ctx context.Context, d *drill) (end action, err error) {
	mend, err := d.cloud.moto.Spoil(ctx, stack.SecretName)
	if mend == nil {
		return nil, err
	}
	return func(ctx context.Context, _ *drill) error { return mend(ctx) }, err
}

// spoilLedger changes the player's balance past the ledger.
func spoilLedger(ctx context.Context, d *drill) (end action, err error) {
	return addGold("-1"), addGold("1")(ctx, d)
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
	client := d.cloud.engine.Client()
	found, err := client.Scan(ctx, &dynamodb.ScanInput{
		TableName: aws.String(stack.TableName), FilterExpression: aws.String("contains(SK, :show) AND attribute_exists(fe.seq)"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":show": &types.AttributeValueMemberS{Value: "#SHOW#" + show}},
	})
	if err != nil || len(found.Items) != 1 {
		return nil, fmt.Errorf("%d records of the entry: %w", len(found.Items), err)
	}
	record := found.Items[0]
	whole := maps.Clone(record)
	record["fe"] = &types.AttributeValueMemberS{Value: "damaged"}
	put := func(ctx context.Context, item map[string]types.AttributeValue) error {
		_, err := client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(stack.TableName), Item: item})
		return err
	}
	end = func(ctx context.Context, _ *drill) error { return put(ctx, whole) }
	if err := put(ctx, record); err != nil {
		return end, err
	}
	if err := d.operate(ctx, nil, "show", "cancel", show); err == nil || !strings.Contains(err.Error(), "no refund for 1 of 1 entries") {
		return end, fmt.Errorf("the fee was given back: %w", err)
	}
	return end, put(ctx, map[string]types.AttributeValue{
		"PK": &types.AttributeValueMemberS{Value: "PENDING"}, "SK": &types.AttributeValueMemberS{Value: "REFUNDS#" + show},
		"ca": &types.AttributeValueMemberN{Value: fmt.Sprint(time.Now().Add(-10 * time.Minute).UnixMilli())},
	})
}

// addGold changes the player's balance past the ledger.
func addGold(amount string) action {
	return func(ctx context.Context, d *drill) error {
		client := d.cloud.engine.Client()
		found, err := client.Scan(ctx, &dynamodb.ScanInput{
			TableName: aws.String(stack.TableName), FilterExpression: aws.String("SK = :profile AND em = :email"),
			ExpressionAttributeValues: map[string]types.AttributeValue{
				":profile": &types.AttributeValueMemberS{Value: "PROFILE"}, ":email": &types.AttributeValueMemberS{Value: d.players.Email},
			},
		})
		if err != nil || len(found.Items) != 1 {
			return fmt.Errorf("%d players: %w", len(found.Items), err)
		}
		_, err = client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
			TableName: aws.String(stack.TableName), Key: map[string]types.AttributeValue{"PK": found.Items[0]["PK"], "SK": found.Items[0]["SK"]},
			UpdateExpression:          aws.String("ADD g :amount"),
			ExpressionAttributeValues: map[string]types.AttributeValue{":amount": &types.AttributeValueMemberN{Value: amount}},
		})
		return err
	}
}

// keysAge is how long a function uses the signing keys before it reads the secret again.
const keysAge = time.Second

// refreshesUntilKeysAge makes calls for a little longer than keysAge. So each process that gets a call reads the secret
// again.
func refreshesUntilKeysAge(ctx context.Context, d *drill) error {
	for began := time.Now(); time.Since(began) < keysAge+keysAge/4; {
		if err := refreshes(1)(ctx, d); err != nil {
			return err
		}
		time.Sleep(keysAge / 10) // between calls, not for something
	}
	return nil
}
