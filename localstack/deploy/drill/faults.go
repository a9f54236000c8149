package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"github.com/ranch-game/ranch/localstack/run/stack"
)

// gone is a table that is not there.
func gone(r *http.Request, _ []byte) *http.Response {
	return exception(r, "ResourceNotFoundException", nil)
}

// slow is a table that answers later than an attempt lasts (shared/store), so that each is made again in vain.
func slow(r *http.Request, _ []byte) *http.Response {
	timer := time.NewTimer(1200 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-r.Context().Done():
	case <-timer.C:
	}
	return nil
}

// conflicting is a table that cancels two of three transactions for a conflict.
func conflicting() fault {
	var seen atomic.Int64
	return func(r *http.Request, body []byte) *http.Response {
		if r.Header.Get("X-Amz-Target") != "DynamoDB_20120810.TransactWriteItems" || seen.Add(1)%3 == 0 {
			return nil
		}
		var request struct{ TransactItems []json.RawMessage }
		if json.Unmarshal(body, &request) != nil {
			return nil
		}
		reasons := make([]map[string]string, len(request.TransactItems))
		for i := range reasons {
			reasons[i] = map[string]string{"Code": "TransactionConflict", "Message": "a drill"}
		}
		return exception(r, "TransactionCanceledException", map[string]any{"CancellationReasons": reasons})
	}
}

// loseSessions deletes the refresh tokens' records, as a table has lost them that was restored to an earlier time.
func loseSessions(ctx context.Context, d *drill) error {
	client := d.cloud.engine.Client()
	found, err := client.Scan(ctx, &dynamodb.ScanInput{
		TableName: aws.String(stack.TableName), FilterExpression: aws.String("begins_with(PK, :token)"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":token": &types.AttributeValueMemberS{Value: "TOKEN#"}},
	})
	if err != nil {
		return err
	}
	if len(found.Items) == 0 {
		return errors.New("there are no refresh tokens' records")
	}
	for _, item := range found.Items {
		key := map[string]types.AttributeValue{"PK": item["PK"], "SK": item["SK"]}
		if _, err := client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: aws.String(stack.TableName), Key: key}); err != nil {
			return err
		}
	}
	d.lost = found.Items
	return nil
}

func returnSessions(ctx context.Context, d *drill) error {
	for _, item := range d.lost {
		if _, err := d.cloud.engine.Client().PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String(stack.TableName), Item: item}); err != nil {
			return err
		}
	}
	return nil
}

// addGold changes the player's balance past the ledger.
func addGold(amount string) action {
	return func(ctx context.Context, d *drill) error {
		client := d.cloud.engine.Client()
		found, err := client.Scan(ctx, &dynamodb.ScanInput{
			TableName: aws.String(stack.TableName), FilterExpression: aws.String("SK = :profile"),
			ExpressionAttributeValues: map[string]types.AttributeValue{":profile": &types.AttributeValueMemberS{Value: "PROFILE"}},
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

// keysAge is how long a function goes by the keys that it has read.
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

// spoilKeys makes rubbish the secret's current version: in two steps, since after a label was moved moto's
// PutSecretValue has two current versions.
func spoilKeys(ctx context.Context, d *drill) error {
	now, err := d.cloud.secrets.GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: aws.String(stack.SecretName)})
	if err != nil {
		return err
	}
	put, err := d.cloud.secrets.PutSecretValue(ctx, &secretsmanager.PutSecretValueInput{
		SecretId: aws.String(stack.SecretName), SecretString: aws.String("rubbish"), VersionStages: []string{"BROKEN"},
	})
	if err != nil {
		return err
	}
	d.good, d.bad = now.VersionId, put.VersionId
	return d.makeCurrent(ctx, d.good, d.bad)
}

func mendKeys(ctx context.Context, d *drill) error { return d.makeCurrent(ctx, d.bad, d.good) }

func (d *drill) makeCurrent(ctx context.Context, from, to *string) error {
	_, err := d.cloud.secrets.UpdateSecretVersionStage(ctx, &secretsmanager.UpdateSecretVersionStageInput{
		SecretId: aws.String(stack.SecretName), VersionStage: aws.String("AWSCURRENT"), RemoveFromVersionId: from, MoveToVersionId: to,
	})
	return err
}
