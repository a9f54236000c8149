package httpapi

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"maps"
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
	Now    game.Instant // the time that all rules use
	Caller token.Caller // the zero value at a public endpoint
	Path   string       // as the client sent it, without the query
	PathID string       // the path parameter "id" as the client sent it; "" if the route has none
	Query  Query
	Body   []byte // nil if the gateway's base64 could not be decoded

	// Account is the account that the log line names. The handler of a public endpoint sets Account as soon as it knows
	// the account, even if it then refuses the request.
	Account game.ID
}

// user returns the id of the request's user for the log, or "" if the user is unknown.
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

// Object returns the body as a JSON object. It returns false if the body is not a JSON object, has text after the
// object, is not valid UTF-8, or has more than 65,536 bytes.
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

// FieldState is the state of a member of a request's body: missing, a text, or a value of another type.
type FieldState int

// The states of a field.
const (
	FieldMissing FieldState = iota // missing or null
	FieldNotText                   // a number, boolean, array or object
	FieldText                      // a string, perhaps an empty one
)

// Object is a JSON object. The names of its members are case-sensitive. If several members have the same name, the last
// one counts. A nil Object has no members.
type Object map[string]json.RawMessage

// String returns the text of the named member, and the member's state. The text is "" unless the state is FieldText. A
// member that is null counts as missing.
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

// TextField is a field of a request's body whose value must be a text.
type TextField struct {
	Name  string
	Label string  // names the field in sentences for people
	Into  *string // gets the text
}

// ReadTexts reads fields of the body; a body that is not a JSON object has none. Afterwards problems returns sentences
// about the texts, by field. ReadTexts returns a refusal with sentences about each wrong field, or nil.
func (r *Request) ReadTexts(problems func() map[string][]string, fields ...TextField) error {
	body, _ := r.Object()
	unread := map[string][]string{}
	for _, field := range fields {
		text, state := body.String(field.Name)
		switch state {
		case FieldMissing:
			unread[field.Name] = []string{field.Label + " is required."}
		case FieldNotText:
			unread[field.Name] = []string{field.Label + " must be a string."}
		case FieldText:
			*field.Into = text
		}
	}
	wrong := problems()
	maps.Copy(wrong, unread)
	if len(wrong) > 0 {
		return game.InvalidInput(wrong)
	}
	return nil
}

// header returns the value of a header, or "". The name must be in lower case. API Gateway sends names in lower case,
// but other gateways may not.
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
