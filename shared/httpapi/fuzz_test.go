package httpapi

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/shared/game"
)

// FuzzBody compares Object with readObject, which reads the tokens of json.Decoder. A valid body is an object of at
// most 65,536 bytes of UTF-8, with nothing after it. Members have exact names. If several have the same name, the last
// one counts. The body in base64 gives the same object, and invalid base64 gives none.
func FuzzBody(f *testing.F) {
	for _, body := range []string{
		"", "{}", "null", "[]", `"x"`, `{"animalId":"x"}`, `{"animalId":null}`, `{"animalId":7}`, `{"animalId":"a","animalId":"b"}`, `{"AnimalID":"x"}`,
		`{"\u0061nimalId":"\ud83d\ude00"}`, `{"animalId":"\ud800"}`, `{"animalId":"x"}{}`, `{"animalId":"x"} x`, `{"":""}`, "\ufeff{}", "{\"animalId\":\"\xff\"}",
		` {"animalId" : "x" } `, `{"animalId":{"animalId":"x"}}`, `{"animalId":"a\u0000b"}`, `{"a":1e999}`, "[[[[", `{"a":`, "  ", "1", `{"animalId":true}`,
		`{"animalId":["a"]}`, `{"animalId":"x","animalId":null}`, `{"animalId":"x",}`, `{'animalId':'x'}`, `{"animalId":"x"} // c`, "{\"\xc3\":\"b\"}",
		"{\"animalId\":\"\n\"}", `{"animalId":"\u003c\ud83d\udc0e","unknown":{"x":[1,{}]}}`, `{"animalId":""}`,
	} {
		for _, name := range []string{"animalId", "ANIMALID", "absent"} {
			f.Add([]byte(body), name, uint16(0))
		}
	}
	f.Add([]byte("{}"), "", uint16(65_534))
	f.Add([]byte("{}"), "", uint16(65_535))
	f.Fuzz(func(t *testing.T, body []byte, name string, spaces uint16) {
		body = append(body, strings.Repeat(" ", int(spaces))...)
		r := newRequest(events.APIGatewayV2HTTPRequest{Body: string(body)}, 0)
		got, ok := r.Object()
		want, wantOK := readObject(body)
		require.True(t, ok == wantOK && len(got) == len(want), "%q: %v, %t, want %v, %t", body, got, ok, want, wantOK)
		encoded := newRequest(events.APIGatewayV2HTTPRequest{Body: base64.StdEncoding.EncodeToString(body), IsBase64Encoded: true}, 0)
		assert.True(t, bytes.Equal(encoded.Body, body), "%q is %q in base64", body, encoded.Body)
		broken := newRequest(events.APIGatewayV2HTTPRequest{Body: base64.StdEncoding.EncodeToString(body) + "!", IsBase64Encoded: true}, 0)
		o, ok := broken.Object()
		assert.True(t, !ok && broken.Body == nil, "what is no base64 is %v", o)
		for _, name := range append([]string{name}, slices.Collect(maps.Keys(want))...) {
			text, state := got.String(name)
			value, present := want[name]
			wantText, isText := value.(string)
			wantState := FieldNotText
			switch {
			case !present || value == nil:
				wantState = FieldMissing
			case isText:
				wantState = FieldText
			}
			assert.True(t, state == wantState && text == wantText,
				"%q of %q: %q, %v, want %q, %v", name, body, text, state, wantText, wantState)
		}
	})
}

// readObject returns the decoded members of a body by name.
func readObject(body []byte) (map[string]any, bool) {
	if len(body) > 65_536 || !utf8.Valid(body) || !json.Valid(body) {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber() // accepts any number, also 1e999
	if first, err := d.Token(); err != nil || first != json.Delim('{') {
		return nil, false
	}
	members := map[string]any{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, false
		}
		var value any
		if err := d.Decode(&value); err != nil {
			return nil, false
		}
		members[name.(string)] = value
	}
	return members, true
}

// FuzzQuery compares Get with url.ParseQuery, if ParseQuery accepts the query. Get also finds each value that
// url.Values has written, whatever surrounds the value.
func FuzzQuery(f *testing.F) {
	for _, s := range []struct{ raw, name, value string }{
		{"", "status", ""}, {"status", "status", "open"}, {"status=", "status", "a b"}, {"status=open&status=completed", "status", "ä&=+%"}, {"&&=&", "", ""},
		{"tier=%zz", "tier", "%"}, {"tier=%ff", "tier", "\x00"}, {"a=1;b=2", "b", ";"}, {"st%61tus=x", "status", "#"}, {"+a=b+", " a", "+"}, {"tier=%F0%9F", "tier", "😀"},
	} {
		f.Add(s.raw, s.name, s.value)
	}
	f.Fuzz(func(t *testing.T, raw, name, value string) {
		got, present := Query(raw).Get(name)
		if values, err := url.ParseQuery(raw); err == nil && !strings.ContainsFunc(raw, invalid) && allText(values) {
			want, wanted := values[name]
			assert.True(t, present == (len(want) > 0) && (!present || got == want[0]),
				"%q of %q: %q, %t, want %q, %t", name, raw, got, present, want, wanted)
		}
		assert.True(t, present || got == "", "%q of %q: absent, and %q", name, raw, got)
		if !utf8.ValidString(name) || !utf8.ValidString(value) {
			return
		}
		pair := url.Values{name: {value}}.Encode()
		for _, query := range []string{pair, "&" + pair, pair + "&" + raw, pair + "&" + pair + "x"} {
			got, present := Query(query).Get(name)
			assert.True(t, present && got == value, "%q of %q: %q, %t, want %q", name, query, got, present, value)
		}
		if !present && raw != "" {
			got, _ := Query(raw + "&" + pair).Get(name)
			assert.Equal(t, value, got, "%q of %q", name, raw+"&"+pair)
		}
	})
}

