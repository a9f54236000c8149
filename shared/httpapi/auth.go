package httpapi

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/token"
)

var errNoCredentials = errors.New("no bearer credentials")

// authenticate returns the user of the access token in the Authorization header. Its errors are game.ErrUnauthorized,
// with the reason for the log, or a fault of the verifier, if that cannot judge the token.
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

// bearer returns the credentials of a header "Bearer <credentials>"; the scheme's case does not matter.
func bearer(authorization string) (credentials string, ok bool) {
	scheme, rest, _ := strings.Cut(strings.TrimSpace(authorization), " ")
	credentials = strings.TrimSpace(rest)
	return credentials, strings.EqualFold(scheme, "Bearer") && credentials != ""
}

// challenge returns the WWW-Authenticate header of a 401 (RFC 6750, 3). It is bare if the request had no credentials.
// Otherwise it has an error code, even if the token is valid and its user is banned or deleted.
func challenge(cause error) string {
	if errors.Is(cause, errNoCredentials) {
		return `Bearer realm="ranch"`
	}
	return `Bearer realm="ranch", error="invalid_token"`
}
