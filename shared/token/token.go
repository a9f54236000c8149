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

// AccessLifetime is how long an access token is valid, from the whole second in which it is issued: tokens have whole
// seconds.
const AccessLifetime = 15 * time.Minute

const issuer = "ranch"

// skew is how far the issuer's clock may be ahead of the verifier's.
const skew = time.Minute

// kind distinguishes access and refresh tokens: by the header's type (RFC 8725, 3.11) and by the audience. A token is
// valid until its lifetime and then the leeway have passed.
type kind struct {
	typ, audience    string
	lifetime, leeway time.Duration
}

// An access token ends at its exp. A refresh token ends with its record. The record counts milliseconds from the
// instant of issue, so it ends less than a second after exp. The leeway (allowed by RFC 7519, 4.1.4) keeps the token
// valid as long as the record can be.
var (
	access  = kind{typ: "at+jwt", audience: "ranch-api", lifetime: AccessLifetime}
	refresh = kind{typ: "rt+jwt", audience: "ranch-refresh", lifetime: game.RefreshTokenLifetime, leeway: time.Second}
)

// The errors of verification. They neither say why, nor contain any of the token.
var (
	ErrExpired = errors.New("token: expired")
	ErrInvalid = errors.New("token: invalid")
)

// errUnknownKey is the refusal of a token whose key may have been added since the keys were read.
var errUnknownKey = fmt.Errorf("%w: there is no key of its kid", ErrInvalid)

// maxKidBytes is longer than any of our kids.
const maxKidBytes = 64

// Caller is the user of an access token, with the account's values at its issue.
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

// IssueRefresh returns a refresh token for the user, and its record, valid for 30 days, to the millisecond.
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

// Session is a client's tokens after a registration or a login, and the record of the refresh token.
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

// VerifyAccess returns the user of an access token, or ErrExpired or ErrInvalid as VerifyRefresh does.
func (k *Keys) VerifyAccess(token string, now game.Instant) (Caller, error) {
	c, id, err := k.verify(access, token, now)
	if err != nil {
		return Caller{}, err
	}
	return Caller{ID: id, Username: c.Username, Email: c.Email, Status: c.Status}, nil
}

// VerifyRefresh returns the user of a refresh token. It returns ErrExpired for a token that was valid once, and
// ErrInvalid for any other invalid one. The store knows whether the token's record still exists and has not expired: no
// token expires before its record.
func (k *Keys) VerifyRefresh(token string, now game.Instant) (game.ID, error) {
	_, id, err := k.verify(refresh, token, now)
	return id, err
}

// Digest returns the stored form of a refresh token: its SHA-256, in 64 lower-case hex digits.
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
		return "", errors.New("token: with public keys nobody can sign")
	case k.hs256 == Issued:
		method, key = jwt.SigningMethodHS256, k.keys[kid].text
	}
	t := jwt.NewWithClaims(method, c)
	t.Header["typ"], t.Header["kid"] = kind.typ, kid
	return t.SignedString(key)
}

// parser checks form and signature; keyOf decides which algorithm is valid with which key; and verify checks the
// claims, since the library does not report whether only the expiry is wrong.
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

// isAfter reports whether a claim is a time after the given one. Times before 1970 are invalid, and the library turns
// numbers that are too large into such times.
func isAfter(claim *jwt.NumericDate, t time.Time) bool {
	return claim != nil && (claim.Unix() > t.Unix() || claim.Unix() < 0)
}

// keyOf returns the key that verifies the token's signature. A public key never counts as the text of HMAC-SHA256:
// anyone who knows one could make tokens with it.
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
