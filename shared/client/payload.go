package client

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"strings"
	"time"
)

// tokenTimes returns when an access token was issued and how long it is valid. It does not verify the token. If the
// token lacks these times or they are impossible, ok is false: the client then uses it until the service refuses it.
func tokenTimes(token string) (issued time.Time, lifetime time.Duration, ok bool) {
	_, rest, _ := strings.Cut(token, ".")
	encoded, _, _ := strings.Cut(rest, ".")
	payload, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(encoded, "="))
	if err != nil {
		return time.Time{}, 0, false
	}
	var claims struct{ Iat, Exp float64 }
	if err := json.Unmarshal(payload, &claims); err != nil {
		return time.Time{}, 0, false
	}
	seconds := claims.Exp - claims.Iat
	if claims.Iat <= 0 || claims.Iat > math.MaxInt32*100 || seconds <= 0 || seconds > math.MaxInt32 {
		return time.Time{}, 0, false
	}
	return time.UnixMilli(int64(claims.Iat * 1000)), time.Duration(seconds * float64(time.Second)), true
}
