package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/ranch-game/ranch/shared/game"
)

// What the contract says in words, or by a format, and what JSON Schema lets pass.

// number is how answers write numbers: decimals with both their places, and nothing with an exponent.
var number = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]{2})?$`)

// checkWriting says what is wrong with how a body is written that is valid JSON: its bytes, its numbers, and fields
// that are there twice.
func checkWriting(body []byte) (problems []string) {
	if !utf8.Valid(body) {
		problems = append(problems, "the body is no UTF-8")
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var fields []map[string]bool // of the values that are open: those that are there by now; nil of a list
	key := false                 // whether a text that comes is a field's name
	for {
		token, err := d.Token()
		if err != nil { // it was decoded before: this is its end
			return problems
		}
		inObject := len(fields) > 0 && fields[len(fields)-1] != nil
		switch token := token.(type) {
		case json.Delim:
			switch token {
			case '{':
				fields = append(fields, map[string]bool{})
			case '[':
				fields = append(fields, nil)
			default:
				fields = fields[:len(fields)-1]
			}
			key = len(fields) > 0 && fields[len(fields)-1] != nil
			continue
		case json.Number:
			if !number.MatchString(token.String()) {
				problems = append(problems, fmt.Sprintf("the number %s is written as the contract writes none", token))
			}
		case string:
			if key {
				if fields[len(fields)-1][token] {
					problems = append(problems, fmt.Sprintf("the field %q is there twice", token))
				}
				fields[len(fields)-1][token] = true
				key = false
				continue
			}
		}
		key = inObject
	}
}

// formats are those of the contract that mean something to its checks. Its patterns say what an e-mail address is; a
// library has another opinion.
var formats = []*jsonschema.Format{
	{Name: "int32", Validate: func(v any) error { return wholeOf(v, 32) }},
	{Name: "int64", Validate: func(v any) error { return wholeOf(v, 64) }},
	{Name: "date-time", Validate: func(v any) error {
		text, isText := v.(string)
		if !isText {
			return nil
		}
		_, err := time.Parse(time.RFC3339, text)
		return err // of a day that there is not
	}},
	{Name: "email", Validate: func(any) error { return nil }},
}

// wholeOf holds that a number is written as a whole one, and can be kept in so many bits.
func wholeOf(v any, bits int) error {
	n, isNumber := v.(json.Number)
	if !isNumber {
		return nil
	}
	_, err := strconv.ParseInt(n.String(), 10, bits)
	return err
}

// The challenges of WWW-Authenticate, by whether the request had bearer credentials.
const (
	bareChallenge    = `Bearer realm="ranch"`
	invalidChallenge = `Bearer realm="ranch", error="invalid_token"`
)

// checkChallenge holds that a 401 knows whether there was a token in the request.
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

// hasBearer reports whether a request has bearer credentials, good or bad.
func hasBearer(h http.Header) bool {
	scheme, credentials, _ := strings.Cut(strings.TrimSpace(authorization(h)), " ")
	return strings.EqualFold(scheme, "Bearer") && strings.TrimSpace(credentials) != ""
}

// authorization is a request's header of that name, which a client may have written in any case.
func authorization(h http.Header) string {
	for name, values := range h {
		if strings.EqualFold(name, "Authorization") && len(values) > 0 {
			return values[0]
		}
	}
	return ""
}

// checkPrize holds that a claim pays what some tier has for its rank, and says so.
func checkPrize(body []byte) (problems []string) {
	var claimed struct {
		Rank       int // 0 where it is null
		GoldReward int64
		Message    string
	}
	if err := json.Unmarshal(body, &claimed); err != nil {
		return []string{err.Error()}
	}
	payable := []int64{0} // in a tier that has no prizes
	for _, tier := range []string{game.TierRookie, game.TierPro, game.TierElite} {
		payable = append(payable, game.Prize(tier, claimed.Rank))
	}
	if !slices.Contains(payable, claimed.GoldReward) {
		problems = append(problems, fmt.Sprintf("no tier pays %d gold for rank %d", claimed.GoldReward, claimed.Rank))
	}
	want := "No reward for this placement."
	if claimed.GoldReward > 0 {
		want = fmt.Sprintf("You received %d gold for rank %d!", claimed.GoldReward, claimed.Rank)
	}
	if claimed.Message != want {
		problems = append(problems, fmt.Sprintf("it says %q of %d gold for rank %d", claimed.Message, claimed.GoldReward, claimed.Rank))
	}
	return problems
}

// decode reads one JSON value with nothing behind it. Numbers stay as they are written.
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
