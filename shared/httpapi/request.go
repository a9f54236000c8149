package httpapi

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-lambda-go/events"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/token"
)

// maxBodyBytes is the largest accepted body.
const maxBodyBytes = 65_536

// Request is a handler's view of an HTTP request.
type Request struct {
	Now    game.Instant // the time for all rules
	Caller token.Caller // of a protected endpoint
	Path   string       // as sent, without the query
	PathID string       // the path parameter "id" as sent, "" if the route has none
	Query  Query
	Body   []byte // nil if the gateway's base64 could not be decoded

	// Account is set by the handler of a public endpoint when it knows the account of the request: for the log,
	// whatever the answer.
	Account game.ID
}

// user returns the caller's id for the log; "" if it is unknown.
func (r *Request) user() game.ID { return cmp.Or(r.Caller.ID, r.Account) }

func newRequest(ev events.APIGatewayV2HTTPRequest, now game.Instant) *Request {
	r := &Request{Now: now, PathID: ev.PathParameters["id"], Query: Query(ev.RawQueryString), Body: []byte(ev.Body), Path: ev.RawPath}
	if ev.IsBase64Encoded {
		decoded, err := base64.StdEncoding.DecodeString(ev.Body)
		if err != nil {
			decoded = nil
		}
		r.Body = decoded
	}
	return r
}

// Object returns the body as a JSON object. It returns false for anything else, for text after the object, for invalid
// UTF-8, and for more than 65,536 bytes.
func (r *Request) Object() (Object, bool) {
	if len(r.Body) > maxBodyBytes || !utf8.Valid(r.Body) {
		return nil, false
	}
	var o Object
	if err := json.Unmarshal(r.Body, &o); err != nil {
		return nil, false
	}
	return o, o != nil // null decodes to nil
}

// FieldState says what a request's body had in place of a text.
type FieldState int

// The states of a field.
const (
	FieldMissing FieldState = iota // missing or null
	FieldNotText                   // a number, boolean, array or object
	FieldText                      // a string, perhaps an empty one
)

// Object is a JSON object whose members have exact names. The last of several members with one name counts. A nil
// Object has none.
type Object map[string]json.RawMessage

// String returns the text of a member, and its state. A member that is null is missing.
func (o Object) String(name string) (string, FieldState) {
	member, ok := o[name]
	if !ok || string(member) == "null" {
		return "", FieldMissing
	}
	var s string
	if err := json.Unmarshal(member, &s); err != nil {
		return "", FieldNotText
	}
	return s, FieldText
}

// header returns the value of a header by its lower-case name. API Gateway has lower-cased the names; other gateways
// may not.
func header(ev events.APIGatewayV2HTTPRequest, name string) string {
	if value, ok := ev.Headers[name]; ok {
		return value
	}
	for key, value := range ev.Headers {
		if strings.EqualFold(key, name) {
			return value
		}
	}
	return ""
}
