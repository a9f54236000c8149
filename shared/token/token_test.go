package token_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/token"
)

const (
	now    = game.Instant(1_795_167_000_250) // a quarter of a second after a whole one
	userID = game.ID("11111111-1111-4111-8111-111111111111")
)

var (
	user = game.User{ID: userID, Username: "Ann", Email: "ann@example.com", Status: game.UserActive}

	firstKey  = []byte(strings.Repeat("1", 32))
	secondKey = []byte(strings.Repeat("2", 64))
)

func TestAccessToken(t *testing.T) {
	keys := newKeys(t, "k1")
	caller, err := keys.VerifyAccess(issueAccess(t, keys), now)
	if err != nil {
		t.Fatal(err)
	}
	want := token.Caller{ID: userID, Username: "Ann", Email: "ann@example.com", Status: "active"}
	if diff := cmp.Diff(want, caller); diff != "" {
		t.Error(diff)
	}
}

func TestRefreshToken(t *testing.T) {
	keys := newKeys(t, "k1")
	text, record := issueRefresh(t, keys)
	if id, err := keys.VerifyRefresh(text, now); err != nil || id != userID {
		t.Errorf("got %q, %v", id, err)
	}
	want := game.RefreshRecord{ID: record.ID, UserID: userID, Digest: token.Digest(text), ExpiresAt: now + 30*24*60*60*1000}
	if diff := cmp.Diff(want, record); diff != "" {
		t.Error(diff)
	}
	if _, ok := game.ParseID(string(record.ID)); !ok {
		t.Errorf("record id %q", record.ID)
	}
}

// The exact content of the tokens.
func TestTokenContents(t *testing.T) {
	keys := newKeys(t, "k1")
	refreshToken, _ := issueRefresh(t, keys)
	later, err := keys.IssueAccess(user, now+7_000)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		text, header, claims string
	}{
		{issueAccess(t, keys), `{"alg":"EdDSA","kid":"k1","typ":"at+jwt"}`,
			`{"sub":"11111111-1111-4111-8111-111111111111","username":"Ann","email":"ann@example.com","status":"active","iss":"ranch",
			  "aud":["ranch-api"],"iat":1795167000,"exp":1795167900}`},
		{later, `{"alg":"EdDSA","kid":"k1","typ":"at+jwt"}`,
			`{"sub":"11111111-1111-4111-8111-111111111111","username":"Ann","email":"ann@example.com","status":"active","iss":"ranch",
			  "aud":["ranch-api"],"iat":1795167007,"exp":1795167907}`},
		{refreshToken, `{"alg":"EdDSA","kid":"k1","typ":"rt+jwt"}`,
			`{"sub":"11111111-1111-4111-8111-111111111111","iss":"ranch","aud":["ranch-refresh"],"iat":1795167000,"exp":1797759000}`},
	} {
		parts := strings.Split(test.text, ".")
		if diff := cmp.Diff(object(t, test.header), segment(t, parts[0])); diff != "" {
			t.Errorf("header:\n%s", diff)
		}
		claims := segment(t, parts[1])
		if jti, _ := claims["jti"].(string); len(jti) < 22 {
			t.Errorf("jti %v is no random text", claims["jti"])
		}
		delete(claims, "jti")
		if diff := cmp.Diff(object(t, test.claims), claims); diff != "" {
			t.Errorf("claims:\n%s", diff)
		}
	}
}

// Two tokens of one user issued at the same instant differ, and so do the digests of refresh tokens.
func TestTokensDiffer(t *testing.T) {
	keys := newKeys(t, "k1")
	first, second := issueAccess(t, keys), issueAccess(t, keys)
	if first == second {
		t.Error("two access tokens are equal")
	}
	a, recordA := issueRefresh(t, keys)
	b, recordB := issueRefresh(t, keys)
	if a == b || recordA.Digest == recordB.Digest || recordA.ID == recordB.ID {
		t.Error("two refresh tokens are equal")
	}
}

// An access token expires at its exp, a refresh token a second later: its record decides about the time between.
func TestExpiry(t *testing.T) {
	keys := newKeys(t, "k1")
	accessToken := issueAccess(t, keys)
	refreshToken, record := issueRefresh(t, keys)
	const accessExpiry, refreshExpiry = game.Instant(1_795_167_900_000), game.Instant(1_797_759_001_000)
	if refreshExpiry < record.ExpiresAt {
		t.Errorf("the token expires before its record, %v", record.ExpiresAt)
	}
	for _, test := range []struct {
		expiry game.Instant
		verify func(game.Instant) error
	}{
		{accessExpiry, func(i game.Instant) error { _, err := keys.VerifyAccess(accessToken, i); return err }},
		{refreshExpiry, func(i game.Instant) error { _, err := keys.VerifyRefresh(refreshToken, i); return err }},
	} {
		if err := test.verify(test.expiry - 1); err != nil {
			t.Errorf("one millisecond before the expiry: %v", err)
		}
		for _, late := range []game.Instant{0, 1, 1_000_000} {
			if err := test.verify(test.expiry + late); !errors.Is(err, token.ErrExpired) {
				t.Errorf("%d ms after the expiry: %v", late, err)
			}
		}
		if err := test.verify(now - 60_000); err != nil {
			t.Errorf("on a machine whose clock is slow: %v", err)
		}
	}
}

// With both keys known, tokens of either are good; the current one signs; a removed one is unknown.
func TestKeyRotation(t *testing.T) {
	before, during := newKeys(t, "k1"), newKeys(t, "k2")
	after, err := token.NewKeys("k2", map[string][]byte{"k2": secondKey})
	if err != nil {
		t.Fatal(err)
	}
	old, _ := issueRefresh(t, before)
	renewed, _ := issueRefresh(t, during)
	for name, test := range map[string]struct {
		keys *token.Keys
		text string
		want error
	}{
		"old token while both keys live":  {during, old, nil},
		"new token while both keys live":  {before, renewed, nil},
		"new token with the new key only": {after, renewed, nil},
		"old token with the new key only": {after, old, token.ErrInvalid},
	} {
		if _, err := test.keys.VerifyRefresh(test.text, now); !errors.Is(err, test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDigest(t *testing.T) {
	const want = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // FIPS 180-2, B.1
	if got := token.Digest("abc"); got != want {
		t.Errorf("got %s", got)
	}
}

func newKeys(t *testing.T, current string) *token.Keys {
	t.Helper()
	keys, err := token.NewKeys(current, map[string][]byte{"k1": firstKey, "k2": secondKey})
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func issueAccess(t *testing.T, keys *token.Keys) string {
	t.Helper()
	text, err := keys.IssueAccess(user, now)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func issueRefresh(t *testing.T, keys *token.Keys) (string, game.RefreshRecord) {
	t.Helper()
	text, record, err := keys.IssueRefresh(userID, now)
	if err != nil {
		t.Fatal(err)
	}
	return text, record
}

func segment(t *testing.T, encoded string) map[string]any {
	t.Helper()
	decoded, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil {
		t.Fatal(err)
	}
	return object(t, string(decoded))
}

func object(t *testing.T, text string) (o map[string]any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		t.Fatal(err)
	}
	return o
}
