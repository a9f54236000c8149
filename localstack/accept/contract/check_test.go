package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// check compares the response of a golden file with the contract, and returns a sentence for each violation. A path or
// method that the contract lacks is a violation. The response must have a documented status, the documented headers
// with valid values, and a valid body. An error must be one of the examples.
func (c *Contract) check(g golden) []string {
	o, found := c.Operation(g.method, g.path)
	if !found {
		return []string{"the contract has no such operation"}
	}
	a, found := o.answers[g.status]
	if !found {
		return []string{fmt.Sprintf("%s has no answer of status %d", o.ID, g.status)}
	}
	return append(a.checkHeaders(g.header), a.checkBody(g.answer)...)
}

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
		if _, documented := a.headers[name]; !documented && name != "Content-Type" {
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
