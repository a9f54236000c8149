package token

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/ranch-game/ranch/shared/game"
)

// AccessLifetime is the time for which an access token is valid. It counts from the start of the second in which the
// token was issued, because tokens have whole seconds.
const AccessLifetime = 15 * time.Minute

const issuer = "ranch"

// skew is how far the issuer's clock may be ahead of the verifier's clock.
const skew = time.Minute

// kind is the kind of a token: access or refresh. The header's type (RFC 8725, 3.11) and the audience distinguish the
// kinds. A token is valid for its lifetime and then for the leeway.
type kind struct {
	typ, audience    string
	lifetime, leeway time.Duration
}

// An access token expires at its claim exp, which has whole seconds. A refresh token expires with its record in the
// table, exactly 30 days after the instant of issue, in milliseconds. So the record expires up to a second after exp.
// The leeway (allowed by RFC 7519, 4.1.4) keeps the token valid until then.
var (
	access  = kind{typ: "at+jwt", audience: "ranch-api", lifetime: AccessLifetime}
	refresh = kind{typ: "rt+jwt", audience: "ranch-refresh", lifetime: game.RefreshTokenLifetime, leeway: time.Second}
)

// Verification of a token fails with these errors, which contain no part of the token. ErrInvalid names no check,
// except for an unknown key id.
var (
	ErrExpired = errors.New("the token has expired: the client must refresh it or log in again")
	ErrInvalid = errors.New("the token is invalid: malformed, altered, of the wrong kind, or signed with an unknown key")
)

// errUnknownKey means that the key id (kid) of a token is unknown. A new key may have it, so a Ring reads the keys
// again.
var errUnknownKey = fmt.Errorf("%w: no key has the id in its header (kid)", ErrInvalid)

// maxKidBytes is the longest key id (kid) in a token for which keys are read again. The ids of our keys are shorter.
const maxKidBytes = 64

// Caller is the user of an access token, with the account's values at the time when the token was issued.
type Caller struct {
	ID       game.ID
	Username string
	Email    string
	Status   string
}

type claims struct {
	Username string `json:"username,omitempty"`
	Email    string `json:"email,omitempty"`
	Status   string `json:"status,omitempty"`
	jwt.RegisteredClaims
}

// IssueAccess returns an access token for the user, valid for AccessLifetime.
func (k *Keys) IssueAccess(u game.User, now game.Instant) (string, error) {
	return k.sign(access, claims{Username: u.Username, Email: u.Email, Status: string(u.Status)}, u.ID, now)
}

// IssueRefresh returns a refresh token for the user, and the record of the token, which the caller must store. The
// record is valid for 30 days, to the millisecond.
func (k *Keys) IssueRefresh(user game.ID, now game.Instant) (token string, record game.RefreshRecord, err error) {
	token, err = k.sign(refresh, claims{}, user, now)
	if err != nil {
		return "", game.RefreshRecord{}, err
	}
	record = game.RefreshRecord{
		ID: game.NewID(), UserID: user, Digest: Digest(token), ExpiresAt: now.Add(game.RefreshTokenLifetime),
	}
	return token, record, nil
}

// Session holds the two tokens that a client gets after a registration or a login. Record is the record of the refresh
// token, which the caller must store.
type Session struct {
	Access, Refresh string
	Record          game.RefreshRecord
}

// IssueSession returns a new access token and a new refresh token for the user.
func (k *Keys) IssueSession(u game.User, now game.Instant) (Session, error) {
	access, err := k.IssueAccess(u, now)
	if err != nil {
		return Session{}, err
	}
	refresh, record, err := k.IssueRefresh(u.ID, now)
	return Session{access, refresh, record}, err
}

// VerifyAccess returns the user of a valid access token. For a token that was valid once, the error is ErrExpired. For
// any other text, it is ErrInvalid.
func (k *Keys) VerifyAccess(token string, now game.Instant) (Caller, error) {
	c, id, err := k.verify(access, token, now)
	if err != nil {
		return Caller{}, err
	}
	return Caller{ID: id, Username: c.Username, Email: c.Email, Status: c.Status}, nil
}

