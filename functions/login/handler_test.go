package main

import (
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/functiontest"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/password"
	"github.com/ranch-game/ranch/shared/token"
)

func TestMain(m *testing.M) { functiontest.Main(m) }

const (
	invalid     = `{"error":"VALIDATION_ERROR","message":"Invalid input"}`
	credentials = `{"error":"INVALID_CREDENTIALS","message":"Invalid email or password"}`
	banned      = `{"error":"BANNED","message":"This account has been banned."}`
	oauth       = `{"error":"OAUTH_ACCOUNT","message":"Please use OAuth to login"}`
	failed      = `{"error":"INTERNAL_ERROR","message":"Login failed"}`
)

const (
	annsEmail  = "ann@example.com"
	annsSecret = "correct horse"
)

var annsHash = sync.OnceValue(func() string { return password.Hash(annsSecret) })

// register registers Ann with her password a day ago.
func register(t *testing.T, b *functiontest.Bench) storetest.Player {
	t.Helper()
	ann := b.AtTime(b.Now.Add(-24 * time.Hour)).NewPlayer(storetest.Ann)
	ann.PasswordHash = annsHash()
	b.Register(t, ann)
	return ann
}

func form(email, secret string) functiontest.Request {
	return functiontest.Request{Body: functiontest.JSON(map[string]string{"email": email, "password": secret})}
}

func TestLogin(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint)
	ann := register(t, b)
	a := b.Golden(t, "logged-in", form(annsEmail, annsSecret))
	a.WantStatus(t, 200)
	body := a.Object(t)
	access, refresh := functiontest.In[string](t, body, "token"), functiontest.In[string](t, body, "refreshToken")
	storetest.Equal(t, "caller", b.Caller(t, access), token.Caller{ID: ann.ID, Username: "Ann", Email: annsEmail, Status: "active"})
	record, _, err := b.Rival.RefreshRecord(t.Context(), token.Digest(refresh), ann.ID)
	assert.True(t, err == nil && record != nil && record.UserID == ann.ID && record.ExpiresAt == b.Now.Add(30*24*time.Hour),
		"%v, %v", record, err)
	ann.LastLoginAt = &b.Now
	storetest.Equal(t, "account", b.AccountOf(t, ann.ID), ann.Account)
	b.Invariants(t)
}

// The log line of a log-in, even of a refused one, has the account's id, unless the address is unknown.
func TestTheLogHasTheAccount(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint)
	ann := register(t, b)
	b.Do(t, form(annsEmail, annsSecret)).WantLogged(t, map[string]any{"user": ann.ID, "code": nil})
	b.Do(t, form(annsEmail, "wrong horse")).WantLogged(t, map[string]any{"user": ann.ID, "code": "INVALID_CREDENTIALS"})
	b.Do(t, form("nobody@example.com", annsSecret)).WantLogged(t, map[string]any{"user": nil, "code": "INVALID_CREDENTIALS"})
	b.Ban(t, ann.ID)
	b.Do(t, form(annsEmail, annsSecret)).WantLogged(t, map[string]any{"user": ann.ID, "code": "BANNED"})
}

// weak is a hash of Ann's password with a lower cost than new hashes have.
const weak = "$argon2id$v=19$m=8,t=1,p=1$MDEyMzQ1Njc4OWFiY2RlZg$M7jw0GQI4Kfcxf+xPldfNRYttP89scc9XVAYAcaZ0U0"

func TestAnOldHashIsMadeAnew(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint)
	ann := b.NewPlayer(storetest.Ann)
	ann.PasswordHash = weak
	b.Register(t, ann)
	b.Unchanged(t, func() { b.Do(t, form(annsEmail, "wrong horse")).Want(t, 401, credentials) })
	changed := b.Changed(t, func() { b.Do(t, form(annsEmail, annsSecret)).WantStatus(t, 200) })
	if len(changed) != 3 { // the session, the account and the address
		t.Errorf("changed rows %v", changed)
	}
	renewed := b.HashOf(t, annsEmail)
	match, err := password.Verify(renewed, annsSecret)
	assert.True(t, renewed != ann.PasswordHash && !password.Outdated(renewed) && match && err == nil,
		"the hash is %s: %t, %v", renewed, match, err)
	b.Do(t, form(annsEmail, annsSecret)).WantStatus(t, 200)
	assert.Equal(t, renewed, b.HashOf(t, annsEmail), "a hash of today is made anew")
	b.Invariants(t)
}

func TestAUserWithoutRanch(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint)
	b.AtTime(b.Now.Add(-24*time.Hour)).AddExternal(t, storetest.Bob, annsHash())
	b.Golden(t, "no-ranch", form("bob@example.com", annsSecret)).WantStatus(t, 200)
}

