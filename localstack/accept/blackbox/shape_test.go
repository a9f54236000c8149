package blackbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type (
	object = map[string]any
	list   = []any
)

// integer returns a JSON integer as decode has it.
func integer[N int | int64](n N) json.Number { return json.Number(fmt.Sprint(n)) }

// decode reads one JSON value, and keeps numbers as they are written.
func decode(body []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is something behind the JSON value")
	}
	return v, nil
}

// is checks that the answer has the status and the wanted body. Of an object it compares the named members; nil stands
// for one that is null or missing. The contract holds the rest of its shape (contract_test.go).
func (r reply) is(t testing.TB, status int, want any) bool {
	t.Helper()
	got, err := decode(r.body)
	if r.status != status || err != nil {
		t.Errorf("%s: no %d with JSON, %v", r, status, err)
		return false
	}
	if diff := differences(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", r, diff)
		return false
	}
	return true
}

// differences compares a decoded value with the one that is wanted, which may have Go's integers.
func differences(want, got any) string {
	members, ok := want.(object)
	if !ok {
		text, err := json.Marshal(want)
		if err != nil {
			panic(err) // a test's own mistake
		}
		normal, err := decode(text)
		if err != nil {
			panic(err)
		}
		return cmp.Diff(normal, got)
	}
	o, ok := got.(object)
	if !ok {
		return fmt.Sprintf("%v is no object", got)
	}
	var all strings.Builder
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if diff := differences(members[name], o[name]); diff != "" {
			fmt.Fprintf(&all, "%s: %s", name, diff)
		}
	}
	return all.String()
}

// refuses checks that the answer is the error with exactly that message; "" stands for none.
func (r reply) refuses(t testing.TB, status int, code, message string) bool {
	t.Helper()
	want := object{"error": code, "message": nil}
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
	return objects(l)
}

func objects(v any) []object {
	all := []object{}
	for _, item := range v.(list) {
		all = append(all, item.(object))
	}
	return all
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
func (r reply) refusesForm(t testing.TB, fields ...string) {
	t.Helper()
	r.refuses(t, 400, "VALIDATION_ERROR", "Invalid input")
	details, _ := r.object(t, 400)["details"].(object)
	if diff := cmp.Diff(slices.Sorted(slices.Values(fields)), slices.Sorted(maps.Keys(details))); diff != "" {
		t.Errorf("%s: the details (-want +got):\n%s", r, diff)
	}
}

// entryMade, showJudged and prizeClaimed are the answers to what has succeeded.
func entryMade(fee int) object { return object{"success": true, "entryFee": fee} }

func showJudged(ranked int) object {
	return object{"success": true, "message": fmt.Sprintf("Show judged. %d entries.", ranked)}
}

func prizeClaimed(rank, gold int) object {
	return object{"success": true, "rank": rank, "goldReward": gold}
}
