package cloudwatch

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The example of the Amazon CloudWatch User Guide's page on the format, with a set of dimensions more.
func TestParseEMF(t *testing.T) {
	const line = `{"_aws":{"Timestamp":1574109732004,"CloudWatchMetrics":[{"Namespace":"lambda-function-metrics",
		"Dimensions":[["functionVersion"],[]],"Metrics":[{"Name":"time","Unit":"Milliseconds"},{"Name":"Tries"}]}]},
		"functionVersion":"$LATEST","time":100,"Tries":[1,2],"requestId":"989ffbf8-9ace-4817-a57c-e4dd734019ee"}`
	at := time.UnixMilli(1574109732004)
	version := map[string]string{"functionVersion": "$LATEST"}
	const space = "lambda-function-metrics"
	want := []Point{
		{NewMetric(space, "time", version), at, 100}, {NewMetric(space, "Tries", version), at, 1}, {NewMetric(space, "Tries", version), at, 2},
		{NewMetric(space, "time", nil), at, 100}, {NewMetric(space, "Tries", nil), at, 1}, {NewMetric(space, "Tries", nil), at, 2},
	}
	got, err := ParseEMF(line)
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Metric{})); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestParseEMF_linesWithout(t *testing.T) {
	for _, line := range []string{"", "panic: no", `{"level":"INFO"}`, `["_aws"]`, `{"level":`} {
		if points, err := ParseEMF(line); err != nil || points != nil {
			t.Errorf("%s: %v, %v", line, points, err)
		}
	}
}

// What CloudWatch would drop is a mistake of who has written it.
func TestParseEMF_refuses(t *testing.T) {
	const metric = `"Metrics":[{"Name":"m"}]`
	for _, line := range []string{
		`{"_aws":1}`,
		`{"_aws":{"CloudWatchMetrics":[{"Namespace":"n","Dimensions":[[]],` + metric + `}]},"m":1}`,
		`{"_aws":{"Timestamp":1,"CloudWatchMetrics":[]},"m":1}`,
		`{"_aws":{"Timestamp":1,"CloudWatchMetrics":[{"Dimensions":[[]],` + metric + `}]},"m":1}`,
		`{"_aws":{"Timestamp":1,"CloudWatchMetrics":[{"Namespace":"n",` + metric + `}]},"m":1}`,
		`{"_aws":{"Timestamp":1,"CloudWatchMetrics":[{"Namespace":"n","Dimensions":[["d"]],` + metric + `}]},"m":1}`,
		`{"_aws":{"Timestamp":1,"CloudWatchMetrics":[{"Namespace":"n","Dimensions":[["d"]],` + metric + `}]},"m":1,"d":7}`,
		`{"_aws":{"Timestamp":1,"CloudWatchMetrics":[{"Namespace":"n","Dimensions":[[]],` + metric + `}]}}`,
		`{"_aws":{"Timestamp":1,"CloudWatchMetrics":[{"Namespace":"n","Dimensions":[[]],` + metric + `}]},"m":"1"}`,
		`{"_aws":{"Timestamp":1,"CloudWatchMetrics":[{"Namespace":"n","Dimensions":[[]],` + metric + `}]},"m":[]}`,
	} {
		if points, err := ParseEMF(line); err == nil {
			t.Errorf("%s: %v", line, points)
		}
	}
}
