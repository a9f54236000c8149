package token_test

import (
	"encoding/base64"
	"errors"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/token"
	"github.com/ranch-game/ranch/shared/token/tokentest"
)

// fuzzTokens returns a valid access token and a valid refresh token, the same in every process.
func fuzzTokens() (access, refresh string) {
	a, r := tokentest.Access(signing, userID, now), tokentest.Refresh(other, userID, now)
	a.Claims["jti"], r.Claims["jti"] = "a", "r"
	return a.String(), r.String()
}

// FuzzTokenText checks that Keys accepts only the two tokens of fuzzTokens, each as its own kind and in its exact text.
func FuzzTokenText(f *testing.F) {
	access, refresh := fuzzTokens()
	f.Add(access)
	f.Add(refresh)
	for _, good := range []string{access, refresh} {
		parts := strings.Split(good, ".")
		for _, s := range []string{
			good + "=", good + "\n", "\r" + good, good + ".", good[:len(good)-1], parts[0] + "." + parts[1] + ".", "." + parts[1] + "." + parts[2], parts[0] + ".." + parts[2],
			base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","typ":"at+jwt","kid":"k1"}`)) + "." + parts[1] + ".", parts[0] + "\n." + parts[1] + "." + parts[2],
		} {
			f.Add(s)
		}
		for _, s := range []string{" " + good, good + " ", good + "x", strings.Replace(good, ".", ".\n", 1), "Bearer " + good} {
			f.Add(s)
		}
		for i := range good { // one changed character: the signature uses only two bits of the last one
			f.Add(good[:i] + "A" + good[i+1:])
		}
		for _, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_." {
			f.Add(good[:len(good)-1] + string(c))
		}
	}
	f.Add("")
	f.Add(strings.Repeat("A", 65_536))
	keys := newKeys(f, "k1")
	f.Fuzz(func(t *testing.T, text string) {
		caller, err := keys.VerifyAccess(text, now)
		assert.True(t, (err == nil) == (text == access) && (caller.ID == userID) == (err == nil),
			"%q as an access token: %+v, %v", text, caller, err)
		id, refreshErr := keys.VerifyRefresh(text, now)
		assert.True(t, (refreshErr == nil) == (text == refresh) && (id == userID) == (refreshErr == nil),
			"%q as a refresh token: %q, %v", text, id, refreshErr)
		for _, err := range []error{err, refreshErr} {
			if err != nil && !errors.Is(err, token.ErrInvalid) {
				t.Errorf("%q: %v", text, err) // neither of the two has expired
			}
		}
		digest := token.Digest(text)
		assert.True(t, len(digest) == 64 && strings.Trim(digest, "0123456789abcdef") == "" && digest != token.Digest(text+"x"),
			"%q has the digest %q", text, digest)
	})
}

// FuzzSecret checks that a secret stays the same if it is read, written and read again. Errors quote no long word of
// it. If a secret can sign, each key has at least 32 bytes, the current key exists, and one key signs at any time.
func FuzzSecret(f *testing.F) {
	const key = "0123456789abcdef0123456789abcdef"
	for _, s := range []string{
		`{"current":"b","since":{"b":"2026-11-20T09:40:00.000Z"},"a":"` + key + `","b":"` + key + `"}`, `{"current":"a","a":"` + key + `"}`, `{"current":"a","a":"short"}`,
		`{"current":"c","a":"` + key + `"}`, `{"a":"` + key + `"}`, `{"current":null,"since":null,"a":null}`, `{"current":"","":"` + key + `"}`, `{"current":"current"}`, `null`, `[]`, `{`, ``,
		`{"current":"a","since":{"a":7},"a":"` + key + `"}`, `{"current":"a","since":{"z":"1970-01-01T00:00:00+01:00"},"a":"` + key + `"}`, `{"current":["` + key + `"]}`,
		`{"since":{"b":"9999-12-31T23:59:59.999Z"},"current":"a","a":"` + key + `","b":"x` + key + `"}`, `{"Current":"a","a":"` + key + `","current":"\u0061"}`,
		key, `"` + key + `"`, `["` + key + `"]`, `{"current":"k1","k1":"` + key, `{"current":"k1","k1":"` + key + `"} ` + key, `{"current":"k1","k1":{"` + key + `":1}}`,
		`{"current":"` + key + `"}`, `{"current":"k1","` + key + `":"k1"}`, `{"current":"` + key + `","k1":"` + key + `"}`, `{"current":"k1","k1":"` + key[1:] + `"}`,
		`{"current":"k1","k1":"` + key + `","since":{"k1":"` + key + `"}}`, `{"current":"k1","k1":"` + key + `","since":["` + key + `"]}`,
		`{"current":"since","since":"` + key + `"}`, `{"current":"k1","k1":"` + key + `","k2":"` + key[1:] + `"}`, `{"current":"k1","k1":"` + key + `","":"` + key + `"}`,
		`{"current":"","a":"` + key + `"}`, `{"current":"k","k":"\"quoted\" <and> \\ 0123456789abcdef","字":"` + key + `"}`,
	} {
		f.Add(s, int64(now))
	}
	f.Fuzz(func(t *testing.T, text string, at int64) {
		s, err := token.ReadSecret(text)
		if err != nil {
			quotesNothing(t, err, text)
			return
		}
		again, err := token.ReadSecret(s.Text())
		if diff := cmp.Diff(s, again, cmpopts.EquateEmpty()); diff != "" || err != nil || again.Text() != s.Text() {
			t.Fatalf("%q is written %q: %v\n%s", text, s.Text(), err, diff)
		}
		keys, fit := s.Signing()
		wantFit := s.Keys[s.Current] != ""
		for kid, key := range s.Keys {
			wantFit = wantFit && kid != "" && len(key) >= 32
		}
		assert.True(t, (fit == nil) == wantFit && (keys == nil) == (fit != nil), "%q: %v", text, fit)
		if fit != nil {
			quotesNothing(t, fit, text)
			return
		}
		signer := s.Signer(game.Instant(at))
		assert.True(t, s.Keys[signer] != "", "%q: nobody signs at %d: %q", text, at, signer)
		for kid := range maps.Keys(s.Keys) {
			assert.True(t, signer == s.Current || s.Since[kid] > game.Instant(at) || s.Since[kid] <= s.Since[signer],
				"%q: %q signs at %d, and %q has come since", text, signer, at, kid)
		}
	})
}

// quotesNothing checks that an error contains no long word of the text.
func quotesNothing(t *testing.T, err error, text string) {
	t.Helper()
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(`{}[]":, `, r) }) {
		assert.True(t, len(word) < 16 || !strings.Contains(err.Error(), word), "%v quotes %q", err, word)
	}
}
