package blackbox

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/ranch-game/ranch/shared/token/tokentest"
)

func TestRegister(t *testing.T) {
	t.Parallel()
	p := candidate()
	name := "MiXed." + unique() + "+tag@Example.COM"
	p.email, p.ranch, p.password = name, "  Ranch ☃ \"of\" <b>\\ ", "  pass word  "
	answer := register(t, p.form())
	if !answer.is(t, 201, object{
		"token": anyToken, "refreshToken": anyToken,
		"user": object{
			"id": anyID, "email": strings.ToLower(name), "username": p.username, "status": "active", "goldBalance": 500, "premiumBalance": 0,
			"prestigePoints": 0, "marketRestrictedUntil": anyTime, "createdAt": anyTime,
		},
	}) {
		return
	}
	body := answer.object(t, 201)
	user := body["user"].(object)
	isNow(t, "createdAt", user["createdAt"])
	if ahead := instant(t, user["marketRestrictedUntil"]).Sub(instant(t, user["createdAt"])); ahead != 7*24*time.Hour {
		t.Errorf("the market is restricted for %v", ahead)
	}

	t.Run("tokens", func(t *testing.T) {
		for kind, want := range map[string]time.Duration{"token": 15 * time.Minute, "refreshToken": 30 * 24 * time.Hour} {
			claims := tokentest.Parse(t, body[kind].(string)).Claims
			form := object{"sub": user["id"], "iss": anyText, "aud": claims["aud"], "iat": anyInteger, "exp": anyInteger, "jti": anyText}
			if kind == "token" {
				maps.Copy(form, object{"username": p.username, "email": user["email"], "status": "active"})
			}
			matches(t, kind, form, claims)
			if got := lifetime(t, claims); got != want {
				t.Errorf("%s lives for %v", kind, got)
			}
			if issued, err := claims["iat"].(json.Number).Int64(); err != nil || time.Since(time.Unix(issued, 0)).Abs() > time.Minute {
				t.Errorf("%s was issued at %v", kind, claims["iat"])
			}
		}
	})
	t.Run("starter ledger", func(t *testing.T) {
		rows := setList(t, "ledger", "list", user["id"].(string))
		want := object{
			"id": anyID, "user_id": user["id"], "seq": 1, "amount": 500, "currency": "gold", "category": "starter", "balance_after": 500,
			"description": anyText, "created_at": user["createdAt"],
		}
		if len(rows) != 1 {
			t.Fatalf("%d rows", len(rows))
		}
		matches(t, "row", want, rows[0])
	})
	t.Run("ranch", func(t *testing.T) {
		want := object{"id": anyID, "name": p.ranch, "plotCount": 4, "prestigeLevel": 0}
		matches(t, "ranch", want, p.account(t)["ranch"])
	})
	t.Run("nothing is trimmed", func(t *testing.T) {
		login(t, object{"email": name, "password": strings.TrimSpace(p.password)}).
			refuses(t, 401, "INVALID_CREDENTIALS", "Invalid email or password")
	})
}

// The details name the fields that are wrong, and no others. Where the limits are, package game knows; what else makes
// a body or a field invalid, the function's own tests.
func TestRegister_details(t *testing.T) {
	t.Parallel()
	for _, body := range []any{nil, "{", list{}, object{}, object{"email": nil, "username": 7, "password": "short", "ranchName": "ab"}} {
		hostile.Add(1)
		register(t, body).refusesForm(t, formFields...)
	}
	for field, value := range map[string]string{"email": "a@b", "username": "ab", "password": "1234567", "ranchName": strings.Repeat("x", 101)} {
		register(t, candidate().with(object{field: value})).refusesForm(t, field)
	}
}

func TestRegister_conflicts(t *testing.T) {
	t.Parallel()
	taken, external := newPlayer(t), newExternal(t)
	for name, changes := range map[string]object{
		"e-mail's case":     {"email": strings.ToUpper(taken.email)},
		"username":          {"username": taken.username},
		"two users' names":  {"email": taken.email, "username": external.username},
		"external username": {"username": external.username},
	} {
		t.Run(name, func(t *testing.T) {
			loser := candidate()
			register(t, loser.with(changes)).refuses(t, 409, "CONFLICT", "Email or username already taken")
			// The other name is free: the loser has left nothing behind.
			if len(changes) == 1 {
				register(t, loser.form()).object(t, 201)
			}
		})
	}
	register(t, taken.with(object{"password": "short"})).refusesForm(t, "password") // a 400 comes before a 409
	register(t, candidate().with(object{"username": strings.ToUpper(taken.username), "ranchName": taken.ranch})).object(t, 201)
	taken.has(t, 500)
}
