package httpapi

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/token"
)

var errNoCredentials = errors.New("the request has no access token: it needs a header \"Authorization: Bearer <token>\"")

// authenticate returns the user of the access token in the Authorization header. Without a valid token, the error is
// game.ErrUnauthorized, joined with the reason, which only the log shows. Any other error is a fault: the verifier
// could not judge the token.
func authenticate(v Verifier, authorization string, now game.Instant) (token.Caller, error) {
	credentials, ok := bearer(authorization)
	if !ok {
		return token.Caller{}, fmt.Errorf("%w: %w", game.ErrUnauthorized, errNoCredentials)
	}
	caller, err := v.VerifyAccess(credentials, now)
	if errors.Is(err, token.ErrInvalid) || errors.Is(err, token.ErrExpired) {
		return token.Caller{}, fmt.Errorf("%w: %w", game.ErrUnauthorized, err)
	}
	return caller, err
}

// bearer returns the credentials in a header "Bearer <credentials>". The word Bearer may be in any letter case. If the
// header has another form, ok is false.
func bearer(authorization string) (credentials string, ok bool) {
	scheme, rest, _ := strings.Cut(strings.TrimSpace(authorization), " ")
	credentials = strings.TrimSpace(rest)
	return credentials, strings.EqualFold(scheme, "Bearer") && credentials != ""
}

// challenge returns the WWW-Authenticate header of a 401 (RFC 6750, 3). If the request had no credentials, the header
// has no error code. Otherwise the code is invalid_token, even if the token is valid and its user is banned or deleted.
func challenge(cause error) string {
	if errors.Is(cause, errNoCredentials) {
		return `Bearer realm="ranch"`
	}
	return `Bearer realm="ranch", error="invalid_token"`
}
