package blackbox

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

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

// Each limit at both of its edges; lengths are in code points.
func TestRegister_limits(t *testing.T) {
	t.Parallel()
	long := func(bytes int) string { // an address of that length
		name := unique()
		return name + strings.Repeat("x", bytes-len(name)-len("@e.com")) + "@e.com"
	}
	short := unique()[13:]
	for field, values := range map[string]map[string]bool{
		"username": {
			"ab": false, short: true, unique() + "1234567": true, unique() + "12345678": true, unique() + "123456789": false,
			"_-" + unique(): true, "AZ" + unique(): true, "": false, "né" + unique(): false, "a b" + unique(): false, "a.b" + unique(): false,
			"a@b" + unique(): false, "1２" + unique(): false, "a\n" + unique(): false, "a\u0000" + unique(): false, "ab😀": false, "   ": false,
			unique() + " ": false, "---": true, "a\u200d" + unique(): false,
		},
		"password": {
			"": false, "1234567": false, "12345678": true, "        ": true, "éééééééé": true, "ééééééé": false, "😀😀😀😀😀😀😀😀": true, "😀😀😀😀😀😀😀": false,
			strings.Repeat("x", 128): true, strings.Repeat("x", 129): false, strings.Repeat("😀", 128): true, strings.Repeat("😀", 129): false,
			"nul\u0000nul\u0000": true, "e\u0301e\u0301e\u0301e": false,
		},
		"ranchName": {
			"": false, "ab": false, "abc": true, "   ": true, "é é": true, "😀😀": false, "😀😀😀": true,
			strings.Repeat("x", 100): true, strings.Repeat("x", 101): false, strings.Repeat("😀", 100): true, strings.Repeat("😀", 101): false,
		},
		"email": {
			long(254): true, long(255): false, "": false, "plain": false, "@example.com": false, "a@": false, "a@b": false, "a@@example.com": false,
			"a@example..com": false, ".a@example.com": false, "a.@example.com": false, "a..b@example.com": false, " a@example.com": false,
			"a@example.com ": false, "A <a@example.com>": false, "a@exa mple.com": false, "a@-example.com": false, "é" + unique() + "@example.com": false,
			"a@exämple.com": false, "a@127.0.0.1": false, "a@example.com\n": false, "a@example.com,b@example.com": false, "mailto:a@example.com": false,
			"o'" + unique() + "@example.com": true, unique() + "@sub.example.co": true, "a+b." + unique() + "@example.com": true,
			unique() + "@xn--exmple-cua.com": true, "a@example.com\u0000": false,
		},
	} {
		for value, valid := range values {
			t.Run(fmt.Sprintf("%s/%.30q/%d", field, value, utf8.RuneCountInString(value)), func(t *testing.T) {
				p := candidate()
				answer := register(t, p.with(object{field: value}))
				switch {
				case !valid:
					answer.refusesForm(t, field)
				case field == "username" && len(value) == 3 && answer.status == 409:
					// Somebody's already, in a table that is used again.
				default:
					user := answer.object(t, 201)["user"].(object)
					p.email, p.password = user["email"].(string), p.with(object{field: value})["password"].(string)
					if field == "password" {
						p.login(t).object(t, 200)
					}
				}
			})
		}
	}
}