func invalid(r rune) bool { return r == utf8.RuneError }

// allText reports whether all names and values are UTF-8. Get does not decode others.
func allText(values url.Values) bool {
	for name, all := range values {
		if !utf8.ValidString(name) || slices.ContainsFunc(all, func(s string) bool { return !utf8.ValidString(s) }) {
			return false
		}
	}
	return true
}

// FuzzAuthorization checks that a header is accepted only if it has the token in the form of RFC 6750. If a header is
// refused, the error contains no credentials of more than 12 bytes.
func FuzzAuthorization(f *testing.F) {
	for _, s := range []string{
		"", "Bearer good", "bearer good", "  BEARER   good ", "Bearer", "Bearer ", "Basic good", "good", "Bearergood", "Bearer good good", "Bearer\tgood", "Bearer good,Bearer good",
		"Bearer, good", "Bearer good\x00", "Bearer \u2003good", "\u2003Bearer good", "Bearer\u00a0good", "Bearer bad", "Basic eDp5,Bearer good", "ＢＥＡＲＥＲ good", "Bea\u0280er good",
	} {
		f.Add(s)
	}
	good := regexp.MustCompile(`^\s*[Bb][Ee][Aa][Rr][Ee][Rr] \s*good\s*$`)
	credentials := regexp.MustCompile(`^\s*[Bb][Ee][Aa][Rr][Ee][Rr] \s*\S`)
	f.Fuzz(func(t *testing.T, header string) {
		caller, err := authenticate(onlyToken("good"), header, 0)
		require.True(t, (err == nil) == (caller.ID == callerID) && (err == nil || errors.Is(err, game.ErrUnauthorized)),
			"%q: %v, %v", header, caller, err)
		if ascii := !strings.ContainsFunc(header, func(r rune) bool { return r > 127 || r == '\v' }); ascii {
			assert.Equal(t, good.MatchString(header), (err == nil), "%q: %v", header, err)
			if bare := challenge(err) == `Bearer realm="ranch"`; err != nil && bare == credentials.MatchString(header) {
				t.Errorf("%q: challenged by %s", header, challenge(err))
			}
		}
		assert.True(t, err != nil || strings.Contains(header, "good"), "%q gets in", header)
		secret, ok := bearer(header)
		assert.True(t, err == nil || !ok || len(secret) <= 12 || !strings.Contains(err.Error(), secret), "%q: the log says %v", header, err)
	})
}

// FuzzAcceptEncoding compares the headers that RFC 9110, 12.5.3 allows with a regular expression. In any other header,
// a malformed part never allows gzip.
func FuzzAcceptEncoding(f *testing.F) {
	for _, s := range []string{
		"", "gzip", "gzip, deflate, br", "br;q=1.0, gzip;q=0.5", "GZIP", "*", "identity", "gzip;q=0", "*, gzip;q=0", "gzip;q=0, *", "*;q=0, gzip", "gzipped", "x-gzip", "gzip;q=1.001",
		"gzip;q=NaN", "gzip;q=Inf", "gzip;q=-1", "gzip;q=", "gzip;x=1", "gzip;q=0.0001", "gzip;q=0x1p-1", "gzip; Q = 1 ", ",,;;,", "*;q=0,*", "gzip;q=0,gzip",
	} {
		f.Add(s)
	}
	element := regexp.MustCompile(`^[ \t]*(\*|[A-Za-z0-9!#$%&'*+.^_|~-]+)[ \t]*(?:;[ \t]*[qQ]=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?))?[ \t]*$`)
	f.Fuzz(func(t *testing.T, header string) {
		got := acceptsGzip(header)
		require.True(t, !got || strings.Contains(header, "*") || strings.Contains(strings.ToLower(header), "gzip"),
			"%q accepts gzip", header)
		assert.True(t, acceptsGzip(strings.ToUpper(header)) == acceptsGzip(strings.ToLower(header)) && acceptsGzip(header+",gzip") && (got || !acceptsGzip(header+",gzip;q=0")),
			"%q: %t, and what is added or its case makes another answer than it should", header, got)
		weights := map[string][]bool{} // for each coding: whether its weights are above 0
		for _, e := range strings.Split(header, ",") {
			m := element.FindStringSubmatch(e)
			if m == nil {
				return
			}
			name := strings.TrimPrefix(strings.ToLower(m[1]), "x-")
			weights[name] = append(weights[name], strings.Trim(m[2], "0.") != "" || m[2] == "")
		}
		if len(weights["*"]) > 1 {
			return // RFC 9110 does not say which of them counts
		}
		want := slices.Contains(weights["*"], true)
		if own, said := weights["gzip"]; said {
			want = slices.Contains(own, true)
		}
		assert.Equal(t, want, got, "%q", header)
	})
}

