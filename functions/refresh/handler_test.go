package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/functiontest"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/token"
)

func TestMain(m *testing.M) { functiontest.Main(m) }

const (
	missing      = `{"error":"MISSING_TOKEN","message":"Refresh token required"}`
	dead         = `{"error":"INVALID_TOKEN","message":"Refresh token invalid or expired"}`
	bad          = `{"error":"INVALID_TOKEN","message":"Invalid refresh token"}`
	unauthorized = `{"error":"UNAUTHORIZED"}`
)

// keep stores a record of the text as a refresh token of the user, valid for another day.
func keep(t *testing.T, b *functiontest.Bench, text string, user game.ID) {
	t.Helper()
	record := game.RefreshRecord{ID: game.NewID(), UserID: user, Digest: token.Digest(text), ExpiresAt: b.Now.Add(24 * time.Hour)}
	_, err := b.Rival.RecordLogin(t.Context(), b.AccountOf(t, user), record, game.Rehash{}, b.Now)
	require.NoError(t, err)
}

// caller returns the user of an answer's access token.
func caller(t *testing.T, b *functiontest.Bench, a functiontest.Answer) token.Caller {
	t.Helper()
	a.WantStatus(t, 200)
	return b.Caller(t, functiontest.In[string](t, a.Object(t), "token"))
}

func TestRefresh(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint)
	ann, refresh := b.Session(t, functiontest.Keys())
	want := token.Caller{ID: ann.ID, Username: "Ann", Email: "ann@example.com", Status: "active"}
	b.Unchanged(t, func() {
		first := b.Golden(t, "refreshed", functiontest.Presenting(refresh))
		second := b.Do(t, functiontest.Presenting(refresh)) // the refresh token stays valid
		for _, a := range []functiontest.Answer{first, second} {
			storetest.Equal(t, "caller", caller(t, b, a), want)
		}
		assert.True(t, first.Body != second.Body, "one token twice")
	})
}

func TestBodiesWithoutToken(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint)
	_, refresh := b.Session(t, functiontest.Keys())
	for _, body := range []string{"", "null", "[{}]", `{}`, `{"refreshToken":null}`, `{"refreshToken":""}`, `{"refreshtoken":"` + refresh + `"}`} {
		b.Do(t, functiontest.Request{Body: body}).Want(t, 400, missing)
	}
	b.Golden(t, "missing", functiontest.Request{Body: "{}"}).Want(t, 400, missing)
	b.Do(t, functiontest.Request{Token: refresh}).Want(t, 400, missing)
}

// A text that is not a valid refresh token gets a 401, even if it has a record. Package token tests further texts.
func TestTokensThatDoNotVerify(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint)
	ann, refresh := b.Session(t, functiontest.Keys())
	for _, value := range []string{"1", "true", "[]", `["` + refresh + `"]`, "{}"} {
		b.Do(t, functiontest.Request{Body: `{"refreshToken":` + value + `}`}).Want(t, 401, bad)
	}
	access := b.Access(t, ann.User)
	retired, _ := functiontest.RefreshBy(t, functiontest.RetiredKeys(), ann.ID, b.Now)
	for _, text := range []string{retired, "rubbish", " " + refresh, refresh + "\n", token.Digest(refresh), access} {
		keep(t, b, text, ann.ID)
		b.Do(t, functiontest.Presenting(text)).Want(t, 401, bad)
	}
	b.Golden(t, "bad", functiontest.Presenting(access)).Want(t, 401, bad)
}

// An expired token gets a 401, even if its record expires later.
func TestTokensThatHaveExpired(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint)
	ann := b.AddPlayer(t, storetest.Ann)
	expired, _ := functiontest.RefreshBy(t, functiontest.Keys(), ann.ID, b.Now.Add(-game.RefreshTokenLifetime-time.Second))
	keep(t, b, expired, ann.ID)
	b.Do(t, functiontest.Presenting(expired)).Want(t, 401, dead)
}

func TestTokensWithoutRecord(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint)
	ann, refresh := b.Session(t, functiontest.Keys())
	bob := b.AddPlayer(t, storetest.Bob)
	unknown, _ := functiontest.RefreshBy(t, functiontest.Keys(), ann.ID, b.Now)
	b.Golden(t, "unknown", functiontest.Presenting(unknown)).Want(t, 401, dead)
	require.NoError(t, b.Rival.DeleteRefreshRecord(t.Context(), token.Digest(refresh)))
	b.Do(t, functiontest.Presenting(refresh)).Want(t, 401, dead)
	keep(t, b, refresh, bob.ID) // another user's record
	b.Do(t, functiontest.Presenting(refresh)).Want(t, 401, dead)
}

