package blackbox

import (
	"strings"
	"testing"
	"time"

	"github.com/ranch-game/ranch/shared/token/tokentest"
)

func TestLogin(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	var last time.Time
	tokens := map[any]bool{p.token: true, p.refresh: true}
	for _, email := range []string{p.email, strings.ToUpper(p.email)} {
		answer := login(t, object{"email": email, "password": p.password, "unknown": true})
		if !answer.is(t, 200, object{
			"token": anyToken, "refreshToken": anyToken,
			"user": object{
				"id": p.id, "email": p.email, "username": p.username, "status": "active", "goldBalance": 500, "premiumBalance": 0, "prestigePoints": 0,
				"marketRestrictedUntil": anyTime, "createdAt": anyTime, "lastLoginAt": anyTime,
				"ranch": object{"id": anyID, "name": p.ranch, "plotCount": 4, "prestigeLevel": 0},
			},
		}) {
			return
		}
		body := answer.object(t, 200)
		user := body["user"].(object)
		isNow(t, "lastLoginAt", user["lastLoginAt"])
		if now := instant(t, user["lastLoginAt"]); now.Before(last) || now.Before(instant(t, user["createdAt"])) {
			t.Errorf("lastLoginAt is %v after %v", now, last)
		} else {
			last = now
		}
		if stored := set(t, "user", "get", p.id); stored["lastLoginAt"] != user["lastLoginAt"] || stored["createdAt"] != user["createdAt"] {
			t.Errorf("answered %v, stored %v", user, stored)
		}
		tokens[body["token"]], tokens[body["refreshToken"]] = true, true
		herd(t, body["token"].(string))
	}
	if len(tokens) != 6 {
		t.Errorf("of six tokens only %d differ", len(tokens))
	}
	// Every session is good until it is logged out.
	for token := range tokens {
		if tokentest.Parse(t, token.(string)).Header["typ"] != "at+jwt" {
			refresh(t, token).is(t, 200, object{"token": anyToken})
		}
	}
	p.has(t, 500)
}

// The order: body, unknown, banned, no password, wrong password.
func TestLogin_refusals(t *testing.T) {
	t.Parallel()
	good, banned, external := newPlayer(t), newPlayer(t), newExternal(t)
	banned.ban(t)
	for name, c := range map[string]struct {
		body          object
		status        int
		code, message string
	}{
		"no password":            {object{"email": banned.email}, 400, "VALIDATION_ERROR", "Invalid input"},
		"no address":             {object{"email": "x", "password": good.password}, 400, "VALIDATION_ERROR", "Invalid input"},
		"unknown":                {object{"email": candidate().email, "password": good.password}, 401, "INVALID_CREDENTIALS", "Invalid email or password"},
		"banned, wrong password": {object{"email": strings.ToUpper(banned.email), "password": "wrong"}, 403, "BANNED", "This account has been banned."},
		"banned":                 {object{"email": banned.email, "password": banned.password}, 403, "BANNED", "This account has been banned."},
		"an external user":       {object{"email": external.email, "password": "any password"}, 401, "OAUTH_ACCOUNT", "Please use OAuth to login"},
		"wrong password":         {object{"email": good.email, "password": good.password + "x"}, 401, "INVALID_CREDENTIALS", "Invalid email or password"},
		"empty password":         {object{"email": good.email, "password": ""}, 401, "INVALID_CREDENTIALS", "Invalid email or password"},
	} {
		t.Run(name, func(t *testing.T) { login(t, c.body).refuses(t, c.status, c.code, c.message) })
	}
	for _, p := range []*player{good, banned, external} {
		if user := set(t, "user", "get", p.id); user["lastLoginAt"] != nil {
			t.Errorf("a refusal has left a login behind: %v", user)
		}
	}
	banned.unban(t)
	banned.login(t).object(t, 200)
}
