package httpapi

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
)

func TestObject(t *testing.T) {
	body := `{"text":"a€","empty":"","null":null,"number":1,"bool":true,"list":["a"],"object":{"text":"b"},"twice":"a","twice":"b",
	  "last\u0020null":"a","last null":null,"escaped":"\u003c\ud83d\udc0e","unknown":{"x":[1,{}]}}`
	o, ok := (&Request{Body: []byte(body)}).Object()
	if !ok {
		t.Fatal("refused")
	}
	for name, want := range map[string]struct {
		value string
		state FieldState
	}{
		"text":      {"a€", FieldText},
		"empty":     {"", FieldText},
		"twice":     {"b", FieldText},
		"escaped":   {"<🐎", FieldText},
		"null":      {"", FieldMissing},
		"last null": {"", FieldMissing},
		"absent":    {"", FieldMissing},
		"Text":      {"", FieldMissing},
		"TEXT":      {"", FieldMissing},
		"number":    {"", FieldNotText},
		"bool":      {"", FieldNotText},
		"list":      {"", FieldNotText},
		"object":    {"", FieldNotText},
	} {
		if value, state := o.String(name); value != want.value || state != want.state {
			t.Errorf("%s: got %q, %d, want %q, %d", name, value, state, want.value, want.state)
		}
	}
}

func TestObjectRefuses(t *testing.T) {
	for name, body := range map[string]string{
		"empty":                 "",
		"spaces":                "  ",
		"null":                  "null",
		"array":                 `[{"a":"b"}]`,
		"string":                `"a"`,
		"number":                "1",
		"broken":                `{"a":"b"`,
		"trailing comma":        `{"a":"b",}`,
		"trailing object":       `{"a":"b"}{}`,
		"trailing text":         `{"a":"b"} x`,
		"single quotes":         `{'a':'b'}`,
		"comment":               `{"a":"b"} // c`,
		"byte order mark":       "\ufeff{}",
		"invalid UTF-8":         "{\"a\":\"\xff\"}",
		"invalid UTF-8 in name": "{\"\xc3\":\"b\"}",
		"control character":     "{\"a\":\"\n\"}",
	} {
		o, ok := (&Request{Body: []byte(body)}).Object()
		if ok || o != nil {
			t.Errorf("%s is accepted", name)
		}
		if _, state := o.String("a"); state != FieldMissing {
			t.Errorf("%s has a member", name)
		}
	}
}

func TestObjectSize(t *testing.T) {
	fill := func(n int) []byte { return []byte(`{"a":"` + strings.Repeat("x", n-len(`{"a":""}`)) + `"}`) }
	for size, want := range map[int]bool{65_536: true, 65_537: false} {
		if _, ok := (&Request{Body: fill(size)}).Object(); ok != want {
			t.Errorf("%d bytes: %t", size, ok)
		}
	}
}

// The size that counts is that of the body, not of its base64.
func TestBodyIsDecoded(t *testing.T) {
	body := `{"a":"` + strings.Repeat("x", 65_536-len(`{"a":""}`)) + `"}`
	ev := events.APIGatewayV2HTTPRequest{Body: base64.StdEncoding.EncodeToString([]byte(body)), IsBase64Encoded: true}
	if o, ok := newRequest(ev, 0).Object(); !ok || len(o["a"]) < 65_000 {
		t.Error("a base64 body is refused")
	}
	for _, broken := range []string{"{}", "e30", "!", base64.StdEncoding.EncodeToString([]byte("{}")) + "x"} {
		r := newRequest(events.APIGatewayV2HTTPRequest{Body: broken, IsBase64Encoded: true}, 0)
		if _, ok := r.Object(); ok {
			t.Errorf("%q is accepted", broken)
		}
	}
}
