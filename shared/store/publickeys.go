package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ranch-game/ranch/shared/game"
)

// PublicKeys are the keys that verify tokens, as a process with the private keys has published them.
type PublicKeys struct {
	Secret  string            // the ARN of the secret with the private keys, or another name
	Written game.Instant      // when the secret's version with these keys was written
	Keys    map[string]string // by kid, as token.NewPublicKeys accepts them
}

// publicKeysItem is the only record of its kind.
type publicKeysItem struct {
	key
	Secret  string            `dynamodbav:"s"`
	Written int64             `dynamodbav:"w"`
	Keys    map[string]string `dynamodbav:"k"`
}

// PublicKeys returns the published keys by their kid, as base64 texts, or nil if none is published. The read is
// strongly consistent: one round trip, 1 RCU.
func (s *Store) PublicKeys(ctx context.Context) (map[string]string, error) {
	item, err := get[publicKeysItem](ctx, s, publicKeysKey())
	if err != nil || item == nil {
		return nil, err
	}
	return item.Keys, nil
}

// PublishKeys writes the public keys of a version of the secret. If the table has a later version of the same secret,
// it writes nothing and returns nil. So a process that read the secret long ago, or a late attempt, does not bring back
// a retired key. The call is idempotent. One round trip, 1 WCU.
func (s *Store) PublishKeys(ctx context.Context, p PublicKeys) error {
	ctx, cancel := context.WithTimeout(ctx, readPatience)
	defer cancel()
	item, err := marshal(publicKeysItem{publicKeysKey(), p.Secret, int64(p.Written), p.Keys})
	if err != nil {
		return err
	}
	_, err = s.db.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: &s.table, Item: item, ConditionExpression: aws.String("attribute_not_exists(PK) OR s <> :secret OR w <= :written"),
		ExpressionAttributeValues: attributes{":secret": str(p.Secret), ":written": number(int64(p.Written))},
	})
	if err == nil || errors.As(err, new(*types.ConditionalCheckFailedException)) {
		return nil
	}
	return fmt.Errorf("publish the keys: %w", err)
}
