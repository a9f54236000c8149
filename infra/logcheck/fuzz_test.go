package logcheck_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/infra/logcheck"
)

// FuzzRead reads any text as a log, once and twice: the second time must add no calls.
func FuzzRead(f *testing.F) {
	const call = `{"time":"2026-11-20T09:30:01Z","msg":"request","function":"judge-show","status":200,"duration_ms":20,"request_id":"first",` +
		`"user":"00000100-0000-4000-8000-000000000000","show":"00009000-0000-4000-8000-000000000000","JudgedEntries":1,"_aws":{"Timestamp":1795167000123}}`
	for _, line := range []string{call, "RequestId: 1 Error: Runtime exited", `{"time":"2026-11-20T09:30:01Z","msg":"run","function":"judge-due","judged":["1","1"]}`} {
		for _, text := range forms(f, []string{line}) {
			f.Add(text)
		}
	}
	for _, s := range []string{
		"", "{", `{""`, `{"message":"{\"message\":\"{}\"}"}`, `"message": "\ud800"`, `"timestamp": 99999999999999999999`, "\x1f\x8b", `{"events":[{}]}`, `{"results":[[]]}`, "{}{}{",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		once, twice := logcheck.NewChecker(logcheck.Options{}), logcheck.NewChecker(logcheck.Options{})
		errOnce := once.Read(strings.NewReader(text))
		err := twice.Read(strings.NewReader(text))
		require.True(t, (errOnce == nil) == (err == nil) && (err != nil || twice.Read(strings.NewReader(text)) == nil),
			"%v, and then %v", errOnce, err)
		a, b := once.Check(), twice.Check()
		assert.True(t, a.Records == b.Records && a.Lost <= b.Lost && a.Found == b.Found, "read once: %+v; twice: %+v", a, b)
	})
}
