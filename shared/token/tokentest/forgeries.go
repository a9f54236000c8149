package tokentest

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha512"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"strings"
	"sync"
	"testing"

	"github.com/ranch-game/ranch/shared/game"
)

// strangersKey is a key that no service has.
var strangersKey = Key{Secret: []byte("a key that nobody has ever given to this service")}

// Forgeries returns variants of the valid token good that a verifier must refuse as invalid or as expired, by the name
// of their flaw. Most have exactly one flaw. The key signing must have signed good. The keys others are further keys of
// the service, current or removed. If signing has no secret, Forgeries leaves out variants that only this key can sign,
// and all expired ones.
func Forgeries(t testing.TB, good string, now game.Instant, signing Key, others ...Key) (invalid, expired map[string]string) {
	t.Helper()
	f := forger{t: t, good: good, now: now.Time().Unix(), invalid: map[string]string{}}
	sign, known := Signer(strangersKey.Sign), signing.Secret != nil
	if known {
		sign = signing.Sign
	}
	for name, text := range f.texts(sign) {
		f.add(name, text)
	}
	f.edit(strangersKey.Sign, f.withoutKey())
	f.edit(sign, headers())
	if !known {
		return f.invalid, nil
	}
	f.edit(sign, claims())
	f.edit(sign, f.ofTheFuture())
	f.edit(sign, algorithms(signing))
	for _, other := range others {
		f.edit(sign, edits{"the id of the key " + other.ID: func(k *Token) { k.Header["kid"] = other.ID }})
		f.edit(other.Sign, edits{"the key " + other.ID + " under another id": func(*Token) {}})
	}
	invalid, f.invalid = f.invalid, map[string]string{}
	f.edit(sign, edits{
		"a second over": func(k *Token) { k.Claims["exp"], k.Claims["iat"] = f.now-1, f.now-901 },
		"long over":     func(k *Token) { k.Claims["exp"], k.Claims["iat"] = f.now-1_000_000, f.now-1_000_900 },
		"over in 1970":  func(k *Token) { k.Claims["exp"], k.Claims["iat"] = 0, -900 },
	})
	return invalid, f.invalid
}

// edits holds functions that change a valid token into a forgery, by the name of the flaw.
type edits map[string]func(*Token)

type forger struct {
	t       testing.TB
	good    string
	now     int64 // Unix time
	invalid map[string]string
}

func (f forger) parsed() Token { return Parse(f.t, f.good) }

func (f forger) add(name, text string) {
	f.t.Helper()
	if _, double := f.invalid[name]; double || text == f.good {
		f.t.Errorf("forgeries: the name %q is used twice, or its token is the good one", name)
	}
	f.invalid[name] = text
}

// edit applies each of the edits to a copy of the valid token, and adds the result. Unless the edit sets another
// signer, the signer sign signs the copy.
func (f forger) edit(sign Signer, all edits) {
	f.t.Helper()
	for name, change := range all {
		k := f.parsed()
		k.Sign = sign
		change(&k)
		f.add(name, k.String())
	}
}

// texts returns texts that are not tokens: rubbish, and the valid token with parts missing, repeated or altered.
func (f forger) texts(sign Signer) map[string]string {
	parts := strings.Split(f.good, ".")
	header, claims, signature := parts[0], parts[1], parts[2]
	edited := []byte(signature)
	if edited[5] = 'A'; signature[5] == 'A' {
		edited[5] = 'B'
	}
	return map[string]string{
		"rubbish": "rubbish", "three rubbish parts": "a.b.c", "one dot": ".", "two dots": "..", "three dots": "...",
		"one part": header, "two parts": header + "." + claims, "four parts": f.good + "." + signature, "a dot behind it": f.good + ".",
		"no header": "." + claims + "." + signature, "no claims": header + ".." + signature, "no signature": header + "." + claims + ".",
		"an edited signature": header + "." + claims + "." + string(edited), "a cut signature": f.good[:len(f.good)-1], "a longer signature": f.good + "A",
		"padding": f.good + "=", "the scheme inside": "Bearer " + f.good,
		"no base64 in the header":   "ä!." + claims + "." + signature,
		"4,000 letters as a header": strings.Repeat("a", 4_000) + "." + claims + "." + signature,
		"no JSON in the header":     assemble([]byte("{"), encode(f.parsed().Claims), sign),
		"no JSON in the claims":     assemble(encode(f.parsed().Header), []byte("{"), sign),
		"no object in the claims":   assemble(encode(f.parsed().Header), []byte("[]"), sign),
	}
}

