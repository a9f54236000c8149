package client_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/ranch-game/ranch/shared/client"
)

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// endless is a body with left bytes that counts the bytes that were read.
type endless struct{ left, read int }

func (e *endless) Read(b []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n := min(len(b), e.left)
	e.left, e.read = e.left-n, e.read+n
	return n, nil
}

func (e *endless) Close() error { return nil }

// Send accepts an answer of 32 MB. Of a larger answer, it reads one byte more than 32 MB.
func TestTransport_largestAnswer(t *testing.T) {
	t.Parallel()
	for bytes, want := range map[int]int{33_554_432: 33_554_432, 400_000_000: 33_554_433} {
		body := &endless{left: bytes}
		transport := client.Transport{API: "https://api.test", HTTP: &http.Client{Transport: roundTripper(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: body}, nil
		})}}
		answer, err := transport.Send(t.Context(), client.Request{Method: http.MethodGet, Path: "/"})
		if good := bytes == want; (err == nil) != good || body.read != want || good && len(answer.Body) != bytes {
			t.Errorf("%d bytes: read %d, got %d, %v", bytes, body.read, len(answer.Body), err)
		}
	}
}
