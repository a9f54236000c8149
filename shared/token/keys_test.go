package token_test

import (
	"strings"
	"testing"

	"github.com/ranch-game/ranch/shared/token"
)

func TestNewKeysRefuses(t *testing.T) {
	long, short := []byte(strings.Repeat("k", 32)), []byte(strings.Repeat("k", 31))
	for name, test := range map[string]struct {
		current string
		keys    map[string][]byte
	}{
		"no keys":                 {"k1", nil},
		"current key missing":     {"k2", map[string][]byte{"k1": long}},
		"no current key":          {"", map[string][]byte{"k1": long}},
		"key without an id":       {"", map[string][]byte{"": long}},
		"current key too short":   {"k1", map[string][]byte{"k1": short}},
		"another key too short":   {"k1", map[string][]byte{"k1": long, "k2": short}},
		"another key is no bytes": {"k1", map[string][]byte{"k1": long, "k2": nil}},
	} {
		if keys, err := token.NewKeys(test.current, test.keys); err == nil || keys != nil {
			t.Errorf("%s: got %v, %v", name, keys, err)
		}
	}
}

func TestNewKeysCopies(t *testing.T) {
	key := []byte(strings.Repeat("k", 32))
	keys, err := token.NewKeys("k1", map[string][]byte{"k1": key})
	if err != nil {
		t.Fatal(err)
	}
	before := issueAccess(t, keys)
	key[0] = 'x'
	if _, err := keys.VerifyAccess(before, now); err != nil {
		t.Error("the caller's change of its slice changed the key")
	}
}

func TestParseSecret(t *testing.T) {
	first, second := strings.Repeat("a", 64), strings.Repeat("b", 64)
	keys, err := token.ParseSecret(`{"current": "k2", "k1": "` + first + `", "k2": "` + second + `"}`)
	if err != nil {
		t.Fatal(err)
	}
	// A key's bytes are those of its string, as a verifier elsewhere would have it.
	same, err := token.NewKeys("k2", map[string][]byte{"k2": []byte(second)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := same.VerifyAccess(issueAccess(t, keys), now); err != nil {
		t.Errorf("the current key of the secret does not sign: %v", err)
	}
}

func TestParseSecretRefusesWithoutQuoting(t *testing.T) {
	const key = "SENSITIVE-SENSITIVE-SENSITIVE-SENSITIVE-SENSITIVE"
	for name, secret := range map[string]string{
		"empty":                 ``,
		"the bare key":          key,
		"the quoted key":        `"` + key + `"`,
		"array":                 `["` + key + `"]`,
		"null":                  `null`,
		"broken":                `{"current": "k1", "k1": "` + key,
		"trailing text":         `{"current": "k1", "k1": "` + key + `"} ` + key,
		"not a string":          `{"current": "k1", "k1": {"` + key + `": 1}}`,
		"no current":            `{"k1": "` + key + `"}`,
		"current is the key":    `{"current": "` + key + `"}`,
		"id and key mixed up":   `{"current": "k1", "` + key + `": "k1"}`,
		"current names nothing": `{"current": "` + key + `", "k1": "` + key + `"}`,
		"current names itself":  `{"current": "current"}`,
		"short key":             `{"current": "k1", "k1": "SENSITIVE"}`,
	} {
		keys, err := token.ParseSecret(secret)
		if err == nil || keys != nil {
			t.Errorf("%s: accepted", name)
		} else if strings.Contains(err.Error(), "SENSITIVE") {
			t.Errorf("%s: the error quotes the secret: %v", name, err)
		}
	}
}
