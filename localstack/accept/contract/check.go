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
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/ranch-game/ranch/shared/client"
)

// Exchange is an HTTP request as the client sent it, with the response as the client received it.
type Exchange struct {
	Method, Path string // the path with its query, escaped
	Status       int
	Header       http.Header
	Body         []byte
}

// Check compares an exchange with the contract, and returns a sentence for each violation. A path or method that the
// contract lacks is a violation. The response must have a documented status, the documented headers with valid values,
// and a valid body. An error must be one of the examples.
func (c *Contract) Check(x Exchange) []string {
	o, found := c.Operation(x.Method, x.Path)
	if !found {
		return []string{"the contract has no such operation"}
	}
	a, found := o.answers[x.Status]
	if !found {
		return []string{fmt.Sprintf("%s has no answer of status %d", o.ID, x.Status)}
	}
	problems := a.checkHeaders(x.Header)
	body, err := client.Answer{Header: x.Header, Body: x.Body}.Plain()
	if err != nil {
		return append(problems, "the body: "+err.Error())
	}
	return append(problems, a.checkBody(body)...)
}

// transport lists headers of HTTP itself, which OpenAPI does not document.
var transport = []string{"Content-Type", "Content-Length", "Date", "Connection"}

func (a *answer) checkHeaders(got http.Header) (problems []string) {
	if t := got.Values("Content-Type"); !slices.Equal(t, []string{mediaType}) {
		problems = append(problems, fmt.Sprintf("the header Content-Type is %q, not %s", t, mediaType))
	}
	for name, want := range a.headers {
		values := got.Values(name)
		if len(values) == 0 {
			if want.required {
				problems = append(problems, fmt.Sprintf("the header %s is missing", name))
			}
			continue
		}
		if err := want.value.Validate(strings.Join(values, ", ")); err != nil {
			problems = append(problems, fmt.Sprintf("the header %s is %q:%s", name, values, reasons(err)))
		}
	}
	for name := range got {
		if _, documented := a.headers[name]; !documented && !slices.Contains(transport, name) {
			problems = append(problems, fmt.Sprintf("the header %s is not documented", name))
		}
	}
	slices.Sort(problems)
	return problems
}

func (a *answer) checkBody(body []byte) []string {
	v, err := decode(body)
	if err != nil {
		return []string{"the body is no JSON: " + err.Error()}
	}
	if err := a.body.Validate(v); err != nil {
		return []string{"the body is not valid:" + reasons(err)}
	}
	if a.refusals == nil {
		return nil
	}
	_, text, err := refusal(body)
	if _, known := a.refusals[text]; err != nil || !known {
		return []string{"no example has " + text}
	}
	return nil
}

var digits = regexp.MustCompile(`[0-9]+`)

// refusal returns an error response's code, and a text that identifies the response by its code and message. In the
// text, all numbers become 0.
func refusal(body []byte) (code, text string, err error) {
	var fields struct{ Error, Message string }
	err = json.Unmarshal(body, &fields)
	return fields.Error, fmt.Sprintf("the code %q with the message %q", fields.Error, digits.ReplaceAllString(fields.Message, "0")), err
}

// reasons returns the errors of a validation, in one line.
func reasons(err error) string {
	lines := strings.Split(err.Error(), "\n")
	if errors.As(err, new(*jsonschema.ValidationError)) {
		lines = lines[1:] // the first line only names the schema
	}
	text := ""
	for _, line := range lines {
		text += " " + strings.TrimPrefix(strings.TrimSpace(line), "- ") + ";"
	}
	return strings.TrimSuffix(text, ";")
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
