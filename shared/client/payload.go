package client

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"strings"
	"time"
)

// lifetimeOf returns how long an access token is valid: exp - iat. It does not verify the token. If the token lacks
// these times or they are impossible, ok is false: the client then uses it until the service refuses it.
func lifetimeOf(token string) (lifetime time.Duration, ok bool) {
	_, rest, _ := strings.Cut(token, ".")
	encoded, _, _ := strings.Cut(rest, ".")
	payload, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(encoded, "="))
	if err != nil {
		return 0, false
	}
	var claims struct{ Iat, Exp float64 }
	if err := json.Unmarshal(payload, &claims); err != nil {
		return 0, false
	}
	seconds := claims.Exp - claims.Iat
	if claims.Iat <= 0 || seconds <= 0 || seconds > math.MaxInt32 {
		return 0, false
	}
	return time.Duration(seconds * float64(time.Second)), true
}
