package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestDivide(t *testing.T) {
	t.Parallel()
	got := divide(`File: entershow
Type: cpu
Duration: 9.58s, Total samples = 20ms (0.21%)
-----------+-------------------------------------------------------
       8ms   crypto/internal/fips140/sha256.block
             github.com/aws/aws-sdk-go-v2/aws/signer/v4.(*ComputePayloadSHA256).HandleFinalize
             github.com/ranch-game/ranch/shared/store.(*Store).Enter
             main.main
-----------+-------------------------------------------------------
       6ms   runtime.mallocgc
             encoding/json.Marshal
             github.com/ranch-game/ranch/shared/httpapi.render
-----------+-------------------------------------------------------
       2ms   runtime.futex
             runtime.mcall
-----------+-------------------------------------------------------
       4ms   runtime.mapaccess
             github.com/ranch-game/ranch/shared/store.(*Store).Enter
             github.com/aws/aws-lambda-go/lambda.Start
-----------+-------------------------------------------------------
`)
	want := map[string]float64{"SDK": 0.4, "JSON": 0.3, "runtime": 0.1, "ours": 0.2}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Error(diff)
	}
	if got := divide("File: entershow\n"); got["SDK"] != 0 {
		t.Errorf("%v of a profile without samples", got)
	}
}
