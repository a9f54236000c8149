package token_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

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
		"nothing changed":      func(*tokentest.Token) {},
		"the other live key":   func(k *tokentest.Token) { k.Header["kid"], k.Sign = other.ID, tokentest.HS256(other.Secret) },
		"issued in the future": func(k *tokentest.Token) { k.Claims["iat"] = int64(now/1000) + 30 },
		"sub in upper case":    func(k *tokentest.Token) { k.Claims["sub"] = strings.ToUpper(string(ann)) },
		"several audiences":    func(k *tokentest.Token) { k.Claims["aud"] = []any{"others", k.Claims["aud"]} },
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

// What a header or a client could trim is part of the text here.
func TestTextAroundATokenIsInvalid(t *testing.T) {
	keys := newKeys(t, "k1")
	good := issueAccess(t, keys)
	for _, text := range []string{"", " " + good, good + " ", good + "\n", "\r" + good, strings.Replace(good, ".", ".\n", 1), strings.Repeat("A", 65_536)} {
		if _, err := keys.VerifyAccess(text, now); !errors.Is(err, token.ErrInvalid) {
			t.Errorf("%.40q: %v", text, err)
		}
	}
}

// No other text than the one that was issued passes: also none that decodes to the same bytes.
func TestEveryCharacterOfATokenCounts(t *testing.T) {
	keys := newKeys(t, "k1")
	good := issueAccess(t, keys)
	last := len(good) - 1 // of its six bits the signature uses four
	for _, c := range "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_" {
		if _, err := keys.VerifyAccess(good[:last]+string(c), now); byte(c) != good[last] && !errors.Is(err, token.ErrInvalid) {
			t.Errorf("%c in the place of %c: %v", c, good[last], err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		i := rapid.IntRange(0, len(good)-1).Draw(t, "position")
		c := rapid.StringMatching(`[A-Za-z0-9_.\-]`).Draw(t, "character")
		changed := good[:i] + c + good[i+1:]
		if _, err := keys.VerifyAccess(changed, now); changed != good && !errors.Is(err, token.ErrInvalid) {
			t.Fatalf("position %d of %s: %v", i, good, err)
		}
	})
}
