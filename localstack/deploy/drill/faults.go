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

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
	"github.com/ranch-game/ranch/localstack/run/stack"
)

// gone is a table that does not exist.
func gone(r *http.Request, _ []byte) *http.Response {
	return protocol.Refusal{Status: http.StatusBadRequest, Body: map[string]string{
		"__type": "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException", "message": "a drill",
	}}.Respond(r)
}

// slow is a table that answers later than the time limit of an attempt (shared/store), so every retry is in vain.
func slow(r *http.Request, _ []byte) *http.Response {
	timer := time.NewTimer(1200 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-r.Context().Done():
	case <-timer.C:
	}
	return nil
}

// late is a table that answers just before an attempt ends.
func late(*http.Request, []byte) *http.Response {
	time.Sleep(900 * time.Millisecond)
	return nil
}

// only is a fault for players' calls alone: the calls that a scene makes meet it, as if of one version of one function.
func only(f fault) fault {
	return func(r *http.Request, body []byte) *http.Response {
		if !strings.Contains(r.Header.Get("X-Amzn-Trace-Id"), ofPlayers) {
			return nil
		}
		return f(r, body)
	}
}

// crashing kills a function's processes when one of them asks the table.
func crashing(function string) func(context.Context, *drill) (action, error) {
	return func(_ context.Context, d *drill) (action, error) {
		d.cloud.fail(only(func(*http.Request, []byte) *http.Response {
			for _, p := range d.stack.Processes() {
				if p.Function == function {
					p.Kill()
				}
			}
			return nil
		}))
		return nil, nil
	}
}

// conflicting is a table that cancels two of three transactions for a conflict.
func conflicting() fault {
	var seen atomic.Int64
	return func(r *http.Request, body []byte) *http.Response {
		if protocol.Operation(r) != "TransactWriteItems" || seen.Add(1)%3 == 0 {
			return nil
		}
		items := int(gjson.GetBytes(body, "TransactItems.#").Int())
		return protocol.Conflicts(slices.Repeat([]bool{true}, items)).Respond(r)
	}
}

// loseSessions deletes the refresh tokens' records, as a restore to an earlier time does.
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

// breakOffRefunds cancels a show as of ten minutes ago. Its only fee cannot be paid back, because its record is
// damaged.
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
	if err := d.operate(ctx, nil, "show", "cancel", show); err == nil || !strings.Contains(err.Error(), "1 of 1 entries are not refunded") {
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

// keysAge is how long a function uses the keys that it has read.
const keysAge = time.Second

// refreshesUntilKeysAge makes calls for longer than that, so that each process that they meet reads the secret again.
func refreshesUntilKeysAge(ctx context.Context, d *drill) error {
	for began := time.Now(); time.Since(began) < keysAge+keysAge/4; {
		if err := refreshes(1)(ctx, d); err != nil {
			return err
		}
		time.Sleep(keysAge / 10) // between calls, not for something
	}
	return nil
}
