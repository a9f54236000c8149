package client

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"math"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// FuzzAnswer reads random answers as the answer to each call. The result is either a value with its required fields, or
// an error with the status and a code. An error is a refusal by the rules only if its status is from 400 to 499.
func FuzzAnswer(f *testing.F) {
	const tokens = `{"token":"e30.e30.c2ln","refreshToken":"r.r.2","user":{"id":"u"}}`
	for _, body := range []string{
		"", "null", "{}", "[]", "true", `"ok"`, tokens, `{"token":"a.b.c\n"}`, `{"success":true}`, `{"success":true,"entryFee":0}`, `{"success":true,"goldReward":null}`, `{"success":true,"goldReward":5}`, `{"token":"a.b.c","refreshToken":"d.e.f"}`,
		`{"success":true,"topThree":null}`, `{"entries":[]}`, `{"success":1}`,
		`{"success":true,"topThree":[]}`, `{"id":"s","entries":[]}`, `{"id":"s","entries":null}`, `{"active":false}`, `{"active":true}`, `{"error":"NOT_FOUND","message":"x"}`, `{"error":7}`,
		`{"error":"VALIDATION_ERROR","details":{"email":["no"]}}`, `{"message":"Not Found"}`, `<html>`, " null ", `{"TOKEN":"a.b.c"}`,
	} {
		for _, status := range []int{200, 401, 503} {
			f.Add(status, []byte(body), "")
		}
	}
	f.Add(200, []byte(tokens), "gzip")
	f.Add(200, gzipped([]byte(tokens)), "gzip")
	f.Add(404, gzipped([]byte(`{"error":"NOT_FOUND"}`)), "gzip")
	form := regexp.MustCompile(`^[\w-]+\.[\w-]+\.[\w-]+$`)
	f.Fuzz(func(t *testing.T, status int, body []byte, encoding string) {
		a := Answer{Status: status, Header: http.Header{"Content-Encoding": {encoding}, "Apigw-Requestid": {"id"}}, Body: body}
		var session sessionAnswer
		var refreshed tokenAnswer
		var done doneAnswer
		var entered enteredAnswer
		var claimed claimedAnswer
		var judged Judged
		var detail ShowDetail
		var season seasonAnswer
		for _, into := range []shaped{&session, &refreshed, &done, &entered, &claimed, &judged, &detail, &season} {
			err := a.Read(http.StatusOK, into)
			if err == nil {
				err = into.check()
				if err != nil {
					continue // the caller answers Unexpected
				}
				if status != http.StatusOK {
					t.Fatalf("%T is good with the status %d", into, status)
				}
				continue
			}
			said, ok := err.(*Error)
			if !ok || said.Status != status || said.Code == "" || said.RequestID != "id" || said.Error() == "" {
				t.Fatalf("%T: %d %q is %+v", into, status, body, err)
			}
			if rule := said.isRule(); rule && (status < 400 || status > 499) || said.isUnread() != (status >= 200 && status < 300) {
				t.Errorf("%T: %d %q is %+v, a rule: %t", into, status, body, said, rule)
			}
		}
		if err := session.check(); err == nil && status == http.StatusOK && (!form.MatchString(session.Token) || !form.MatchString(session.RefreshToken) || session.User.ID == "") {
			t.Errorf("%q is the session %+v", body, session)
		}
		if entered.check() == nil && (!entered.Success || entered.Entered.EntryFee != *entered.EntryFee) {
			t.Errorf("%q is the entry %+v", body, entered)
		}
		if claimed.check() == nil && (!claimed.Success || claimed.Claimed.GoldReward != *claimed.GoldReward) {
			t.Errorf("%q is the prize %+v", body, claimed)
		}
		if plain, err := a.Plain(); err == nil && len(plain) > mostBytes {
			t.Errorf("%d bytes unpacked", len(plain))
		}
	})
}

func gzipped(plain []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(plain) // into memory
	_ = w.Close()
	return b.Bytes()
}

