package store_test

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// checkEqual compares values; nil and empty lists and maps are the same.
func checkEqual[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	unexported := cmpopts.IgnoreUnexported(types.AttributeValueMemberS{}, types.AttributeValueMemberN{}, types.AttributeValueMemberB{},
		types.AttributeValueMemberBOOL{}, types.AttributeValueMemberL{}, types.AttributeValueMemberM{}, types.AttributeValueMemberSS{})
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), unexported); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
