package cloudwatch

import (
	"encoding/json"
	"testing"
)

// FuzzReadEMF checks that ReadEMF returns data within the format's bounds, with values and dimensions of the line, or
// an error.
func FuzzReadEMF(f *testing.F) {
	for _, s := range []string{
		valid, `{"time":100}`, `{"_aws":null}`, `{"_aws":{}}`, `[]`, `{"_aws":{"Timestamp":1,"CloudWatchMetrics":[{"Namespace":"n","Dimensions":[[]],"Metrics":[]}]}}`,
		`{"_aws":{"Timestamp":1,"CloudWatchMetrics":[{"Namespace":"n","Dimensions":[["d"]],"Metrics":[{"Name":"m","Unit":"Count"}]}]},"d":"v","m":[1,2.5,null]}`,
		`{"_aws":{"Timestamp":1,"CloudWatchMetrics":[{"Namespace":"n","Dimensions":[["_aws"]],"Metrics":[{"Name":"_aws"}]}]}}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		data, err := ReadEMF(line)
		var root map[string]any
		if invalid := json.Unmarshal(line, &root); invalid != nil && err == nil || err != nil && data != nil {
			t.Fatalf("%q: %v, %v", line, data, err)
		}
		if _, there := root["_aws"]; err == nil && !there && len(data) > 0 {
			t.Errorf("%q has %v", line, data)
		}
		for _, d := range data {
			if d.Namespace == "" || d.Name == "" || d.Unit == "" {
				t.Errorf("%q has %+v", line, d)
			}
			for key, value := range d.Dimensions {
				if root[key] != value || value == "" || len(value) > maxText {
					t.Errorf("%q has %+v", line, d)
				}
			}
			if value, ok := root[d.Name].(float64); !ok || value != d.Value {
				t.Errorf("%q has %+v", line, d)
			}
		}
	})
}