func TestAddressesInAnyCase(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint)
	register(t, b)
	for _, email := range []string{"ANN@EXAMPLE.COM", "Ann@Example.com"} {
		a := b.Do(t, form(email, annsSecret))
		a.WantStatus(t, 200)
		got := functiontest.In[string](t, a.Object(t), "user", "email")
		assert.Equal(t, annsEmail, got)
	}
}

func TestBodiesThatAreInvalid(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint)
	register(t, b)
	b.Unchanged(t, func() {
		for _, body := range []string{
			"", "null", `{"password":"correct horse"}`, `{"email":"ann@example.com"}`, `{"email":1,"password":"correct horse"}`,
			`{"email":"ann@example.com","password":12345678}`, `{"Email":"ann@example.com","Password":"correct horse"}`,
			`{"email":"ann@example.com ","password":"correct horse"}`,
		} {
			b.Do(t, functiontest.Request{Body: body}).Want(t, 400, invalid)
		}
		b.Golden(t, "invalid", form("ann", annsSecret)).Want(t, 400, invalid)
	})
}

// If a request breaks several rules, it gets the refusal of the first in the order of docs/rules.md, S4.2.2 to S4.2.5.
func TestRefusals(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint)
	ann, bob := register(t, b), b.AddExternal(t, storetest.Bob, "")
	b.Unchanged(t, func() {
		b.Golden(t, "unknown", form("nobody@example.com", "whatever")).Want(t, 401, credentials)
		b.Do(t, form("nobody@example.com", "")).Want(t, 401, credentials)
		b.Golden(t, "no-password", form(bob.Email, "whatever")).Want(t, 401, oauth)
		b.Do(t, form(bob.Email, "")).Want(t, 401, oauth)
		b.Golden(t, "wrong-password", form(annsEmail, "wrong horse")).Want(t, 401, credentials)
		for _, wrong := range []string{"", "x", "correct horse ", strings.Repeat("x", 60_000)} {
			b.Do(t, form(annsEmail, wrong)).Want(t, 401, credentials)
		}
	})
	for _, id := range []game.ID{ann.ID, bob.ID} {
		b.Ban(t, id)
	}
	b.Unchanged(t, func() {
		b.Golden(t, "banned", form(annsEmail, annsSecret)).Want(t, 403, banned)
		b.Do(t, form(annsEmail, "wrong horse")).Want(t, 403, banned)
		b.Do(t, form(bob.Email, "")).Want(t, 403, banned)
		b.Do(t, functiontest.Request{Body: `{"email":"ann@example.com"}`}).Want(t, 400, invalid)
	})
	b.Unban(t, ann.ID)
	b.Do(t, form(annsEmail, annsSecret)).WantStatus(t, 200)
	b.DeleteUser(t, ann.ID)
	b.Do(t, form(annsEmail, annsSecret)).Want(t, 401, credentials)
}

// If the write fails because of a ban, the log-in reads the account again: its role must allow this read.
func TestABanBehindTheCheck(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint)
	ann := register(t, b)
	b.Meanwhile(func() { b.Ban(t, ann.ID) })
	b.Do(t, form(annsEmail, annsSecret)).Want(t, 403, banned)
}

// If two log-ins overlap, the first to begin may be the last to write, and then does not change the last-login time.
func TestALogInThatIsOvertaken(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint)
	register(t, b)
	b.AtTime(b.Now+1).Do(t, form(annsEmail, annsSecret)).WantStatus(t, 200)
	b.Do(t, form(annsEmail, annsSecret)).WantStatus(t, 200)
	b.Invariants(t)
}

func TestFaults(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint)
	register(t, b)
	good := form(annsEmail, annsSecret)
	functiontest.Faults(t, b, good, 500, failed, endpoint(nil, functiontest.Keys()), endpoint(b.Store, nil))
	b.Address(annsEmail).Edit(t, "SET hp = :damaged", map[string]any{":damaged": "$argon2id$v=19$m=1,t=1,p=1$$"})
	b.Unchanged(t, func() { b.Golden(t, "failed", good).Want(t, 500, failed) })
}

// A log-in with an unknown address also computes a hash. The test looks at the 19 MiB that a hash allocates, because
// durations are unreliable. The test is not parallel, so that no other test allocates.
func TestAnUnknownAddressCostsAVerification(t *testing.T) {
	b := functiontest.New(t, endpoint)
	register(t, b)
	const hash = 19 << 20
	allocates := func(r functiontest.Request) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		b.Do(t, r)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	for name, test := range map[string]struct {
		r    functiontest.Request
		work bool
	}{
		"wrong password": {form(annsEmail, "wrong horse"), true},
		"unknown":        {form("nobody@example.com", "wrong horse"), true},
		"invalid":        {form("nobody", "wrong horse"), false},
	} {
		got := allocates(test.r)
		assert.True(t, (got >= hash) == test.work && got <= hash*3/2, "%s: %d bytes", name, got)
	}
}
