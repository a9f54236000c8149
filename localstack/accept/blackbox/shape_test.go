package blackbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

type (
	object = map[string]any
	list   = []any
)

// matcher stands in an expected JSON value for all values that it takes.
type matcher struct {
	name string
	ok   func(any) bool
}

func matching(name, pattern string) matcher {
	re := regexp.MustCompile(pattern)
	return matcher{name, func(v any) bool { s, ok := v.(string); return ok && re.MatchString(s) }}
}

func number(name, pattern string) matcher {
	re := regexp.MustCompile(pattern)
	return matcher{name, func(v any) bool { n, ok := v.(json.Number); return ok && re.MatchString(n.String()) }}
}

// integer is a JSON integer as it is decoded here.
func integer[N int | int64](n N) json.Number { return json.Number(fmt.Sprint(n)) }

// containing takes texts that have all the parts.
func containing(parts ...string) matcher {
	return matcher{fmt.Sprintf("a text with %q", parts), func(v any) bool {
		s, ok := v.(string)
		return ok && !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(s, part) })
	}}
}

var (
	anyID      = matching("an id", `^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
	anyTime    = matching("a timestamp", `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)
	anyText    = matching("a text", `.`)
	anyToken   = matching("a token", `^[\w-]+\.[\w-]+\.[\w-]+$`)
	anyInteger = number("an integer", `^(0|-?[1-9]\d*)$`)
	anyDecimal = number("a decimal", `^(0|[1-9]\d*)(\.\d+)?$`)
	anyList    = matcher{"a list", func(v any) bool { _, ok := v.(list); return ok }}
	sentences  = matcher{"a list of sentences", func(v any) bool {
		l, ok := v.(list)
		return ok && len(l) > 0 && !slices.ContainsFunc(l, func(v any) bool { s, ok := v.(string); return !ok || strings.TrimSpace(s) == "" })
	}}
)

// decode reads one JSON value, keeps numbers as they are written, and refuses objects that have a key twice.
func decode(body []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	v, err := decodeValue(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is something behind the JSON value")
	}
	return v, nil
}

func decodeValue(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('['):
		l := list{}
		for d.More() {
			v, err := decodeValue(d)
			if err != nil {
				return nil, err
			}
			l = append(l, v)
		}
		_, err = d.Token()
		return l, err
	case json.Delim('{'):
		o := object{}
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			if _, double := o[key.(string)]; double {
				return nil, fmt.Errorf("the key %q is there twice", key)
			}
			if o[key.(string)], err = decodeValue(d); err != nil {
				return nil, err
			}
		}
		_, err = d.Token()
		return o, err
	}
	return token, nil
}

// differences compares a decoded value with the expected one: key sets are exact, Go's integers stand for JSON
// integers, matchers for what they take.
func differences(at string, want, got any) []string {
	differ := func() []string { return []string{fmt.Sprintf("%s is %s, not %s", at, show(got), show(want))} }
	switch want := want.(type) {
	case matcher:
		if !want.ok(got) {
			return differ()
		}
	case object:
		o, ok := got.(object)
		if !ok {
			return differ()
		}
		var all []string
		for _, key := range slices.Sorted(maps.Keys(want)) {
			if v, ok := o[key]; ok {
				all = append(all, differences(at+"."+key, want[key], v)...)
			} else {
				all = append(all, at+"."+key+" is missing")
			}
		}
		for _, key := range slices.Sorted(maps.Keys(o)) {
			if _, ok := want[key]; !ok {
				all = append(all, at+"."+key+" is too many")
			}
		}
		return all
	case list:
		l, ok := got.(list)
		if !ok || len(l) != len(want) {
			return differ()
		}
		var all []string
		for i := range want {
			all = append(all, differences(fmt.Sprintf("%s[%d]", at, i), want[i], l[i])...)
		}
		return all
	case int, int64:
		if got != json.Number(fmt.Sprint(want)) {
			return differ()
		}
	default:
		if want != got {
			return differ()
		}
	}
	return nil
}

// matches checks that there are no differences.
func matches(t testing.TB, at string, want, got any) {
	t.Helper()
	for _, difference := range differences(at, want, got) {
		t.Error(difference)
	}
}

func show(v any) string {
	if m, ok := v.(matcher); ok {
		return m.name
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v) // has matchers in it
	}
	return string(b)
}

