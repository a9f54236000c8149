package cloudwatch

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

func TestFilter(t *testing.T) {
	read := func(pattern string) (*Filter, error) {
		f := samtemplate.MetricFilter{Pattern: pattern, Namespace: samtemplate.Value{Ref: "AWS::StackName"}, MetricName: "Purrs"}
		return NewFilter(&samtemplate.Template{}, f, map[string]string{"AWS::StackName": "cats"})
	}
	f, err := read(`{ ($.sound = "purr") && ($.status = 200) }`)
	require.NoError(t, err)
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for line, want := range map[string]int{
		`{"status": 200, "sound": "purr", "other": 1}`: 1,
		`{"status": 200, "sound": "meow"}`:             0,
		`{"status": 401, "sound": "purr"}`:             0,
		`{"status": "200", "sound": "purr"}`:           0,
		`{"status": 200}`:                              0,
		`status 200 purr`:                              0,
	} {
		points := f.Points([]byte(line), at)
		assert.True(t, len(points) == want && (want != 1 || points[0] == (Point{NewMetric("cats", "Purrs", nil), at, 1})),
			"%s makes %v, want %d", line, points, want)
	}
	f, err = read(`{ $.status = 429 }`)
	assert.True(t, err == nil && len(f.Points([]byte(`{"status": 429}`), at)) == 1 && f.Points([]byte(`{"status": 42}`), at) == nil,
		"one condition: %v", err)
	for _, wrong := range []string{"", "429", "{ $.status = 4* }", "{ $.status != 429 }", "{ $.a = 1 || $.b = 1 }", "{ ($.a = 1) && () }", `[ip, status = 429]`} {
		_, err := read(wrong)
		assert.Error(t, err, "the pattern %s is taken", wrong)
	}
	_, err = NewFilter(&samtemplate.Template{}, samtemplate.MetricFilter{Namespace: samtemplate.Value{Ref: "Nothing"}}, nil)
	assert.Error(t, err, "a namespace that is not known is taken")
}