// VerifyRefresh returns the id of the user of a valid refresh token. Its errors are those of VerifyAccess. The caller
// must also check that the store has a live record of the token. A token never expires before its record.
func (k *Keys) VerifyRefresh(token string, now game.Instant) (game.ID, error) {
	_, id, err := k.verify(refresh, token, now)
	return id, err
}

// Digest returns the form in which the table stores a refresh token: its SHA-256 in 64 lower-case hex digits.
func Digest(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

func (k *Keys) sign(kind kind, c claims, subject game.ID, now game.Instant) (string, error) {
	issued := now.Time().Truncate(time.Second)
	c.RegisteredClaims = jwt.RegisteredClaims{
		Issuer: issuer, Subject: string(subject), Audience: jwt.ClaimStrings{kind.audience},
		ExpiresAt: jwt.NewNumericDate(issued.Add(kind.lifetime)), IssuedAt: jwt.NewNumericDate(issued), ID: rand.Text(),
	}
	kid := signer(k.current, k.keys, k.since, now)
	method, key := jwt.SigningMethod(jwt.SigningMethodEdDSA), any(k.keys[kid].private)
	switch {
	case k.keys[kid].private == nil:
		return "", errors.New("token: cannot sign a token with public keys only: this function needs the signing keys (SIGNING_KEYS_SECRET)")
	case k.hs256 == Issued:
		method, key = jwt.SigningMethodHS256, k.keys[kid].text
	}
	t := jwt.NewWithClaims(method, c)
	t.Header["typ"], t.Header["kid"] = kind.typ, kid
	return t.SignedString(key)
}

// parser checks the form and the signature of a token. keyOf decides which algorithm is valid with which key. verify
// checks the claims itself, because jwt does not report whether only the expiry is wrong.
var parser = jwt.NewParser(
	jwt.WithValidMethods([]string{jwt.SigningMethodEdDSA.Alg(), jwt.SigningMethodHS256.Alg()}), jwt.WithStrictDecoding(), jwt.WithoutClaimsValidation(),
)

func (k *Keys) verify(kind kind, token string, now game.Instant) (claims, game.ID, error) {
	var c claims
	t, err := parser.ParseWithClaims(token, &c, k.keyOf)
	if errors.Is(err, errUnknownKey) {
		return claims{}, "", errUnknownKey
	}
	if err != nil || strings.ContainsAny(token, "\r\n") { // base64 decoding skips line breaks
		return claims{}, "", ErrInvalid
	}
	id, isID := game.ParseID(c.Subject)
	_, critical := t.Header["crit"] // critical extensions (RFC 7515, 4.1.11): we support none
	latest := now.Time().Add(skew)
	switch {
	case t.Header["typ"] != kind.typ, c.Issuer != issuer, !slices.Contains(c.Audience, kind.audience), !isID, c.ExpiresAt == nil, critical:
		return claims{}, "", ErrInvalid
	case now >= game.InstantOf(c.ExpiresAt.Time.Add(kind.leeway)):
		return claims{}, "", ErrExpired
	case isAfter(c.IssuedAt, latest), isAfter(c.NotBefore, latest), isAfter(c.ExpiresAt, latest.Add(kind.lifetime)):
		return claims{}, "", ErrInvalid
	}
	return c, id, nil
}

// isAfter reports whether the time in a claim is after t, or before 1970. Times before 1970 are invalid: jwt turns
// numbers that are too large into such times.
func isAfter(claim *jwt.NumericDate, t time.Time) bool {
	return claim != nil && (claim.Unix() > t.Unix() || claim.Unix() < 0)
}

// keyOf returns the key that verifies the token's signature. For HMAC-SHA256 it never returns a public key, because
// anyone who knows the public key could then make tokens.
func (k *Keys) keyOf(t *jwt.Token) (any, error) {
	kid, _ := t.Header["kid"].(string)
	key, ok := k.keys[kid]
	switch {
	case ok && t.Method == jwt.SigningMethodEdDSA:
		return key.public, nil
	case ok && t.Method == jwt.SigningMethodHS256 && k.hs256 != Refused && key.text != nil:
		return key.text, nil
	case ok, kid == "", len(kid) > maxKidBytes:
		return nil, ErrInvalid
	}
	return nil, errUnknownKey
}
