package client

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"
	"testing"
)

// An answer that has come compressed is read like any other; one that only says so is not understood.
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
	if plain, err := (Answer{Body: []byte("[1]")}).Plain(); err != nil || string(plain) != "[1]" {
		t.Errorf("%q, %v", plain, err)
	}
}