// withoutKey returns forgeries that an attacker without any key of the service can make.
func (f forger) withoutKey() edits {
	private, public := rsaKeys()
	kept, err := base64.RawURLEncoding.DecodeString(f.good[strings.LastIndex(f.good, ".")+1:])
	if err != nil {
		f.t.Fatal(err)
	}
	asItWas := func(string) []byte { return kept }
	return edits{
		"a stranger's key":          func(*Token) {},
		"a stranger's key, expired": func(k *Token) { k.Claims["exp"] = 1 },
		"an empty key":              func(k *Token) { k.Header["alg"], k.Sign = "HS256", HS256(nil) },
		"a public key":              func(k *Token) { k.Header["alg"], k.Sign = "HS256", HS256(public) },
		"its own key inside": func(k *Token) {
			own := base64.RawURLEncoding.EncodeToString(strangersKey.private().Public().(ed25519.PublicKey))
			k.Header["jwk"], k.Header["jku"] = map[string]any{"kty": "OKP", "crv": "Ed25519", "x": own}, "http://127.0.0.1:1/"
		},
		"an empty file for a key":    func(k *Token) { k.Header["kid"], k.Header["alg"], k.Sign = "../../dev/null", "HS256", HS256(nil) },
		"alg none":                   func(k *Token) { k.Header["alg"], k.Sign = "none", nil },
		"alg None":                   func(k *Token) { k.Header["alg"], k.Sign = "None", nil },
		"alg RS256":                  func(k *Token) { k.Header["alg"], k.Sign = "RS256", rs256Signer(private) },
		"the claims of another user": func(k *Token) { k.Claims["sub"], k.Sign = game.NewID(), asItWas },
		"the claims of a long life":  func(k *Token) { k.Claims["exp"], k.Sign = f.now+3_600_000, asItWas },
		"the claims of an admin":     func(k *Token) { k.Claims["status"], k.Claims["role"], k.Sign = "admin", "admin", asItWas },
	}
}

// headers returns edits of a token's header. If the right key signs the edited token, the header is its only flaw.
func headers() edits {
	return edits{
		"no alg":                      func(k *Token) { delete(k.Header, "alg") },
		"alg a number":                func(k *Token) { k.Header["alg"] = 256 },
		"says none, signed well":      func(k *Token) { k.Header["alg"] = "none" },
		"says RS256, signed well":     func(k *Token) { k.Header["alg"] = "RS256" },
		"no kid":                      func(k *Token) { delete(k.Header, "kid") },
		"kid null":                    func(k *Token) { k.Header["kid"] = nil },
		"kid a number":                func(k *Token) { k.Header["kid"] = 1 },
		"kid a list":                  func(k *Token) { k.Header["kid"] = []any{k.Header["kid"]} },
		"an unknown kid":              func(k *Token) { k.Header["kid"] = "k-unknown" },
		"kid current":                 func(k *Token) { k.Header["kid"] = "current" },
		"no type":                     func(k *Token) { delete(k.Header, "typ") },
		"type null":                   func(k *Token) { k.Header["typ"] = nil },
		"a generic type":              func(k *Token) { k.Header["typ"] = "JWT" },
		"the type of the other kind":  func(k *Token) { k.Header["typ"] = other(k).typ },
		"a header of unknown meaning": func(k *Token) { k.Header["crit"], k.Header["exp"] = []string{"exp"}, 1 },
		"nothing to be understood":    func(k *Token) { k.Header["crit"] = []string{} },
		"a generic type, expired":     func(k *Token) { k.Header["typ"], k.Claims["exp"] = "JWT", 1 },
	}
}