// is checks that the answer has the status and exactly the body.
func (r reply) is(t testing.TB, status int, want any) bool {
	t.Helper()
	var problems []string
	if r.status != status {
		problems = append(problems, fmt.Sprintf("the status is not %d", status))
	}
	got, err := decode(r.body)
	if err != nil {
		problems = append(problems, err.Error())
	} else {
		problems = append(problems, differences("body", want, got)...)
	}
	if len(problems) > 0 {
		t.Errorf("%s: %s", r, strings.Join(problems, "; "))
	}
	return len(problems) == 0
}

// refuses checks that the answer is the error with exactly that message; "" stands for none.
func (r reply) refuses(t testing.TB, status int, code, message string) bool {
	t.Helper()
	want := object{"error": code}
	if message != "" {
		want["message"] = message
	}
	return r.is(t, status, want)
}

// object returns the body of an answer that must have the status.
func (r reply) object(t testing.TB, status int) object {
	t.Helper()
	v, err := decode(r.body)
	o, ok := v.(object)
	if r.status != status || err != nil || !ok {
		t.Fatalf("%s: no %d with an object", r, status)
	}
	return o
}

// list returns the body of a 200.
func (r reply) list(t testing.TB) []object {
	t.Helper()
	v, err := decode(r.body)
	l, ok := v.(list)
	if r.status != 200 || err != nil || !ok {
		t.Fatalf("%s: no 200 with a list", r)
	}
	objects := []object{}
	for _, item := range l {
		o, ok := item.(object)
		if !ok {
			t.Fatalf("%s: not only objects", r)
		}
		objects = append(objects, o)
	}
	return objects
}

func instant(t testing.TB, v any) time.Time {
	t.Helper()
	s, _ := v.(string)
	i, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// isNow allows for the clocks of a deployed stack and its tester to differ a little.
func isNow(t testing.TB, what string, v any) {
	t.Helper()
	if away := time.Since(instant(t, v)).Abs(); away > time.Minute {
		t.Errorf("%s is %v away from now", what, away)
	}
}

// unauthorized checks the 401 of a protected endpoint: RFC 6750 wants a bare challenge for who brings no bearer token,
// and an error code for who does.
func (r reply) unauthorized(t testing.TB, brought bool) {
	t.Helper()
	r.refuses(t, 401, "UNAUTHORIZED", "")
	challenge := r.header.Get("WWW-Authenticate")
	if !strings.HasPrefix(challenge, "Bearer") || strings.Contains(challenge, "error") != brought || brought && !strings.Contains(challenge, `error="invalid_token"`) {
		t.Errorf("%s: challenged with %q", r, challenge)
	}
}

// refusesForm checks the 400 of a registration whose details name the fields, and no others.
func (r reply) refusesForm(t testing.TB, fields ...string) bool {
	t.Helper()
	details := object{}
	for _, field := range fields {
		details[field] = sentences
	}
	return r.is(t, 400, object{"error": "VALIDATION_ERROR", "message": "Invalid input", "details": details})
}

// formFields are those of a registration: all of them are wrong where there is no object to find them in.
var formFields = []string{"email", "username", "password", "ranchName"}

// entryMade, showJudged and prizeClaimed are the answers to what has succeeded.
func entryMade(message any, fee int) object {
	return object{"success": true, "message": message, "entryFee": fee}
}

func showJudged(ranked int, topThree any) object {
	return object{"success": true, "message": fmt.Sprintf("Show judged. %d entries.", ranked), "topThree": topThree}
}

func prizeClaimed(rank any, gold int, message any) object {
	return object{"success": true, "rank": rank, "goldReward": gold, "message": message}
}

// winner is one of a judging's topThree.
func winner(rank int, player, animal any) object {
	return object{"rank": rank, "playerId": player, "animalId": animal, "score": anyDecimal}
}

// shown is a show that nobody has judged, as both the list and the detail have it.
func (e exhibit) shown() object {
	return object{
		"id": e.id, "name": e.name, "tier": e.tier, "entryFee": e.fee, "entryClosesAt": e.closesAt, "judgedAt": nil, "status": "open", "seasonId": e.season,
	}
}

func shown(season object, score int) object {
	return object{
		"id": season["id"], "name": season["name"], "startDate": season["startDate"], "endDate": season["endDate"], "isActive": true, "mySeasonScore": score,
	}
}
