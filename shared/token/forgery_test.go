package token_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/token"
	"github.com/ranch-game/ranch/shared/token/tokentest"
)

var (
	signing = tokentest.Key{ID: "k1", Secret: firstKey}
	other   = tokentest.Key{ID: "k2", Secret: secondKey}
)

func TestForgedTokens(t *testing.T) {
	keys := newKeys(t, "k1")
	refreshToken, _ := issueRefresh(t, keys)
	for kind, of := range map[string]struct {
		good   string
		verify func(string) error
	}{
		"access":  {issueAccess(t, keys), func(text string) error { _, err := keys.VerifyAccess(text, now); return err }},
		"refresh": {refreshToken, func(text string) error { _, err := keys.VerifyRefresh(text, now); return err }},
	} {
		invalid, expired := tokentest.Forgeries(t, of.good, now, signing, other)
		for want, forgeries := range map[error]map[string]string{token.ErrInvalid: invalid, token.ErrExpired: expired} {
			for name, text := range forgeries {
				if err := of.verify(text); !errors.Is(err, want) {
					t.Errorf("%s token, %s: got %v, want %v", kind, name, err, want)
				}
			}
		}
	}
}

// Tokens made by other hands are good, as long as nothing is wrong about them: what is refused above is not refused for
// being handmade.
func TestHandmadeTokens(t *testing.T) {
	const ann = game.ID("abcdefab-1111-4111-8111-111111111111")
	keys := newKeys(t, "k1")
	for name, change := range map[string]func(*tokentest.Token){
		"nothing changed":    func(*tokentest.Token) {},
		"the other live key": func(k *tokentest.Token) { k.Header["kid"], k.Sign = other.ID, tokentest.HS256(other.Secret) },
		"a fast clock": func(k *tokentest.Token) {
			k.Claims["iat"], k.Claims["nbf"] = int64(now/1000)+60, int64(now/1000)+60
			k.Claims["exp"] = k.Claims["exp"].(int64) + 60
		},
		"issued in 1970":    func(k *tokentest.Token) { k.Claims["iat"] = 0 },
		"no iat":            func(k *tokentest.Token) { delete(k.Claims, "iat") },
		"sub in upper case": func(k *tokentest.Token) { k.Claims["sub"] = strings.ToUpper(string(ann)) },
		"several audiences": func(k *tokentest.Token) { k.Claims["aud"] = []any{"others", k.Claims["aud"]} },
	} {
		for kind, of := range map[string]struct {
			made   tokentest.Token
			verify func(string) (game.ID, error)
		}{
			"access": {tokentest.Access(signing, ann, now), func(text string) (game.ID, error) {
				caller, err := keys.VerifyAccess(text, now)
				return caller.ID, err
			}},
			"refresh": {tokentest.Refresh(signing, ann, now), func(text string) (game.ID, error) { return keys.VerifyRefresh(text, now) }},
		} {
			change(&of.made)
			if id, err := of.verify(of.made.String()); err != nil || id != ann {
				t.Errorf("%s token, %s: got %q, %v", kind, name, id, err)
			}
		}
	}
}