// claims returns edits of a token's claims. If the right key signs the edited token, the claims are its only flaw. An
// expired token with another flaw counts as invalid.
func claims() edits {
	all := edits{
		"no exp":                         func(k *Token) { delete(k.Claims, "exp") },
		"exp null":                       func(k *Token) { k.Claims["exp"] = nil },
		"exp a text":                     func(k *Token) { k.Claims["exp"] = "tomorrow" },
		"no audience":                    func(k *Token) { delete(k.Claims, "aud") },
		"another audience":               func(k *Token) { k.Claims["aud"] = "ranch" },
		"several other audiences":        func(k *Token) { k.Claims["aud"] = []any{"ranch", "others"} },
		"the audience of the other kind": func(k *Token) { k.Claims["aud"] = other(k).audience },
		"no issuer":                      func(k *Token) { delete(k.Claims, "iss") },
		"another issuer":                 func(k *Token) { k.Claims["iss"] = "ranch2" },
		"no user":                        func(k *Token) { delete(k.Claims, "sub") },
		"an empty user":                  func(k *Token) { k.Claims["sub"] = "" },
		"a user that is no UUID":         func(k *Token) { k.Claims["sub"] = "ann" },
		"a user that is a number":        func(k *Token) { k.Claims["sub"] = 7 },
		"a user in braces":               func(k *Token) { k.Claims["sub"] = "{" + k.Claims["sub"].(string) + "}" },
		"a user that is a table's key":   func(k *Token) { k.Claims["sub"] = "USER#" + k.Claims["sub"].(string) },
		"a user and a table's key":       func(k *Token) { k.Claims["sub"] = k.Claims["sub"].(string) + "#PROFILE" },
	}
	for _, name := range []string{"the audience of the other kind", "another issuer", "an empty user"} {
		all[name+", expired"] = func(k *Token) { all[name](k); k.Claims["exp"] = 1 }
	}
	return all
}

// ofTheFuture returns edits that set a time that the service never writes: later than its clock may be, or before 1970.
func (f forger) ofTheFuture() edits {
	const ahead = 600 // seconds: more than the allowed clock skew (60 s) and the duration of a slow test
	return edits{
		"issued in the future": func(k *Token) { k.Claims["iat"] = f.now + ahead },
		"issued before 1970":   func(k *Token) { k.Claims["iat"] = -1 },
		"not good yet":         func(k *Token) { k.Claims["nbf"] = f.now + ahead },
		"a lifetime too long":  func(k *Token) { k.Claims["exp"] = number(f.t, k.Claims["exp"]) + ahead },
	}
}

func number(t testing.TB, claim any) int64 {
	t.Helper()
	n, err := claim.(json.Number).Int64()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// other returns refresh for an access token, and access for a refresh token.
func other(k *Token) kind {
	if k.Header["typ"] == access.typ {
		return refresh
	}
	return access
}

// algorithms returns edits that sign with the right key, but with an algorithm that the service does not use. Some use
// the public key, which is not secret, as a secret.
func algorithms(signing Key) edits {
	public := signing.private().Public().(ed25519.PublicKey)
	return edits{
		"alg HS256":                     func(k *Token) { k.Header["alg"], k.Sign = "HS256", HS256(signing.Secret) },
		"alg HS384":                     func(k *Token) { k.Header["alg"], k.Sign = "HS384", hmacSigner(sha512.New384, signing.Secret) },
		"alg HS512":                     func(k *Token) { k.Header["alg"], k.Sign = "HS512", hmacSigner(sha512.New, signing.Secret) },
		"HS256 with the public key":     func(k *Token) { k.Header["alg"], k.Sign = "HS256", HS256(public) },
		"EdDSA with the bytes of HS256": func(k *Token) { k.Sign = HS256(signing.Secret) },
		"HS256 with the public key's text": func(k *Token) {
			k.Header["alg"], k.Sign = "HS256", HS256([]byte(base64.RawURLEncoding.EncodeToString(public)))
		},
		"its seed from the text itself": func(k *Token) {
			k.Sign = func(signed string) []byte {
				return ed25519.Sign(ed25519.NewKeyFromSeed(signing.Secret[:ed25519.SeedSize]), []byte(signed))
			}
		},
	}
}

var rsaKeys = sync.OnceValues(func() (private *rsa.PrivateKey, public []byte) {
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	der, err := x509.MarshalPKIXPublicKey(&private.PublicKey)
	if err != nil {
		panic(err)
	}
	return private, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
})
