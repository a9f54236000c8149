package blackbox

import (
	"strings"
	"testing"
	"time"

	"github.com/ranch-game/ranch/shared/token/tokentest"
)

func TestRefresh(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	seen := map[any]bool{tokentest.Parse(t, p.token).Claims["jti"]: true}
	for range 3 { // the refresh token stays good
		answer := refresh(t, p.refresh)
		if !answer.is(t, 200, object{"token": anyToken}) {
			return
		}
		token := answer.object(t, 200)["token"].(string)
		parsed := tokentest.Parse(t, token)
		header, claims := parsed.Header, parsed.Claims
		if header["typ"] != "at+jwt" || claims["sub"] != p.id || claims["username"] != p.username || claims["email"] != p.email || claims["status"] != "active" {
			t.Errorf("%v %v", header, claims)
		}
		seen[claims["jti"]] = true
		if animals := herd(t, token); len(animals) != 3 {
			t.Errorf("%d animals", len(animals))
		}
	}
	if len(seen) != 4 {
		t.Errorf("of four tokens only %d differ", len(seen))
	}
	post(t, "", "/auth/refresh", object{"refreshToken": p.refresh, "token": "x", "more": list{}}).is(t, 200, object{"token": anyToken})
}

func TestRefresh_missing(t *testing.T) {
	t.Parallel()
	p := reader(t)
	bodies := withNoObject(map[string]any{
		"absent": object{}, "null token": object{"refreshToken": nil}, "empty token": object{"refreshToken": ""}, "keys' case": object{"RefreshToken": p.refresh, "refreshtoken": p.refresh},
		"other member": object{"token": p.refresh}, "the token alone": `"` + p.refresh + `"`, "trailing": `{"refreshToken":"` + p.refresh + `"}x`,
	})
	for name, body := range bodies {
		t.Run(name, func(t *testing.T) {
			hostile.Add(1)
			post(t, "", "/auth/refresh", body).refuses(t, 400, "MISSING_TOKEN", "Refresh token required")
		})
	}
}

func TestRefresh_badTokens(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	bad, expired := forgeries(t, p.refresh)
	bad["access token"] = p.token
	bad["with a space"] = p.refresh + " "
	bad["with a line break"] = strings.Replace(p.refresh, ".", ".\n", 1)
	bad["a space"] = " "
	bad["NUL"] = "\u0000"
	bad["emoji"] = "😀"
	bad["of 60,000 bytes"] = strings.Repeat("x", 60_000)
	bad["a record's key"] = "TOKEN#" + strings.Repeat("0", 64)
	for name, token := range bad {
		t.Run(name, func(t *testing.T) {
			hostile.Add(1)
			refresh(t, token).refuses(t, 401, "INVALID_TOKEN", "Invalid refresh token")
		})
	}
	for name, token := range expired {
		t.Run(name, func(t *testing.T) {
			hostile.Add(1)
			refresh(t, token).refuses(t, 401, "INVALID_TOKEN", "Refresh token invalid or expired")
		})
	}
	for name, value := range map[string]any{"number": 7, "zero": 0, "true": true, "false": false, "list": list{p.refresh}, "empty list": list{}, "object": object{"a": 1}} {
		t.Run("no text: "+name, func(t *testing.T) {
			hostile.Add(1)
			refresh(t, value).refuses(t, 401, "INVALID_TOKEN", "Invalid refresh token")
		})
	}
	t.Run("a lone surrogate", func(t *testing.T) {
		hostile.Add(1)
		post(t, "", "/auth/refresh", `{"refreshToken":"\ud800"}`).refuses(t, 401, "INVALID_TOKEN", "Invalid refresh token")
	})
	refresh(t, p.refresh).is(t, 200, object{"token": anyToken})
}

func TestLogout(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	other := p.login(t).object(t, 200)["refreshToken"].(string)
	for range 2 { // once is as good as twice
		logout(t, object{"refreshToken": p.refresh})
		refresh(t, p.refresh).refuses(t, 401, "INVALID_TOKEN", "Refresh token invalid or expired")
	}
	refresh(t, other).is(t, 200, object{"token": anyToken})
	herd(t, p.token) // access tokens live until they expire
	p.login(t).object(t, 200)
}

