package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/functiontest"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/httpapi"
	"github.com/ranch-game/ranch/shared/token"
)

func TestMain(m *testing.M) { functiontest.Main(m) }

func newBench(t *testing.T) *functiontest.Bench {
	return functiontest.New(t, func(r records, _ any) httpapi.Endpoint { return endpoint(r) })
}

const success = `{"success":true}`

// logsOut checks that do changes only the record of the refresh token.
func logsOut(t *testing.T, b *functiontest.Bench, refresh string, do func()) {
	t.Helper()
	storetest.Equal(t, "changed rows", b.Changed(t, do), []string{"TOKEN#" + token.Digest(refresh) + " TOKEN"})
}

func TestLogout(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ann, refresh := b.Session(t, functiontest.Keys())
	other, record := functiontest.RefreshBy(t, functiontest.Keys(), ann.ID, b.Now)
	_, err := b.Rival.RecordLogin(t.Context(), b.AccountOf(t, ann.ID), record, game.Rehash{}, b.Now)
	require.NoError(t, err)
	logsOut(t, b, refresh, func() { b.Golden(t, "logged-out", functiontest.Presenting(refresh)).Want(t, 200, success) })
	b.Unchanged(t, func() { b.Do(t, functiontest.Presenting(refresh)).Want(t, 200, success) }) // a repetition
	logsOut(t, b, other, func() { b.Do(t, functiontest.Presenting(other)).Want(t, 200, success) })
	b.Invariants(t)
}

// A log-out deletes the record of a token even if the service accepts the token for nothing else.
func TestTokensThatAreOfNoOtherUse(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		keys *token.Keys
		then func(*testing.T, *functiontest.Bench, storetest.Player)
		late time.Duration
	}{
		"banned user":  {functiontest.Keys(), func(t *testing.T, b *functiontest.Bench, p storetest.Player) { b.Ban(t, p.ID) }, 0},
		"deleted user": {functiontest.Keys(), func(t *testing.T, b *functiontest.Bench, p storetest.Player) { b.DeleteUser(t, p.ID) }, 0},
		"expired":      {functiontest.Keys(), func(*testing.T, *functiontest.Bench, storetest.Player) {}, 31 * 24 * time.Hour},
		"retired keys": {functiontest.RetiredKeys(), func(*testing.T, *functiontest.Bench, storetest.Player) {}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			ann, refresh := b.Session(t, test.keys)
			test.then(t, b, ann)
			logsOut(t, b, refresh, func() { b.AtTime(b.Now.Add(test.late)).Do(t, functiontest.Presenting(refresh)).Want(t, 200, success) })
		})
	}
}

func TestWhateverIsSent(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ann, refresh := b.Session(t, functiontest.Keys())
	unknown, _ := functiontest.RefreshBy(t, functiontest.Keys(), ann.ID, b.Now)
	b.Unchanged(t, func() {
		for _, body := range []string{
			"null", "[{}]", `{}`, `{"refreshToken":null}`, `{"refreshToken":["` + refresh + `"]}`, `{"RefreshToken":"` + refresh + `"}`,
			functiontest.Presenting(refresh).Body + strings.Repeat(" ", 65_536),
		} {
			b.Do(t, functiontest.Request{Body: body}).Want(t, 200, success)
		}
		for _, text := range []string{"rubbish", unknown, b.Access(t, ann.User), token.Digest(refresh), "x#TOKEN", strings.Repeat("x", 60_000)} {
			b.Do(t, functiontest.Presenting(text)).Want(t, 200, success)
		}
		b.Do(t, functiontest.Request{Token: refresh}).Want(t, 200, success)
		b.Golden(t, "nothing", functiontest.Request{}).Want(t, 200, success)
	})
	b.Wire.Reset()
	for _, body := range []string{`{"refreshToken":""}`, `{"refreshToken":1}`} {
		b.Do(t, functiontest.Request{Body: body}).Want(t, 200, success)
	}
	asked := b.Wire.Cost().Requests
	assert.Equal(t, 0, asked, "%d requests to the table for a token that is no text", asked)
}

func TestFaults(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	_, refresh := b.Session(t, functiontest.Keys())
	functiontest.Faults(t, b, functiontest.Presenting(refresh), 200, success, endpoint(nil))
}
