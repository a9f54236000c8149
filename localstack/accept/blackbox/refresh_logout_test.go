package blackbox

import (
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
		if lifetime := lifetime(t, claims); lifetime != 15*time.Minute {
			t.Errorf("a new token lives for %v", lifetime)
		}
		seen[claims["jti"]] = true
		if animals := herd(t, token); len(animals) != 3 {
			t.Errorf("%d animals", len(animals))
		}
	}
	if len(seen) != 4 {
		t.Errorf("of four tokens only %d differ", len(seen))
	}
}

// What is missing, and what does not verify: all the shapes of either are the function's own to refuse.
func TestRefresh_refusals(t *testing.T) {
	t.Parallel()
	p := reader(t)
	for _, body := range []any{nil, "{", object{}, object{"refreshToken": ""}} {
		hostile.Add(1)
		post(t, "", "/auth/refresh", body).refuses(t, 400, "MISSING_TOKEN", "Refresh token required")
	}
	for _, token := range []any{p.token, p.refresh + "x", 7} {
		hostile.Add(1)
		refresh(t, token).refuses(t, 401, "INVALID_TOKEN", "Invalid refresh token")
	}
}

func TestLogout(t *testing.T) {
	t.Parallel()
	p := newPlayer(t)
	other := p.login(t).object(t, 200)["refreshToken"].(string)
	for range 2 { // once is as good as twice
		logout(t, object{"refreshToken": p.refresh})
		refresh(t, p.refresh).refuses(t, 401, "INVALID_TOKEN", "Refresh token invalid or expired")
	}
	herd(t, p.token) // access tokens live until they expire
	for _, body := range []any{nil, "{", object{"refreshToken": other + "x"}, object{"refreshToken": list{other}}} {
		hostile.Add(1)
		logout(t, body) // whatever is sent, the answer is the same
	}
	refresh(t, other).is(t, 200, object{"token": anyToken})
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
