package gateway

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"
)

// FuzzEvent checks that any request that Go's server accepts becomes an event in JSON. The event has the request's
// body, query and headers, but no headers of the connection.
func FuzzEvent(f *testing.F) {
	for _, s := range []string{
		"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "POST /cats/7?a=1&a=2&b=%zz HTTP/1.1\r\nHost: [::1]:80\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
		"POST /%ff%00 HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain; charset=\"\r\nContent-Length: 1\r\n\r\n\xff", "GET /a//b/../c HTTP/1.0\r\nCookie: a=b;; c\r\nCookie: d\r\nX-A: 1\r\nx-a: 2\r\n\r\n",
		"POST http://elsewhere/x HTTP/1.1\r\nHost: y\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n1\r\nx\r\n0\r\n\r\n", "GET /?\xff HTTP/1.1\r\nHost: z\r\nAuthorization: Bearer \x80\r\n\r\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, sent []byte) {
		r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(sent)))
		if err != nil {
			return
		}
		r.RemoteAddr = "127.0.0.1:1"
		body, err := readBody(httptest.NewRecorder(), r)
		if err != nil {
			return
		}
		text, err := newEvent(r, route{key: "POST /x/{id}"}, map[string]string{"id": r.URL.Path}, nil, body, "id", traceID(r))
		if err != nil {
			t.Fatalf("%q: %v", sent, err)
		}
		var event events.APIGatewayV2HTTPRequest
		if err := json.Unmarshal(text, &event); err != nil {
			t.Fatalf("%q becomes %q: %v", sent, text, err)
		}
		got := []byte(event.Body)
		if event.IsBase64Encoded {
			if got, err = base64.StdEncoding.DecodeString(event.Body); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(got, body) {
			t.Errorf("the body %q becomes %q", body, got)
		}
		if utf8.ValidString(r.URL.RawQuery) && event.RawQueryString != r.URL.RawQuery || utf8.ValidString(r.URL.Path) && event.PathParameters["id"] != r.URL.Path {
			t.Errorf("%q becomes %q", sent, text)
		}
		if values, err := url.ParseQuery(r.URL.RawQuery); err == nil && utf8.ValidString(values.Encode()) {
			for name, all := range values {
				if joined := strings.Join(all, ","); utf8.ValidString(name) && utf8.ValidString(joined) && event.QueryStringParameters[name] != joined {
					t.Errorf("%q of %q is %q", name, r.URL.RawQuery, event.QueryStringParameters[name])
				}
			}
		}
		for name, value := range event.Headers {
			if name != strings.ToLower(name) || name == "cookie" || name == "connection" || name == "transfer-encoding" || name == "upgrade" {
				t.Errorf("%q has the header %q: %q", sent, name, value)
			}
		}
		for name, values := range r.Header {
			want := strings.Join(values, ",")
			if lower := strings.ToLower(name); (lower == "authorization" || lower == "content-type") && utf8.ValidString(want) && event.Headers[lower] != want {
				t.Errorf("%q becomes %q", want, event.Headers[lower])
			}
		}
	})
}

// FuzzOutput checks that any output of a function becomes one complete HTTP response, or an error. No header in the
// output adds another header or a second response.
func FuzzOutput(f *testing.F) {
	for _, s := range []string{
		"", "null", `"text"`, "7", "[]", "{}", `{"statusCode":200,"body":"{}"}`, `{"statusCode":"200"}`, `{"statusCode":null}`, `{"statusCode":99}`, `{"statusCode":600}`, `{"statusCode":204,"body":"x"}`,
		`{"statusCode":200,"body":"4pi6","isBase64Encoded":true}`, `{"statusCode":200,"body":"!","isBase64Encoded":true}`, `{"statusCode":200,"headers":{"X":"a\r\nY: b","Content-Length":"7","Transfer-Encoding":"chunked"}}`,
		`{"statusCode":200,"headers":{"X Y":"a","":"b","Access-Control-Allow-Origin":"*"},"cookies":["a=b","c\r\nd"]}`, `{"statusCode":301,"headers":{"location":"x"}}`, `{"StatusCode":201}`, `{"statusCode":1e2}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, output []byte) {
		response, body, err := parseOutput(output)
		if err == nil && (!json.Valid(output) || response.StatusCode < 200 || response.StatusCode > 599) {
			t.Fatalf("%q is the answer %+v", output, response)
		}
		g := &Gateway{cfg: Config{CORS: &CORS{}}}
		w := httptest.NewRecorder()
		if responded := g.respond(w, output); (responded == nil) != (err == nil) || err != nil && w.Body.Len() > 0 {
			t.Fatalf("%q: %v, %v", output, responded, err)
		} else if err != nil {
			return
		}
		var wire bytes.Buffer
		if err := w.Result().Write(&wire); err != nil {
			t.Fatal(err)
		}
		read, err := http.ReadResponse(bufio.NewReader(&wire), nil)
		if err != nil {
			return // Go's server leaves out header names that HTTP does not allow
		}
		plain, err := io.ReadAll(read.Body)
		none := response.StatusCode == http.StatusNoContent || response.StatusCode == http.StatusNotModified
		if err != nil || read.StatusCode != response.StatusCode || !none && (!bytes.Equal(plain, body) || read.Header.Get("Content-Length") != strconv.Itoa(len(body))) {
			t.Errorf("%q is sent as %d %v %q, want %q: %v", output, read.StatusCode, read.Header, plain, body, err)
		}
		for name := range read.Header {
			if isCORS(name) || name == "Transfer-Encoding" {
				t.Errorf("%q is sent with the header %s", output, name)
			}
		}
	})
}
