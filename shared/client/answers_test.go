package client

import (
	"bytes"
	"net/http"
	"testing"
)

// Read decompresses an answer. If the body is not gzip, or exceeds 32 MB decompressed, the code is Unexpected.
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