// FuzzSession reads random session files. A session that can be read can be written and read again without a change. An
// incomplete file has no session. String shows no token.
func FuzzSession(f *testing.F) {
	for _, s := range []string{
		"", "{}", "null", "[]", `{"api":"http://x","userId":"u","username":"n","token":"token-token","refreshToken":"refresh-refresh","receivedAt":"2026-11-20T09:30:00Z","lifetimeMs":900000,"aheadMs":-1500}`,
		`{"userId":"u","token":"t","refreshToken":"r","receivedAt":"2026-11-20T09:30:00.123456789+23:59","refusedSince":"2026-11-20T08:31:00.5Z","refusedLast":null,"lifetimeMs":0.5}`,
		`{"userId":"u","token":"t","refreshToken":"r","lifetimeMs":1e300}`, `{"userId":"u","token":"t","refreshToken":"r","lifetimeMs":-1e19,"aheadMs":9e12}`,
		`{"userId":"u","token":"t","refreshToken":"r","receivedAt":"9999-12-31T23:59:59-23:59"}`, `{"userId":"u","token":"t","refreshToken":"r","refusedLast":"0000-01-01T00:00:00+00:01"}`,
		`{"api":"http://x","userId":"u","tok`, `{"api":"http://x"}`, `{"token":"t","refreshToken":"r"}`, `{"userId":"u","refreshToken":"r"}`, `{"userId":"u","token":"t"}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var s Session
		err := json.Unmarshal([]byte(text), &s)
		file := FileStore{Path: filepath.Join(t.TempDir(), "session")}
		if err := os.WriteFile(file.Path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		kept, loadErr := file.Load(t.Context())
		if whole := err == nil && s.UserID != "" && s.Token != "" && s.RefreshToken != ""; loadErr != nil || (kept != nil) != whole {
			t.Fatalf("%q is kept as %v, %v", text, kept, loadErr)
		}
		if err != nil {
			return
		}
		stored, err := json.Marshal(s)
		if err != nil {
			t.Fatalf("%q is read, and not written: %v", text, err)
		}
		var again Session
		if err := json.Unmarshal(stored, &again); err != nil {
			t.Fatalf("%q is written %q, and not read: %v", text, stored, err)
		}
		s.ReceivedAt = s.ReceivedAt.UTC()
		for _, at := range []*time.Time{s.RefusedSince, s.RefusedLast} {
			if at != nil {
				*at = at.UTC()
			}
		}
		if !reflect.DeepEqual(plain(s), plain(again)) {
			t.Errorf("%q is written %q and read %+v, want %+v", text, stored, plain(again), plain(s))
		}
		for _, secret := range []string{s.Token, s.RefreshToken} {
			if shown := s.String(); len(secret) > 8 && !strings.Contains(s.Username+s.API, secret) && strings.Contains(shown, secret) {
				t.Errorf("%q shows its secret", shown)
			}
		}
	})
}

// FuzzTokenTimes compares tokenTimes with iat and exp - iat of the token's second part, computed exactly. ok is true if
// both are numbers, iat is after 1970 and at most in the year 8775, and exp is up to 68 years after iat.
func FuzzTokenTimes(f *testing.F) {
	for _, payload := range []string{
		`{"sub":"x","iat":1795167000,"exp":1795167900}`, `{"iat":1795167000,"exp":1795167000.5}`, `{"iat":1e300,"exp":1e301}`, `{"iat":0,"exp":1}`, `{"iat":-1,"exp":5}`, `{"iat":"1","exp":"2"}`,
		`{"name":"???>>>~~~","iat":1795167000,"exp":1795167900}`, `{"iat":1795167900,"exp":1795167000}`, `{"iat":1795167000,"exp":1795167000}`, `{"exp":1}`, `{"iat":1}`, `{}`, `null`, `[]`, ``, `rubbish`,
		`{"iat":1795167000,"exp":3942650647}`, `{"iat":1795167000,"exp":3942650648}`, `{"iat":214748364700,"exp":214748364701}`, `{"iat":214748364701,"exp":214748364702}`, `{"iat":1795167000,"exp":1e300}`,
	} {
		for _, behind := range []string{".c2ln", "", "=", "==.c2ln"} {
			f.Add([]byte(payload), "e30.", behind)
		}
	}
	f.Add([]byte("{}"), "", "")
	f.Add([]byte(`{"iat":1,"exp":2}`), "e30.%", ".")
	f.Fuzz(func(t *testing.T, payload []byte, before, behind string) {
		text := before + base64.RawURLEncoding.EncodeToString(payload) + behind
		issued, lifetime, ok := tokenTimes(text)
		if ok != (lifetime > 0) || ok && (issued.Unix() < 0 || issued.Year() > 9999) {
			t.Fatalf("%q: %v, %v, %t", text, issued, lifetime, ok)
		}
		if before != "e30." || !regexp.MustCompile(`^={0,2}(\.c2ln)?$`).MatchString(behind) {
			return
		}
		var claims struct{ Iat, Exp json.Number }
		iat, exp, lives := new(big.Rat), new(big.Rat), new(big.Rat)
		var rough struct{ Iat, Exp float64 } // neither 0 nor infinite: other exact numbers could fill the memory
		says := json.Unmarshal(payload, &rough) == nil && rough.Iat != 0 && rough.Exp != 0 && json.Unmarshal(payload, &claims) == nil
		if says {
			_, readable := iat.SetString(claims.Iat.String())
			_, alsoReadable := exp.SetString(claims.Exp.String())
			lives.Sub(exp, iat)
			within := func(r *big.Rat, most int64) bool { return r.Sign() > 0 && r.Cmp(big.NewRat(most, 1)) <= 0 }
			says = readable && alsoReadable && within(iat, math.MaxInt32*100) && within(lives, math.MaxInt32)
		}
		if began, _ := iat.Float64(); ok != says || ok && math.Abs(float64(issued.UnixMilli())/1000-began) > 0.002 {
			t.Errorf("%s was issued at %v: %t, want %v: %t", payload, issued, ok, iat, says)
		}
		if seconds, _ := lives.Float64(); ok && math.Abs(lifetime.Seconds()-seconds) > 0.002 {
			t.Errorf("%s lives %v, want %v s", payload, lifetime, lives)
		}
	})
}

// FuzzRetryAfter checks the wait that an answer asks for, which is never more than 30 s. A number is seconds, a date
// counts from the answer's Date, and any other text means 0.
func FuzzRetryAfter(f *testing.F) {
	for _, s := range [][2]string{
		{"", ""}, {"5", ""}, {"-1", ""}, {"1e9", ""}, {"18446744073709551615", ""}, {"18446744073709551616", ""}, {"Fri, 20 Nov 2026 09:30:10 GMT", "Fri, 20 Nov 2026 09:30:00 GMT"},
		{"Fri, 20 Nov 2026 09:30:00 GMT", "Fri, 20 Nov 2026 09:30:10 GMT"}, {"Fri, 31 Dec 9999 23:59:59 GMT", "Thu, 01 Jan 1970 00:00:00 GMT"}, {"07", "x"}, {"Fri, 20 Nov 2026 09:30:10 GMT", "x"}, {"+7", ""}, {" 7", ""},
		{"0", ""}, {"30", ""}, {"31", ""}, {"1.5", ""}, {"soon", ""}, {"Friday, 20-Nov-26 09:30:04 GMT", "Fri, 20 Nov 2026 09:30:00 GMT"}, {"Fri, 20 Nov 2026 09:30:10 GMT", ""},
	} {
		f.Add(s[0], s[1])
	}
	number := regexp.MustCompile(`^\d{1,15}$`)
	f.Fuzz(func(t *testing.T, asked, date string) {
		got := retryAfter(http.Header{"Retry-After": {asked}, "Date": {date}})
		until, untilErr := http.ParseTime(asked)
		now, nowErr := http.ParseTime(date)
		want := time.Duration(0)
		switch seconds, _ := strconv.Atoi(asked); {
		case number.MatchString(asked):
			want = time.Duration(min(seconds, 30)) * time.Second
		case untilErr == nil && nowErr == nil:
			want = min(max(0, until.Sub(now)), 30*time.Second)
		case strings.Trim(asked, "0123456789") == "": // a number that is too large for an integer
			want = min(got, 30*time.Second)
		}
		if got != want {
			t.Errorf("%q at %q asks for %v, want %v", asked, date, got, want)
		}
	})
}
