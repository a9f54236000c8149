package client

import (
	"encoding/base64"
	"testing"
	"time"
)

func TestTokenTimes(t *testing.T) {
	t.Parallel()
	token := func(payload string) string {
		return "e30." + base64.RawURLEncoding.EncodeToString([]byte(payload)) + ".c2ln"
	}
	issued := time.Unix(1_795_167_000, 0)
	for name, test := range map[string]struct {
		token    string
		lifetime time.Duration // 0: it does not tell
	}{
		"as the service makes it": {token(`{"sub":"x","iat":1795167000,"exp":1795167900}`), 15 * time.Minute},
		"one second":              {token(`{"iat":1795167000,"exp":1795167001}`), time.Second},
		"half a second":           {token(`{"iat":1795167000,"exp":1795167000.5}`), 500 * time.Millisecond},
		"padded":                  {"e30." + base64.URLEncoding.EncodeToString([]byte(`{"iat":1795167000,"exp":1795167900}`)) + ".c2ln", 15 * time.Minute},
		"letters of URLs alone":   {token(`{"name":"???>>>~~~","iat":1795167000,"exp":1795167900}`), 15 * time.Minute},
		"without a signature":     {"e30." + base64.RawURLEncoding.EncodeToString([]byte(`{"iat":1795167000,"exp":1795167900}`)), 15 * time.Minute},
		"ended before it began":   {token(`{"iat":1795167900,"exp":1795167000}`), 0},
		"ended as it began":       {token(`{"iat":1795167000,"exp":1795167000}`), 0},
		"without iat":             {token(`{"exp":1795167900}`), 0},
		"without exp":             {token(`{"iat":1795167000}`), 0},
		"times as text":           {token(`{"iat":"1795167000","exp":"1795167900"}`), 0},
		"times beyond all bounds": {token(`{"iat":1e300,"exp":1e301}`), 0},
		"for ever":                {token(`{"iat":1795167000,"exp":1e300}`), 0},
		"before all time":         {token(`{"iat":-1e300,"exp":-1e299}`), 0},
		"a list":                  {token(`[]`), 0},
		"null":                    {token(`null`), 0},
		"no JSON":                 {token(`rubbish`), 0},
		"no base64":               {"e30.%%%.c2ln", 0},
		"one part":                {"rubbish", 0},
		"dots":                    {"..", 0},
		"empty":                   {"", 0},
	} {
		began, lifetime, ok := tokenTimes(test.token)
		if ok != (test.lifetime > 0) || lifetime != test.lifetime {
			t.Errorf("%s: got %v, %v, %v", name, began, lifetime, ok)
		}
		if ok && !began.Equal(issued) {
			t.Errorf("%s: issued %v", name, began)
		}
	}
}
