package functiontest

import (
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/httpapi"
	"github.com/ranch-game/ranch/shared/token"
	"github.com/ranch-game/ranch/shared/token/tokentest"
)

// Protected checks that nobody gets to the endpoint without an access token, before anything else is looked at, and
// that everybody does with one. The requests are good ones and such as have other things wrong with them; the probe is
// one that changes nothing, and its status is known.
func Protected(t *testing.T, b *Bench, user game.User, probe Request, status int, requests ...Request) {
	t.Run("no access without a token", func(t *testing.T) {
		b.Wire.Reset()
		b.Unchanged(t, func() {
			for name, header := range badCredentials(t, b, user) {
				for _, r := range append(requests, probe) {
					r.Token = ""
					r.Header = maps.Clone(r.Header)
					if r.Header == nil {
						r.Header = map[string]string{}
					}
					maps.Copy(r.Header, header)
					a := b.Do(t, r)
					a.WantUnauthorized(t, strings.HasPrefix(strings.ToLower(header["authorization"]), "bearer "))
					if t.Failed() {
						t.Fatalf("with %s, request %+v", name, r)
					}
				}
			}
		})
		if asked := b.Wire.Cost().Requests; asked != 0 {
			t.Errorf("storage was asked %d times", asked)
		}
	})
	t.Run("access with a token", func(t *testing.T) {
		good := b.Access(t, user)
		old := AccessBy(t, OlderKeys(), user, b.Now)
		for name, header := range map[string]map[string]string{
			"the common form":     {"authorization": "Bearer " + good},
			"scheme in any case":  {"authorization": "bEaReR " + good},
			"header in any case":  {"Authorization": "Bearer " + good},
			"an older live key":   {"authorization": "Bearer " + old},
			"one made by hand":    {"authorization": "Bearer " + tokentest.Access(current, user.ID, b.Now).String()},
			"spaces around it":    {"authorization": " Bearer  " + good + " "},
			"cookies are nothing": {"authorization": "Bearer " + good, "cookie": "token=rubbish"},
		} {
			r := probe
			r.Token, r.Header = "", header
			a := b.Do(t, r)
			if a.WantStatus(t, status); t.Failed() {
				t.Fatalf("with %s", name)
			}
		}
	})
	t.Run("a token's last instant", func(t *testing.T) { checkExpiry(t, b, user, probe, status) })
}

// checkExpiry looks at both sides of an access token's last instant: 15 minutes after the whole second of its issue.
// The bench's time is such a second.
func checkExpiry(t *testing.T, b *Bench, user game.User, probe Request, status int) {
	for _, late := range []time.Duration{0, time.Millisecond, 999 * time.Millisecond} {
		end := b.Now.Add(token.AccessLifetime)
		r := probe
		r.Token = AccessBy(t, Keys(), user, b.Now.Add(late))
		b.AtTime(end-1).Do(t, r).WantStatus(t, status)
		b.AtTime(end).Do(t, r).WantUnauthorized(t, true)
		b.AtTime(end+1).Do(t, r).WantUnauthorized(t, true)
	}
}

// badCredentials are headers that authenticate nobody.
func badCredentials(t *testing.T, b *Bench, user game.User) map[string]map[string]string {
	t.Helper()
	good := b.Access(t, user)
	refresh, _ := RefreshBy(t, Keys(), user.ID, b.Now)
	headers := map[string]map[string]string{
		"no header":           {},
		"an empty header":     {"authorization": ""},
		"another scheme":      {"authorization": "Basic " + good},
		"no scheme":           {"authorization": good},
		"the scheme alone":    {"authorization": "Bearer"},
		"another header":      {"x-authorization": "Bearer " + good},
		"a cookie":            {"cookie": "token=" + good},
		"two headers":         {"authorization": "Bearer " + good + ",Bearer " + good},
		"a refresh token":     {"authorization": "Bearer " + refresh},
		"one by retired keys": {"authorization": "Bearer " + AccessBy(t, RetiredKeys(), user, b.Now)},
	}
	invalid, expired := b.Forgeries(t, good)
	for _, forgeries := range []map[string]string{invalid, expired} {
		for name, forged := range forgeries {
			headers[name] = map[string]string{"authorization": "Bearer " + forged}
		}
	}
	return headers
}

// NoObject are bodies of every kind that is none for an endpoint: package httpapi knows what else is no JSON object.
func NoObject() map[string]Request {
	return map[string]Request{
		"nothing":            {},
		"null":               {Body: "null"},
		"a list":             {Body: "[{}]"},
		"half an object":     {Body: `{"email":"a@example.com"`},
		"broken base64":      {Body: "{}", Broken: true},
		"one byte too large": {Body: "{}" + strings.Repeat(" ", 65_535)},
	}
}

// Faults checks an endpoint's own answer to what is nobody's fault but the service's, and that it is logged: a table
// that does not answer, and broken endpoints, whose dependencies panic. Nothing is changed by any of them.
func Faults(t *testing.T, b *Bench, good Request, status int, body string, broken ...httpapi.Endpoint) {
	check := func(t *testing.T, b *Bench) {
		t.Helper()
		a := b.Do(t, good)
		a.Want(t, status, body)
		if !strings.Contains(a.Log, `"level":"ERROR"`) || !strings.Contains(a.Log, `"error":"`) {
			t.Errorf("the log does not have the cause: %s", a.Log)
		}
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
			b.Unchanged(t, func() { check(t, b.With(e)) })
		})
	}
}