// A hash that stops at 72 bytes would take any password that begins like the right one.
func TestRegister_hashesAllOfALongPassword(t *testing.T) {
	t.Parallel()
	p := candidate()
	p.password = strings.Repeat("x", 127) + "y"
	if err := p.register(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.login(t).object(t, 200)
	p.password = strings.Repeat("x", 127) + "z"
	p.login(t).refuses(t, 401, "INVALID_CREDENTIALS", "Invalid email or password")
}

// Details name the fields that are wrong and no others, for each set of fields and each way of being wrong.
func TestRegister_details(t *testing.T) {
	t.Parallel()
	missing := &struct{}{}
	for kind, wrong := range map[string]any{
		"missing": missing, "null": nil, "empty": "", "number": 12345678, "boolean": true, "list": list{"abcdefgh"}, "object": object{"a": "b"},
	} {
		for set := 1; set < 1<<len(formFields); set++ {
			form, details := candidate().form(), []string{}
			for i, field := range formFields {
				if set&(1<<i) == 0 {
					continue
				}
				details = append(details, field)
				if form[field] = wrong; wrong == missing {
					delete(form, field)
				}
			}
			if !register(t, form).refusesForm(t, details...) {
				t.Errorf("%s %v", kind, details)
			}
		}
	}
}

func TestRegister_noObject(t *testing.T) {
	t.Parallel()
	for name, body := range noObject() {
		t.Run(name, func(t *testing.T) { hostile.Add(1); register(t, body).refusesForm(t, formFields...) })
	}
}

// Names of members match exactly, unknown members mean nothing, and a body of the largest size is read.
func TestRegister_members(t *testing.T) {
	t.Parallel()
	t.Run("case", func(t *testing.T) {
		form := candidate().form()
		form["Email"], form["RANCHNAME"] = form["email"], form["ranchName"]
		delete(form, "email")
		delete(form, "ranchName")
		register(t, form).refusesForm(t, "email", "ranchName")
	})
	t.Run("unknown", func(t *testing.T) {
		p := candidate()
		body := register(t, p.with(object{
			"goldBalance": 1_000_000, "status": "banned", "id": newID(), "prestigePoints": 7, "user": object{"goldBalance": 9}, "Email": "x", "__proto__": object{},
		})).object(t, 201)
		if user := body["user"].(object); user["goldBalance"] != integer(500) || user["status"] != "active" || user["prestigePoints"] != integer(0) {
			t.Errorf("%v", user)
		}
	})
	t.Run("largest body", func(t *testing.T) {
		form := string(encode(candidate().form()))
		register(t, form+strings.Repeat(" ", 65_536-len(form))).object(t, 201)
	})
	t.Run("escapes", func(t *testing.T) {
		p := candidate()
		escaped := strings.Replace(string(encode(p.form())), `"email"`, `"em\u0061il"`, 1)
		register(t, escaped).object(t, 201)
	})
}

func TestRegister_conflicts(t *testing.T) {
	t.Parallel()
	taken := newPlayer(t)
	external := newExternal(t)
	for name, changes := range map[string]object{
		"e-mail":            {"email": taken.email},
		"e-mail's case":     {"email": strings.ToUpper(taken.email)},
		"username":          {"username": taken.username},
		"both":              {"email": taken.email, "username": taken.username},
		"two users' names":  {"email": taken.email, "username": external.username},
		"external e-mail":   {"email": external.email},
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
	t.Run("400 first", func(t *testing.T) {
		register(t, taken.with(object{"password": "short"})).refusesForm(t, "password")
	})
	t.Run("other names", func(t *testing.T) {
		local, domain, _ := strings.Cut(taken.email, "@")
		for _, changes := range []object{
			{"username": strings.ToUpper(taken.username)}, {"email": local + "+1@" + domain}, {"email": local[:3] + "." + local[3:] + "@" + domain},
			{"ranchName": taken.ranch, "password": taken.password},
		} {
			register(t, candidate().with(changes)).object(t, 201)
		}
	})
	taken.has(t, 500)
}

// Whatever the fields are, the details name exactly those that break a rule. No address is sent, so that nobody is
// registered.
func TestRegister_detailsOfAnyFields(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[A-Za-z0-9_-]{1,26}`), rapid.StringN(1, 140, -1), rapid.StringMatching(`[a-c é😀]{95,130}`))
		username, password, ranch := text.Draw(r, "username"), text.Draw(r, "password"), text.Draw(r, "ranch name")
		within := func(s string, least, most int) bool { n := utf8.RuneCountInString(s); return least <= n && n <= most }
		want := []string{"email"}
		if !within(password, 8, 128) {
			want = append(want, "password")
		}
		if !within(ranch, 3, 100) {
			want = append(want, "ranchName")
		}
		if !within(username, 3, 24) || strings.Trim(username, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
			want = append(want, "username")
		}
		answer := register(t, object{"username": username, "password": password, "ranchName": ranch})
		details, _ := answer.object(t, 400)["details"].(object)
		if diff := cmp.Diff(want, slices.Sorted(maps.Keys(details))); diff != "" {
			r.Fatalf("%s: %s", answer, diff)
		}
	})
}
