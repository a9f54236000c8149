package client

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// FuzzAnswer reads random answers as the answer to each call. The result is either a value with its required fields, or
// an error with the status and a code.
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
			if said.isUnread() != (status >= 200 && status < 300) {
				t.Errorf("%T: %d %q is %+v", into, status, body, said)
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
