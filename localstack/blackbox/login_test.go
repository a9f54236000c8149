package blackbox

import (
	"maps"
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

func TestLogin_invalidBody(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	good := object{"email": p.email, "password": p.password}
	bodies := withNoObject(map[string]any{
		"no e-mail": object{"password": p.password}, "no password": object{"email": p.email}, "nothing": object{}, "keys' case": object{"Email": p.email, "PASSWORD": p.password},
		"e-mail with spaces": object{"email": " " + p.email, "password": p.password}, "e-mail too long": object{"email": strings.Repeat("x", 255) + "@e.com", "password": "x"},
	})
	for field := range good {
		for name, wrong := range map[string]any{"null": nil, "number": 1, "boolean": false, "list": list{p.email}, "object": object{"$ne": ""}} {
			body := maps.Clone(good)
			body[field] = wrong
			bodies[field+" "+name] = body
		}
	}
	for _, email := range []string{"", "x", "a@b", "@", p.username, "A <" + p.email + ">", p.email + "\u0000", "*", "%"} {
		bodies["e-mail "+email] = object{"email": email, "password": p.password}
	}
	for name, body := range bodies {
		t.Run(name, func(t *testing.T) {
			hostile.Add(1)
			login(t, body).refuses(t, 400, "VALIDATION_ERROR", "Invalid input")
		})
	}
}

// The order: body, unknown, banned, no password, wrong password.
func TestLogin_refusals(t *testing.T) {
	t.Parallel()
	good, banned, external, bannedExternal := newPlayer(t), newPlayer(t), newExternal(t), newExternal(t)
	banned.ban(t)
	bannedExternal.ban(t)
	for name, c := range map[string]struct {
		email, password string
		status          int
		code, message   string
	}{
		"unknown":                    {candidate().email, good.password, 401, "INVALID_CREDENTIALS", "Invalid email or password"},
		"wrong password":             {good.email, good.password + "x", 401, "INVALID_CREDENTIALS", "Invalid email or password"},
		"empty password":             {good.email, "", 401, "INVALID_CREDENTIALS", "Invalid email or password"},
		"short password":             {good.email, "x", 401, "INVALID_CREDENTIALS", "Invalid email or password"},
		"long password":              {good.email, strings.Repeat("x", 60_000), 401, "INVALID_CREDENTIALS", "Invalid email or password"},
		"password's case":            {good.email, strings.ToUpper(good.password), 401, "INVALID_CREDENTIALS", "Invalid email or password"},
		"another's password":         {good.email, banned.password, 401, "INVALID_CREDENTIALS", "Invalid email or password"},
		"unknown and empty":          {candidate().email, "", 401, "INVALID_CREDENTIALS", "Invalid email or password"},
		"banned":                     {banned.email, banned.password, 403, "BANNED", "This account has been banned."},
		"banned, wrong password":     {banned.email, "wrong", 403, "BANNED", "This account has been banned."},
		"banned, empty password":     {banned.email, "", 403, "BANNED", "This account has been banned."},
		"no password":                {external.email, "any password", 401, "OAUTH_ACCOUNT", "Please use OAuth to login"},
		"no password, none given":    {external.email, "", 401, "OAUTH_ACCOUNT", "Please use OAuth to login"},
		"banned and no password":     {bannedExternal.email, "any password", 403, "BANNED", "This account has been banned."},
		"banned, in upper case":      {strings.ToUpper(banned.email), "x", 403, "BANNED", "This account has been banned."},
		"no password, in upper case": {strings.ToUpper(external.email), "x", 401, "OAUTH_ACCOUNT", "Please use OAuth to login"},
	} {
		t.Run(name, func(t *testing.T) {
			login(t, object{"email": c.email, "password": c.password}).refuses(t, c.status, c.code, c.message)
		})
	}
	t.Run("the body comes before the ban", func(t *testing.T) {
		login(t, object{"email": banned.email}).refuses(t, 400, "VALIDATION_ERROR", "Invalid input")
	})
	t.Run("refusals leave no login behind", func(t *testing.T) {
		for _, p := range []*player{good, banned, external} {
			if user := set(t, "user", "get", p.id); user["lastLoginAt"] != nil {
				t.Errorf("%v", user)
			}
		}
	})
	t.Run("after the ban", func(t *testing.T) {
		banned.unban(t)
		if user := banned.account(t); user["status"] != "active" {
			t.Errorf("%v", user)
		}
	})
}

// TestLogin_time compares the best of several attempts, since other tests use the processor too. Without a hash of no
// consequence, an unknown address would take a tenth of the time.
func TestLogin_time(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	best := map[string]time.Duration{p.email: time.Hour, candidate().email: time.Hour}
	for range 8 {
		for email := range best {
			start := time.Now()
			login(t, object{"email": email, "password": "wrong password"}).refuses(t, 401, "INVALID_CREDENTIALS", "Invalid email or password")
			best[email] = min(best[email], time.Since(start))
		}
	}
	for email, took := range best {
		if email != p.email && (took < best[p.email]/3 || took > best[p.email]*3) {
			t.Errorf("an unknown address takes %v, a wrong password %v", took, best[p.email])
		}
	}
}
