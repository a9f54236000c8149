package cloudwatch

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Datum is one value of one metric in a log line.
type Datum struct {
	Namespace, Name, Unit string
	Dimensions            map[string]string // empty for a metric of the whole namespace
	Value                 float64
	At                    int64 // milliseconds since 1970
}

// The format's limits that the schema does not have.
const (
	maxDocument = 256 << 10 // bytes
	maxText     = 1024      // of a dimension's value, in bytes
)

//go:embed emf.schema.json
var emfSchema []byte

// schema is the schema of the member _aws.
var schema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(emfSchema))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("emf", document); err != nil {
		return nil, err
	}
	return compiler.Compile("emf")
})

// metadata is the member _aws.
type metadata struct {
	Timestamp         int64
	CloudWatchMetrics []struct {
		Namespace  string
		Dimensions [][]string
		Metrics    []struct{ Name, Unit string }
	}
}

// ReadEMF returns the data that CloudWatch reads from a log line in the embedded metric format. If the line has no
// member _aws, ReadEMF returns no data. The error says how the line violates the format.
func ReadEMF(line []byte) ([]Datum, error) {
	var root map[string]json.RawMessage
	if err := json.Unmarshal(line, &root); err != nil {
		return nil, fmt.Errorf("no JSON object: %w", err)
	}
	text, ok := root["_aws"]
	if !ok {
		return nil, nil
	}
	if len(line) > maxDocument {
		return nil, fmt.Errorf("%d bytes", len(line))
	}
	var m metadata
	if err := readMetadata(text, &m); err != nil {
		return nil, fmt.Errorf("_aws: %w", err)
	}
	var all []Datum
	for _, d := range m.CloudWatchMetrics {
		for _, keys := range d.Dimensions {
			dimensions := map[string]string{}
			for _, key := range keys {
				value := ""
				if err := json.Unmarshal(root[key], &value); err != nil || value == "" || len(value) > maxText {
					return nil, fmt.Errorf("the dimension %s is %s", key, root[key])
				}
				dimensions[key] = value
			}
			for _, metric := range d.Metrics {
				var value *float64 // the format also has lists; our functions do not use them
				if err := json.Unmarshal(root[metric.Name], &value); err != nil || value == nil {
					return nil, fmt.Errorf("the metric %s is %s", metric.Name, root[metric.Name])
				}
				all = append(all, Datum{d.Namespace, metric.Name, cmp.Or(metric.Unit, "None"), dimensions, *value, m.Timestamp})
			}
		}
	}
	return all, nil
}

func readMetadata(text []byte, m *metadata) error {
	schema, err := schema()
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	if err := schema.Validate(value); err != nil {
		return err
	}
	return json.Unmarshal(text, m)
}
