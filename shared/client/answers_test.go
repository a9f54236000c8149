package client

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"testing"
	"time"
)

// A compressed answer is read like any other. An answer that only claims to be compressed, or becomes too large, is
// Unexpected.
func TestAnswer_Plain(t *testing.T) {
	t.Parallel()
	header := http.Header{"Content-Encoding": {"gzip"}}
	whole := gzipped([]byte(`{"error":"NOT_FOUND","message":"Show not found"}`))
	if err := (Answer{Status: 404, Header: header, Body: whole}).Read(200, nil); CodeOf(err) != NotFound || err.Error() != "Show not found" {
		t.Errorf("a refusal: %v", err)
	}
	var got []int
	for name, body := range map[string][]byte{
		"cut off": whole[:len(whole)-9], "no gzip": []byte("[]"), "too large": gzipped(bytes.Repeat([]byte(" "), mostBytes+1)),
	} {
		if err := (Answer{Status: 200, Header: header, Body: body}).Read(200, &got); CodeOf(err) != Unexpected {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTokenTimes(t *testing.T) {
	t.Parallel()
	token := func(payload string) string {
		return "e30." + base64.RawURLEncoding.EncodeToString([]byte(payload)) + ".c2ln"
	}
	issued := time.Unix(1_795_167_000, 0)
	for name, test := range map[string]struct {
		token    string
		lifetime time.Duration // 0 if the token does not say
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
		"the longest life":        {token(`{"iat":1795167000,"exp":3942650647}`), 2_147_483_647 * time.Second},
		"too long a life":         {token(`{"iat":1795167000,"exp":3942650648}`), 0},
		"too late":                {token(`{"iat":214748364701,"exp":214748364702}`), 0},
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
	if _, lifetime, ok := tokenTimes(token(`{"iat":214748364700,"exp":214748364701}`)); !ok || lifetime != time.Second {
		t.Errorf("the last time: got %v, %v", lifetime, ok)
	}
}
