package wire

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// TestVariants checks the conditions without one guard.
func TestVariants(t *testing.T) {
	t.Parallel()
	for condition, want := range map[string][]variant{
		"attribute_not_exists(PK)": {{"always attribute_not_exists(PK)", "(" + always + " OR attribute_not_exists(PK))"}},
		"a = :a AND (b > :b OR attribute_exists(c))": {
			{"always a = :a", "(" + always + " OR a = :a) AND (b > :b OR attribute_exists(c))"},
			{"always (b > :b OR attribute_exists(c))", "a = :a AND (" + always + " OR (b > :b OR attribute_exists(c)))"},
			{"never b > :b", "a = :a AND ((" + never + " AND b > :b) OR attribute_exists(c))"},
			{">= for b > :b", "a = :a AND (b >= :b OR attribute_exists(c))"},
			{"never attribute_exists(c)", "a = :a AND (b > :b OR (" + never + " AND attribute_exists(c)))"},
		},
	} {
		if got := variants(condition); !slices.Equal(got, want) {
			t.Errorf("%s:\ngot  %v\nwant %v", condition, got, want)
		}
	}
}

// TestWeaken checks the changed requests, and that other requests of the store stay as they are.
func TestWeaken(t *testing.T) {
	t.Parallel()
	s := func(text string) types.AttributeValue { return &types.AttributeValueMemberS{Value: text} }
	user := map[string]types.AttributeValue{"PK": s("USER#0b1f"), "SK": s("PROFILE")}
	row := map[string]types.AttributeValue{"PK": s("USER#0b1f"), "SK": s("LEDGER#000000000001"), "n": s("1")}
	request := func() *dynamodb.TransactWriteItemsInput {
		return &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
			{Update: &types.Update{Key: user, ConditionExpression: aws.String("ls = :seen AND attribute_exists(PK)")}},
			{Put: &types.Put{TableName: aws.String("t"), Item: row}},
		}}
	}
	weaken := func(chosen string) *dynamodb.TransactWriteItemsInput {
		original := request()
		changed, _ := mutator{chosen: chosen, operation: "Store.Claim"}.weaken(original)
		if !reflect.DeepEqual(original, request()) {
			t.Errorf("%s changes the store's own request", chosen)
		}
		return changed.(*dynamodb.TransactWriteItemsInput)
	}
	weak := weaken("Store.Claim: Update USER#*/PROFILE: always ls = :seen").TransactItems[0].Update.ConditionExpression
	if want := "(" + always + " OR ls = :seen) AND attribute_exists(PK)"; *weak != want {
		t.Errorf("got %s, want %s", *weak, want)
	}
	check := weaken("Store.Claim: Put USER#*/LEDGER#*: dropped").TransactItems[1].ConditionCheck
	if check == nil || text(check.Key["SK"]) != "LEDGER#000000000001#DROPPED" || len(check.Key) != 2 || *check.TableName != "t" {
		t.Errorf("a dropped item is %+v", check)
	}
	deletion := &dynamodb.DeleteItemInput{Key: map[string]types.AttributeValue{"PK": s("G#0#ROXR"), "SK": s("-0AZ")}}
	if _, dropped := (mutator{chosen: "Store.F: Delete G#*#*/*: dropped", operation: "Store.F"}).weaken(deletion); dropped == nil {
		t.Error("a write is not dropped")
	}
	if board, results := shape("BOARD#open#open"), shape("SHOW#0b1f#R#3"); board != "BOARD#open#*" || results != "SHOW#*#R#*" {
		t.Error(board, results)
	}

	notes := filepath.Join(t.TempDir(), "notes")
	mutator{notes: notes, operation: "Store.Claim"}.weaken(request())
	noted, err := os.ReadFile(notes)
	want := strings.Join([]string{
		"Store.Claim: Update USER#*/PROFILE: dropped", "Store.Claim: Update USER#*/PROFILE: always ls = :seen",
		"Store.Claim: Update USER#*/PROFILE: always attribute_exists(PK)", "Store.Claim: Put USER#*/LEDGER#*: dropped", "",
	}, "\n")
	if err != nil || string(noted) != want {
		t.Errorf("%v, noted\n%s", err, noted)
	}
}
