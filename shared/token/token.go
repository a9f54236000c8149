package token

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/ranch-game/ranch/shared/game"
)

// AccessLifetime is how long an access token is good for, to the next whole second.
const AccessLifetime = 15 * time.Minute

const issuer = "ranch"

// kind keeps access and refresh tokens apart: by the header's type (RFC 8725, 3.11) and by the audience.
type kind struct{ typ, audience string }

var (
	access  = kind{typ: "at+jwt", audience: "ranch-api"}
	refresh = kind{typ: "rt+jwt", audience: "ranch-refresh"}
)

// What verification refuses a token with. Neither says why, nor contains any of the token.
var (
	ErrExpired = errors.New("token: expired")
	ErrInvalid = errors.New("token: invalid")
)

// Caller is the user that an access token was issued to, as the account was then.
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

// IssueAccess returns an access token for the user, good for 15 minutes.
func (k *Keys) IssueAccess(u game.User, now game.Instant) (string, error) {
	return k.sign(access, claims{Username: u.Username, Email: u.Email, Status: string(u.Status)}, u.ID, now, now.Add(AccessLifetime))
}

// IssueRefresh returns a refresh token for the user, and the record by which it is accepted for 30 days.
func (k *Keys) IssueRefresh(user game.ID, now game.Instant) (token string, record game.RefreshRecord, err error) {
	expires := now.Add(game.RefreshTokenLifetime)
	token, err = k.sign(refresh, claims{}, user, now, expires)
	if err != nil {
		return "", game.RefreshRecord{}, err
	}
	return token, game.RefreshRecord{ID: game.NewID(), UserID: user, Digest: Digest(token), ExpiresAt: expires}, nil
}

// Session is what a client gets at registration and at login, and the record that its refresh token is accepted by.
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

// VerifyAccess returns whom an access token was issued to, or ErrExpired or ErrInvalid as VerifyRefresh does.
func (k *Keys) VerifyAccess(token string, now game.Instant) (Caller, error) {
	c, id, err := k.verify(access, token, now)
	if err != nil {
		return Caller{}, err
	}
	return Caller{ID: id, Username: c.Username, Email: c.Email, Status: c.Status}, nil
}

// VerifyRefresh returns the user that a refresh token was issued to. It returns ErrExpired for a token that was good
// once, and ErrInvalid for anything else that is not good now. Whether the token's record is still there is the store's
// to say.
func (k *Keys) VerifyRefresh(token string, now game.Instant) (game.ID, error) {
	_, id, err := k.verify(refresh, token, now)
	return id, err
}

// Digest returns what is kept of a refresh token: its SHA-256, in 64 lower-case hex digits.
func Digest(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

func (k *Keys) sign(kind kind, c claims, subject game.ID, now, expires game.Instant) (string, error) {
	c.RegisteredClaims = jwt.RegisteredClaims{
		Issuer: issuer, Subject: string(subject), Audience: jwt.ClaimStrings{kind.audience},
		ExpiresAt: jwt.NewNumericDate(wholeSecond(expires)), IssuedAt: jwt.NewNumericDate(now.Time()), ID: rand.Text(),
	}
	t := jwt.NewWithClaims(jwt.SigningMethodHS256, c)
	t.Header["typ"], t.Header["kid"] = kind.typ, k.current
	return t.SignedString(k.keys[k.current])
}

// wholeSecond rounds up to the precision that tokens have: of a refresh token and its record, the record expires first.
func wholeSecond(i game.Instant) time.Time {
	return i.Add(time.Second - time.Millisecond).Time().Truncate(time.Second)
}

// parser checks form, algorithm and signature; verify checks the claims, since the library would not say whether the
// expiry alone is wrong.
var parser = jwt.NewParser(jwt.WithValidMethods([]string{jwt.SigningMethodHS256.Alg()}), jwt.WithStrictDecoding(), jwt.WithoutClaimsValidation())

func (k *Keys) verify(kind kind, token string, now game.Instant) (claims, game.ID, error) {
	var c claims
	t, err := parser.ParseWithClaims(token, &c, k.keyOf)
	if err != nil || strings.ContainsAny(token, "\r\n") { // which base64 decoding skips
		return claims{}, "", ErrInvalid
	}
	id, isID := game.ParseID(c.Subject)
	if t.Header["typ"] != kind.typ || c.Issuer != issuer || !slices.Contains(c.Audience, kind.audience) || !isID || c.ExpiresAt == nil {
		return claims{}, "", ErrInvalid
	}
	if now >= game.InstantOf(c.ExpiresAt.Time) {
		return claims{}, "", ErrExpired
	}
	return c, id, nil
}

func (k *Keys) keyOf(t *jwt.Token) (any, error) {
	kid, _ := t.Header["kid"].(string)
	key, ok := k.keys[kid]
	if !ok {
		return nil, ErrInvalid
	}
	return key, nil
}
