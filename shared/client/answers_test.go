package client

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A 2xx answer without the contract's fields is not a success: something else may answer in the API's place.
// docs/scenarios.md says how the call ends.
func TestAnswers_shape(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		into func() any
		good string
		bad  []string
	}{
		"a session": {func() any { return &sessionAnswer{} }, `{"token":"e30.e30.c2ln","refreshToken":"r.r.2","user":{"id":"u-2"}}`, []string{
			`{"refreshToken":"r.r.2","user":{"id":"u-2"}}`, `{"token":"e30.e30.c2ln","user":{"id":"u-2"}}`, `{"token":"e30.e30.c2ln","refreshToken":"r.r.2"}`,
			`{"token":"e30.e30","refreshToken":"r.r.2","user":{"id":"u-2"}}`, `{"token":"e30.e30.c2ln","refreshToken":"r. .2","user":{"id":"u-2"}}`,
			`{"token":"e30..c2ln","refreshToken":"r.r.2","user":{"id":"u-2"}}`, `{"token":"e30.e30.c2ln","refreshToken":"r.r.2","user":{"id":2}}`,
		}},
		"a token":    {func() any { return &tokenAnswer{} }, `{"token":"a.b.c"}`, []string{`{"token":"a.b"}`, `{"token":"a.b.c.d"}`, `{"token":"a.b.c "}`, `{"token":true}`}},
		"a log-out":  {func() any { return &doneAnswer{} }, `{"success":true}`, []string{`{"success":false}`}},
		"an entry":   {func() any { return &enteredAnswer{} }, `{"success":true,"entryFee":0}`, []string{`{"success":true,"entryFee":null}`, `{"success":true,"entryFee":"5"}`, `{"success":false,"entryFee":5}`}},
		"a claim":    {func() any { return &claimedAnswer{} }, `{"success":true,"goldReward":0}`, []string{`{"success":true,"goldReward":null}`, `{"success":false,"goldReward":5}`, `{"success":1,"goldReward":5}`}},
		"a judging":  {func() any { return &Judged{} }, `{"success":true,"topThree":[]}`, []string{`{"success":true}`, `{"success":true,"topThree":{}}`, `{"topThree":[]}`}},
		"a show":     {func() any { return &ShowDetail{} }, `{"id":"s-1","entries":[]}`, []string{`{"id":"s-1"}`, `{"id":"s-1","entries":null}`, `{"entries":[]}`}},
		"a season":   {func() any { return &seasonAnswer{} }, `{"id":"n-1"}`, []string{`{"active":true}`, `{"active":null}`, `{"id":7}`}},
		"no season":  {func() any { return &seasonAnswer{} }, `{"active":false}`, nil},
		"some shows": {func() any { return &[]ListedShow{} }, `[]`, []string{`{"0":{}}`}},
	} {
		for _, body := range append(test.bad, `{}`, `{"status":"ok"}`, `"ok"`, `true`, `7`, `null`, ``, `<html>`) {
			if err := answered(200, body).read(200, test.into()); CodeOf(err) != Unexpected {
				t.Errorf("%s: %q is read: %v", name, body, err)
			}
		}
		if err := answered(200, test.good).read(200, test.into()); err != nil {
			t.Errorf("%s: %s: %v", name, test.good, err)
		}
		if err := answered(201, test.good).read(200, test.into()); CodeOf(err) != Unexpected {
			t.Errorf("%s: with another status: %v", name, err)
		}
	}
}

func answered(status int, body string) outcome {
	return outcome{answer: Answer{Status: status, Body: []byte(body)}}
}

// A compressed answer is read like any other. An answer that only claims to be compressed is Unexpected.
func TestAnswer_Plain(t *testing.T) {
	t.Parallel()
	compressed := func(text string) Answer {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		if _, err := w.Write([]byte(text)); err != nil || w.Close() != nil {
			t.Fatal(err)
		}
		return Answer{Status: 200, Header: http.Header{"Content-Encoding": {"gzip"}}, Body: b.Bytes()}
	}
	var got []int
	if err := compressed("[1,2]").Read(200, &got); err != nil || len(got) != 2 {
		t.Errorf("%v, %v", got, err)
	}
	refusal := compressed(`{"error":"NOT_FOUND","message":"Show not found"}`)
	refusal.Status = 404
	if err := refusal.Read(200, &got); CodeOf(err) != NotFound || err.Error() != "Show not found" {
		t.Errorf("a refusal: %v", err)
	}
	broken := compressed("[1,2]")
	broken.Body = broken.Body[:len(broken.Body)-9]
	for name, a := range map[string]Answer{
		"cut off": broken, "no gzip": {Status: 200, Header: broken.Header, Body: []byte("[]")}, "too large": compressed(strings.Repeat(" ", mostBytes+1)),
	} {
		if err := a.Read(200, &got); CodeOf(err) != Unexpected {
			t.Errorf("%s: %v", name, err)
		}
	}
	const most = 33_554_432 // 32 MB
	for n, good := range map[int]bool{most: true, most + 1: false} {
		a := Answer{Header: http.Header{"Content-Encoding": {"gzip"}}, Body: gzipped(make([]byte, n))}
		if plain, err := a.Plain(); (err == nil) != good || good && len(plain) != n {
			t.Errorf("%d bytes: got %d, %v", n, len(plain), err)
		}
	}
	if plain, err := (Answer{Body: []byte("[1]")}).Plain(); err != nil || string(plain) != "[1]" {
		t.Errorf("%q, %v", plain, err)
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

// All clients share connections. Up to 32 idle ones stay open for each host.
func TestKeepAlive(t *testing.T) {
	t.Parallel()
	if n := keepAlive().Transport.(*http.Transport).MaxIdleConnsPerHost; n != 32 {
		t.Error(n)
	}
}