// Whatever is sent, the answer is the same, and nobody is logged out by what is not the token.
func TestLogout_always(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	bodies := withNoObject(map[string]any{
		"nothing": object{}, "null": object{"refreshToken": nil}, "empty": object{"refreshToken": ""}, "rubbish": object{"refreshToken": "rubbish"},
		"number": object{"refreshToken": 1}, "list": object{"refreshToken": list{p.refresh}}, "access token": object{"refreshToken": p.token},
		"keys' case": object{"RefreshToken": p.refresh, "REFRESHTOKEN": p.refresh}, "token and more": object{"refreshToken": p.refresh + "x"},
		"of 60,000 bytes": object{"refreshToken": strings.Repeat("x", 60_000)}, "surrogate": `{"refreshToken":"\udfff"}`,
		"the token alone": `"` + p.refresh + `"`, "trailing": `{"refreshToken":"` + p.refresh + `"}]`,
	})
	for name, body := range bodies {
		t.Run(name, func(t *testing.T) { hostile.Add(1); logout(t, body) })
	}
	send(t, request{method: "POST", path: "/auth/logout"}).is(t, 200, object{"success": true})
	refresh(t, p.refresh).is(t, 200, object{"token": anyToken})
}

func TestRefresh_banned(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	second := p.login(t).object(t, 200)["refreshToken"].(string)
	p.ban(t)
	refresh(t, p.refresh).refuses(t, 401, "UNAUTHORIZED", "")
	t.Run("a bad token comes first", func(t *testing.T) {
		refresh(t, p.refresh+"x").refuses(t, 401, "INVALID_TOKEN", "Invalid refresh token")
	})
	t.Run("the banned can log out, and no record comes first", func(t *testing.T) {
		logout(t, object{"refreshToken": second})
		refresh(t, second).refuses(t, 401, "INVALID_TOKEN", "Refresh token invalid or expired")
	})
	t.Run("unbanning revives access tokens, and no session that the ban has revoked", func(t *testing.T) {
		p.unban(t)
		for _, token := range []string{p.refresh, second} {
			refresh(t, token).refuses(t, 401, "INVALID_TOKEN", "Refresh token invalid or expired")
		}
		herd(t, p.token)
		post(t, p.token, "/events/shows/"+newID()+"/judge", nil).refuses(t, 404, "NOT_FOUND", "Show not open")
		fresh := p.login(t).object(t, 200)["refreshToken"].(string)
		refresh(t, fresh).is(t, 200, object{"token": anyToken})
	})
}

func TestRefresh_revoked(t *testing.T) {
	t.Parallel()
	p, other := newPlayer(t), newPlayer(t)
	second := p.login(t).object(t, 200)["refreshToken"].(string)
	set(t, "user", "revoke-sessions", p.id)
	for _, token := range []string{p.refresh, second} {
		refresh(t, token).refuses(t, 401, "INVALID_TOKEN", "Refresh token invalid or expired")
	}
	herd(t, p.token) // access tokens live on until they expire
	refresh(t, other.refresh).is(t, 200, object{"token": anyToken})
	fresh := p.login(t).object(t, 200)["refreshToken"].(string)
	refresh(t, fresh).is(t, 200, object{"token": anyToken})
}

// The claims come from storage: those of the refresh token count for nothing, even if somebody has the key.
func TestRefresh_claimsComeFromStorage(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	if claims := tokentest.Parse(t, p.refresh).Claims; claims["username"] != nil || claims["email"] != nil || claims["status"] != nil {
		t.Errorf("the refresh token says more than whose it is: %v", claims)
	}
	claims := tokentest.Parse(t, refresh(t, p.refresh).object(t, 200)["token"].(string)).Claims
	stored := set(t, "user", "get", p.id)
	for _, name := range []string{"username", "email", "status"} {
		if claims[name] != stored[name] {
			t.Errorf("%s: %v in the token, %v in storage", name, claims[name], stored[name])
		}
	}
	if lifetime := lifetime(t, claims); lifetime != 15*time.Minute {
		t.Errorf("a new token lives for %v", lifetime)
	}
}
