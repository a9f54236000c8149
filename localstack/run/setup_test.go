package main

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/shared/store"
)

// TestSetUp_otherLayout checks that a table of another layout stays untouched, and that the error says what to do.
func TestSetUp_otherLayout(t *testing.T) {
	e := startEngine(t)
	require.NoError(t, engine.CreateTable(t.Context(), e.Client(), stack.TableName))
	layout := map[string]types.AttributeValue{"ln": &types.AttributeValueMemberN{Value: "3"}}
	for _, key := range []string{"PK", "SK"} {
		layout[key] = &types.AttributeValueMemberS{Value: "LAYOUT"}
	}
	_, err := e.Client().PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(stack.TableName), Item: layout})
	require.NoError(t, err)
	const want = "the data in kept is from another version of Ranch: move or delete the folder, or choose another one with DATA_DIR=: "
	for _, seed := range []bool{false, true} {
		err := setUp(t.Context(), config{dataDir: "kept", seed: seed}, e, io.Discard)
		assert.True(t, err != nil && strings.HasPrefix(err.Error(), want) && errors.Is(err, store.ErrOtherLayout), "the error is %v", err)
	}
}