// FuzzInvoke sends any request to an endpoint whose handler returns its input or fails. The answer is valid JSON, with
// and without compression. The log has one line, without the request's id, query or body. The endpoint has no source of
// metrics, so the line has none.
func FuzzInvoke(f *testing.F) {
	f.Add("id", "tier=x", "Bearer good", "gzip", "x-header", []byte(`{"animalId":"x"}`), false)
	f.Add("11111111-1111-4111-8111-111111111111", "", "", "*;q=0", "AUTHORIZATION", []byte("\xff"), true)
	f.Add("id", "x=y", "Bearer good", "gzip", "x", bytes.Repeat([]byte("<a>"), 9_000), false)
	f.Add("id", "", "Bearer good", "", "x", []byte("body"), true)
	f.Add("\x00\n\u2028", "%", "Bearer \r\nX: y", "", "accept-encoding", bytes.Repeat([]byte("<a>"), 9_000), false)
	f.Fuzz(func(t *testing.T, id, query, authorization, accept, header string, body []byte, fails bool) {
		if query != "" {
			query = "secret-" + query
		}
		ev := events.APIGatewayV2HTTPRequest{
			RouteKey: "POST /x/{id}", RawQueryString: query, PathParameters: map[string]string{"id": "secret-" + id}, Body: "secret-" + string(body),
			Headers: map[string]string{header: "secret-" + accept, "authorization": authorization, "accept-encoding": accept},
		}
		var log bytes.Buffer
		echo := func(_ context.Context, r *Request) (Response, error) {
			if fails {
				return Response{}, errors.New("it has failed")
			}
			return OK(map[string]any{"id": r.PathID, "query": string(r.Query), "body": r.Body}), nil
		}
		endpoint := Protected("Test", echo, onlyToken("good"))
		endpoint.Logger = slog.New(slog.NewJSONHandler(&log, nil))
		out, err := endpoint.Invoke(t.Context(), ev)
		require.NoError(t, err)
		plain := []byte(decodedBody(t, out))
		switch _, refused := authenticate(onlyToken("good"), authorization, 0); {
		case refused != nil && (out.StatusCode != 401 || string(plain) != `{"error":"UNAUTHORIZED"}` || out.Headers["WWW-Authenticate"] == ""):
			t.Errorf("%d %q %v", out.StatusCode, plain, out.Headers)
		case refused == nil && fails && (out.StatusCode != 500 || string(plain) != `{"error":"INTERNAL_ERROR"}`):
			t.Errorf("%d %q", out.StatusCode, plain)
		case refused == nil && !fails && out.StatusCode != 200:
			t.Errorf("%d %q", out.StatusCode, plain)
		}
		assert.True(t, json.Valid(plain) && (out.Headers["Content-Encoding"] == "gzip") == out.IsBase64Encoded,
			"%q, %v", plain, out.Headers)
		if !json.Valid(log.Bytes()) || bytes.Count(log.Bytes(), []byte("\n")) != 1 || bytes.Contains(log.Bytes(), []byte("secret-")) ||
			bytes.Contains(log.Bytes(), []byte(`"_aws"`)) || bytes.Contains(log.Bytes(), []byte(`"version"`)) {
			t.Errorf("the log has %q", log.Bytes())
		}
	})
}

// FuzzTraceID checks that traceID returns only ids from a field Root, and the id of a header with one such field.
func FuzzTraceID(f *testing.F) {
	const id = "1-67891233-abcdef012345678912345678"
	for _, s := range []string{"", "Root=" + id, "Self=x;Root=" + id + ";Parent=y", "Root=" + strings.ToUpper(id), "Root=1-67891233-abcdef01234567891234567", "Root=;Root=" + id, "Root=" + id + "\n", id,
		"Self=x;Root=1-s3cret", "Root=1-67891233-abcdef01234567891234567G", "Root=1-67891233+abcdef012345678912345678", "Root=" + id + "0", id[:2] + "x" + id[3:]} {
		f.Add(s)
	}
	form := regexp.MustCompile(`^1-[0-9a-f]{8}-[0-9a-f]{24}$`)
	f.Fuzz(func(t *testing.T, header string) {
		//lint:ignore SA1029 the key is aws-lambda-go's
		of := func(header string) string { return traceID(context.WithValue(t.Context(), "x-amzn-trace-id", header)) }
		got := of(header)
		assert.True(t, got == "" || form.MatchString(got) && strings.Contains(header, "Root="+got), "%q has the id %q", header, got)
		assert.True(t, !form.MatchString(header) || of("Self=x;Root="+header) == header, "%q is no id", header)
	})
}
