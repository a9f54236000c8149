package cloudwatch

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const valid = `{"_aws":{"Timestamp":1574109732004,"CloudWatchMetrics":[` +
	`{"Namespace":"n","Dimensions":[[],["version"]],"Metrics":[{"Name":"time","Unit":"Milliseconds"}]}` +
	`]},"version":"$LATEST","time":100}`

func TestReadEMF(t *testing.T) {
	got, err := ReadEMF([]byte(valid))
	require.NoError(t, err)
	want := []Datum{
		{"n", "time", "Milliseconds", map[string]string{}, 100, 1574109732004},
		{"n", "time", "Milliseconds", map[string]string{"version": "$LATEST"}, 100, 1574109732004},
	}
	assert.Empty(t, cmp.Diff(want, got))
	got, err = ReadEMF([]byte(`{"time":100}`))
	assert.True(t, err == nil && len(got) == 0, "a line without metrics: %v, %v", got, err)
}

// If a line violates the format, ReadEMF returns an error. It does not ignore the metric.
func TestReadEMF_refuses(t *testing.T) {
	for name, change := range map[string][2]string{
		"no time":                {`"Timestamp":1574109732004,`, ``},
		"no directives":          {`"CloudWatchMetrics"`, `"Metrics"`},
		"another member of _aws": {`{"Timestamp"`, `{"LogGroup":"g","Timestamp"`},
		"empty namespace":        {`"Namespace":"n"`, `"Namespace":""`},
		"no sets":                {`[[],["version"]]`, `[]`},
		"a dimension not there":  {`"version":"$LATEST"`, `"Version":"$LATEST"`},
		"too many dimensions":    {`["version"]`, `["version"` + strings.Repeat(`,"version"`, 30) + `]`},
		"no such unit":           {`Milliseconds`, `milliseconds`},
		"a metric of several":    {`"time":100`, `"time":[1,2]`},
		"a metric that is null":  {`"time":100`, `"time":null`},
		"too many metrics":       {`[{"Name":"time"`, `[` + strings.Repeat(`{"Name":"time"},`, 100) + `{"Name":"time"`},
		"too large":              {`"time":100`, `"time":100,"text":"` + strings.Repeat("x", 256<<10) + `"`},
	} {
		line := strings.Replace(valid, change[0], change[1], 1)
		got, err := ReadEMF([]byte(line))
		assert.True(t, err != nil && line != valid, "%s: %v", name, got)
	}
}