// A token is valid to the last millisecond of its record, although its own exp is up to 999 ms earlier. Afterwards it
// is refused even if DynamoDB's TTL has not yet deleted the record.
func TestTheLastInstant(t *testing.T) {
	t.Parallel()
	for _, issued := range []game.Instant{functiontest.Start, functiontest.Start + 1, functiontest.Start + 999} {
		b := functiontest.New(t, endpoint).AtTime(issued)
		_, refresh := b.Session(t, functiontest.Keys())
		end := issued.Add(30 * 24 * time.Hour)
		caller(t, b.AtTime(end-1), b.AtTime(end-1).Do(t, functiontest.Presenting(refresh)))
		for _, over := range []game.Instant{end, end + 1, end.Add(time.Second), end.Add(365 * 24 * time.Hour)} {
			b.AtTime(over).Do(t, functiontest.Presenting(refresh)).Want(t, 401, dead)
		}
	}
}

func TestBannedAndDeletedUsers(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint)
	ann, refresh := b.Session(t, functiontest.Keys())
	unknown, _ := functiontest.RefreshBy(t, functiontest.Keys(), ann.ID, b.Now)
	refuses := func(a functiontest.Answer) {
		t.Helper()
		a.Want(t, 401, unauthorized)
		challenge, ok := a.Header["WWW-Authenticate"]
		assert.False(t, ok, challenge)
		b.Do(t, functiontest.Presenting(unknown)).Want(t, 401, dead) // the record is checked before the user
		b.Do(t, functiontest.Presenting("rubbish")).Want(t, 401, bad)
	}
	b.Ban(t, ann.ID)
	b.Unchanged(t, func() { refuses(b.Golden(t, "banned", functiontest.Presenting(refresh))) })
	b.Unban(t, ann.ID)
	b.Do(t, functiontest.Presenting(refresh)).Want(t, 401, dead)
	b.DeleteUser(t, ann.ID)
	b.Unchanged(t, func() { refuses(b.Do(t, functiontest.Presenting(refresh))) })
	b.At("USER#"+string(ann.ID), "PROFILE").Delete(t) // this does not happen in production
	refuses(b.Do(t, functiontest.Presenting(refresh)))
}

// A revocation ends sessions that began at its instant or before. Packages game and store test the instant.
func TestRevokedSessions(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint)
	ann, before := b.Session(t, functiontest.Keys())
	require.NoError(t, b.Operator().RevokeSessions(t.Context(), ann.ID))
	later := b.AtTime(b.Now + 1)
	after, record := functiontest.RefreshBy(t, functiontest.Keys(), ann.ID, later.Now)
	_, err := b.Rival.RecordLogin(t.Context(), b.AccountOf(t, ann.ID), record, game.Rehash{}, later.Now)
	require.NoError(t, err)
	later.Unchanged(t, func() {
		later.Golden(t, "revoked", functiontest.Presenting(before)).Want(t, 401, dead)
		caller(t, later, later.Do(t, functiontest.Presenting(after)))
	})
	b.Ban(t, ann.ID)
	later.Do(t, functiontest.Presenting(before)).Want(t, 401, unauthorized) // the ban comes before the revocation
}

// The log line has the token's user if the token is valid. RefreshRefusals counts the requests after which the player
// must log in again. A request without a token does not count, nor does a fault.
func TestTheLogTellsOfRefusals(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint)
	ann, refresh := b.Session(t, functiontest.Keys())
	unknown, _ := functiontest.RefreshBy(t, functiontest.Keys(), ann.ID, b.Now)
	for name, c := range map[string]struct {
		request       functiontest.Request
		user, refused any
	}{
		"live":      {functiontest.Presenting(refresh), ann.ID, nil},
		"no token":  {functiontest.Request{Body: "{}"}, nil, nil},
		"no record": {functiontest.Presenting(unknown), ann.ID, 1},
		"no text":   {functiontest.Request{Body: `{"refreshToken":1}`}, nil, 1},
		"forged":    {functiontest.Presenting(b.Access(t, ann.User)), nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			b.Do(t, c.request).WantLogged(t, map[string]any{"user": c.user, "RefreshRefusals": c.refused})
		})
	}
	b.Wire.Cut()
	defer b.Wire.Reconnect()
	b.Within(time.Second).Do(t, functiontest.Presenting(refresh)).
		WantLogged(t, map[string]any{"user": ann.ID, "RefreshRefusals": nil, "Refusals": nil, "Faults": 1})
}

func TestClaimsComeFromStorage(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint)
	ann, refresh := b.Session(t, functiontest.Keys())
	b.At("USER#"+string(ann.ID), "PROFILE").Edit(t, "SET un = :name, em = :email", map[string]any{":name": "Annie", ":email": "annie@example.com"})
	want := token.Caller{ID: ann.ID, Username: "Annie", Email: "annie@example.com", Status: "active"}
	storetest.Equal(t, "caller", caller(t, b, b.Do(t, functiontest.Presenting(refresh))), want)
}

func TestFaults(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint)
	_, refresh := b.Session(t, functiontest.Keys())
	functiontest.Faults(t, b, functiontest.Presenting(refresh), 401, bad, endpoint(nil, functiontest.Keys()), endpoint(b.Store, nil))
}
