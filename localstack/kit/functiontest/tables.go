package functiontest

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/httpapi"
	"github.com/ranch-game/ranch/shared/token"
)

// Protected tests the protection of an endpoint. Without a valid access token, the endpoint must refuse each request
// before it reads anything. It must accept a valid token until the last millisecond of its lifetime. The probe is a
// request that changes nothing, and that gets the given status with a valid token. The other requests may be valid or
// have further flaws. Packages httpapi and token test which credentials are valid.
func Protected(t *testing.T, b *Bench, user game.User, probe Request, status int, requests ...Request) {
	t.Helper()
	refresh, _ := RefreshBy(t, Keys(), user.ID, b.Now)
	b.Wire.Reset()
	for name, credentials := range map[string]string{
		"nothing": "", "rubbish": "rubbish", "a refresh token": refresh, "one by retired keys": AccessBy(t, RetiredKeys(), user, b.Now),
	} {
		for _, r := range append(requests, probe) {
			r.Token = credentials
			b.Do(t, r).WantUnauthorized(t, credentials != "")
			require.False(t, t.Failed(), "with %s, request %+v", name, r)
		}
	}
	asked := b.Wire.Cost().Requests
	assert.Equal(t, 0, asked, "%d requests to the table", asked)
	for _, keys := range []*token.Keys{Keys(), ring("k1", older)} {
		probe.Token = AccessBy(t, keys, user, b.Now)
		b.Do(t, probe).WantStatus(t, status)
	}
	end := b.Now.Add(token.AccessLifetime)
	b.AtTime(end-1).Do(t, probe).WantStatus(t, status)
	b.AtTime(end).Do(t, probe).WantUnauthorized(t, true)
}

// PasswordFaults is Faults for a case whose request has Ann's password. It also tests the endpoint with a damaged hash of
// that password, and writes the golden file failed.
func PasswordFaults(t *testing.T, c *Case, broken httpapi.Endpoint) {
	const unexpected = `{"error":"INTERNAL_ERROR"}`
	Faults(t, c.Bench, c.Request, 500, unexpected, broken)
	c.Address(c.Ann.Email).Edit(t, "SET hp = :damaged", map[string]any{":damaged": "$argon2id$v=19$m=1,t=1,p=1$$"})
	c.Unchanged(t, func() { c.Golden(t, "failed", c.Request).Want(t, 500, unexpected) })
}

// Faults tests an endpoint's response and log line if the service fails: once with a table that does not answer, and
// once with each endpoint in broken, whose dependencies panic. good is a valid request. It must get status and body in
// each of these cases, and must not change the table.
func Faults(t *testing.T, b *Bench, good Request, status int, body string, broken ...httpapi.Endpoint) {
	check := func(t *testing.T, b *Bench) {
		t.Helper()
		a := b.Do(t, good)
		a.Want(t, status, body)
		assert.True(t, strings.Contains(a.Log, `"level":"ERROR"`) && strings.Contains(a.Log, `"error":"`),
			"the log does not have the cause: %s", a.Log)
	}
	t.Run("storage is away", func(t *testing.T) {
		b.Unchanged(t, func() {
			b.Wire.Cut()
			defer b.Wire.Reconnect()
			check(t, b.Within(time.Second))
		})
	})
	for _, e := range broken {
		t.Run("a dependency panics", func(t *testing.T) {
			panicking := *b
			panicking.Endpoint = e
			b.Unchanged(t, func() { check(t, &panicking) })
		})
	}
}
