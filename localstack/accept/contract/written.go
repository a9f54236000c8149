package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// This file checks requirements that the contract states in words or as a format. JSON Schema does not check these.

// number matches numbers in the spelling of responses: decimals have exactly two places, and there is no exponent.
var number = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]{2})?$`)

// checkWriting returns the flaws in the spelling of valid JSON: wrong UTF-8, numbers in another form, repeated fields.
func checkWriting(body []byte) (problems []string) {
	if !utf8.Valid(body) {
		problems = append(problems, "the body is no UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var value func()
	value = func() {
		token, _ := d.Token() // checkBody has decoded it before
		if n, isNumber := token.(json.Number); isNumber && !number.MatchString(n.String()) {
			problems = append(problems, fmt.Sprintf("the contract does not write a number as %s", n))
		}
		if _, opens := token.(json.Delim); !opens {
			return
		}
		seen := map[json.Token]bool{}
		for d.More() {
			if token == json.Delim('{') {
				name, _ := d.Token()
				if seen[name] {
					problems = append(problems, fmt.Sprintf("the field %q is there twice", name))
				}
				seen[name] = true
			}
			value()
		}
		_, _ = d.Token() // the closing bracket
	}
	value()
	return problems
}

// formats has the check of each format in the contract. The check of e-mail addresses does nothing, because the
// library's rule differs from the contract's patterns, and the patterns decide.
var formats = []*jsonschema.Format{
	{Name: "int32", Validate: func(v any) error { return wholeOf(v, 32) }},
	{Name: "int64", Validate: func(v any) error { return wholeOf(v, 64) }},
	{Name: "date-time", Validate: func(v any) error {
		text, isText := v.(string)
		if !isText {
			return nil
		}
		_, err := time.Parse(time.RFC3339, text)
		return err // for example for a day that does not exist
	}},
	{Name: "email", Validate: func(any) error { return nil }},
}

// wholeOf returns an error if a number is not written as an integer, or does not fit into the given number of bits.
func wholeOf(v any, bits int) error {
	n, isNumber := v.(json.Number)
	if !isNumber {
		return nil
	}
	_, err := strconv.ParseInt(n.String(), 10, bits)
	return err
}

// These are the values of WWW-Authenticate: for a request without bearer credentials, and with them.
const (
	bareChallenge    = `Bearer realm="ranch"`
	invalidChallenge = `Bearer realm="ranch", error="invalid_token"`
)

// checkChallenge checks that the header WWW-Authenticate of a 401 names an error exactly if the request had a token.
func checkChallenge(x Exchange) []string {
	want := bareChallenge
	if hasBearer(x.RequestHeader) {
		want = invalidChallenge
	}
	if got := x.Header.Get("WWW-Authenticate"); got != "" && got != want {
		return []string{fmt.Sprintf("the header WWW-Authenticate is %q, to a request to which it ought to be %q", got, want)}
	}
	return nil
}

// hasBearer reports whether a request has bearer credentials, valid or not.
func hasBearer(h http.Header) bool {
	scheme, credentials, _ := strings.Cut(strings.TrimSpace(authorization(h)), " ")
	return strings.EqualFold(scheme, "Bearer") && strings.TrimSpace(credentials) != ""
}

// authorization returns the value of the header Authorization. Clients may write the header's name in any case.
func authorization(h http.Header) string {
	for name, values := range h {
		if strings.EqualFold(name, "Authorization") && len(values) > 0 {
			return values[0]
		}
	}
	return ""
}

// decode parses a text that must be exactly one JSON value. Numbers keep their spelling.
func decode(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is something behind the JSON value")
	}
	return v, nil
}
