// Package contract reads docs/openapi.yaml and compares exchanges with its strict form (Strict). An exchange, a request
// with its answer, either fits the contract or gives sentences about its violations.
//
// OpenAPI 3.1 describes bodies in JSON Schema 2020-12, which a library validates. The rest is little, since this
// contract has one content type, one path parameter, and headers that are texts. The contract also lists the refusals:
// each allowed combination of code and message is one of the answer's examples.
package contract

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// FileName is the path of the contract in the repository.
const FileName = "docs/openapi.yaml"

// Contract is a compiled contract, safe for concurrent use.
type Contract struct {
	operations []*Operation
}

// Operation is the contract of one route.
type Operation struct {
	ID           string // the operationId
	Summary      string
	Method, Path string // as in POST and /events/shows/{id}/enter
	Protected    bool   // whether it needs an access token
	Plain        bool   // a GET without parameters
	Body         []byte // an example of a valid request's body; nil if there is no body

	segments  []string
	id        *jsonschema.Schema // of the path parameter {id}; nil if the path has none
	body      *jsonschema.Schema // nil if there is no body
	needsBody bool
	answers   map[int]*answer
}

// answer is the contract of an operation's answers with one status.
type answer struct {
	headers  map[string]header // by canonical name
	body     *jsonschema.Schema
	refusals map[string]string // the code of each refusal in the examples; nil for a success
}

type header struct {
	required bool
	value    *jsonschema.Schema
}

// LoadRoot loads the contract of the repository around the working directory.
func LoadRoot() (*Contract, error) {
	template, err := samtemplate.LoadRoot() // it knows the root
	if err != nil {
		return nil, err
	}
	return Load(filepath.Join(template.Root, filepath.FromSlash(FileName)))
}

// Load reads and compiles the contract at path.
func Load(path string) (*Contract, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	c, err := compile(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// Operations returns the operations, by path and method.
func (c *Contract) Operations() []*Operation { return slices.Clone(c.operations) }

// Operation finds the operation of a request by its method and its path, escaped as it was sent, with or without a
// query. It returns false if the contract has none.
func (c *Contract) Operation(method, path string) (*Operation, bool) {
	o, _, found := c.match(method, path)
	return o, found
}

// match also returns the value of {id}. It compares paths as API Gateway does: decoded, and segment by segment.
func (c *Contract) match(method, path string) (o *Operation, id string, found bool) {
	u, err := url.ParseRequestURI(path)
	if err != nil {
		return nil, "", false
	}
	segments := strings.Split(u.Path, "/")
	for _, o := range c.operations { // literal paths come first
		if id, matches := o.match(segments); matches && o.Method == method {
			return o, id, true
		}
	}
	return nil, "", false
}

// ByID returns the operation with the operationId, and panics if the contract has none.
func (c *Contract) ByID(id string) *Operation {
	i := slices.IndexFunc(c.operations, func(o *Operation) bool { return o.ID == id })
	if i < 0 {
		panic(FileName + " has no operation " + id)
	}
	return c.operations[i]
}

// Route returns the operation's key in API Gateway, such as GET /events/shows/{id}.
func (o *Operation) Route() string { return o.Method + " " + o.Path }

// At returns the path with an id in place of {id}.
func (o *Operation) At(id string) string { return strings.ReplaceAll(o.Path, idSegment, id) }

// Outcomes returns the outcomes that a client can cause, sorted: the statuses of success, and the codes of refusals. It
// leaves out faults of the service and API Gateway's own answers.
func (o *Operation) Outcomes() []string {
	all := map[string]bool{}
	for status, a := range o.answers {
		switch {
		case status < http.StatusMultipleChoices:
			all[strconv.Itoa(status)] = true
		case status < http.StatusInternalServerError:
			for _, code := range a.refusals {
				all[code] = true
			}
		}
	}
	delete(all, "") // API Gateway's
	return slices.Sorted(maps.Keys(all))
}

func (o *Operation) match(segments []string) (id string, matches bool) {
	if len(segments) != len(o.segments) {
		return "", false
	}
	for i, want := range o.segments {
		if want == idSegment && segments[i] != "" {
			id = segments[i]
		} else if want != segments[i] {
			return "", false
		}
	}
	return id, true
}

// idSegment is the only path parameter.
const idSegment = "{id}"

func compile(text []byte) (*Contract, error) {
	strict, err := Strict(text)
	if err != nil {
		return nil, err
	}
	d, err := newDocument(strict)
	if err != nil {
		return nil, err
	}
	c := &Contract{}
	for path, item := range d.Paths {
		for method, o := range map[string]*operation{"GET": item.Get, "POST": item.Post} {
			if o == nil {
				continue
			}
			compiled, err := d.operation(method, path, item, o)
			if err != nil {
				return nil, fmt.Errorf("%s %s: %w", method, path, err)
			}
			c.operations = append(c.operations, compiled)
		}
	}
	// A brace sorts after all letters, and so a path with a parameter after its literal siblings.
	slices.SortFunc(c.operations, func(a, b *Operation) int { return strings.Compare(a.Path+" "+a.Method, b.Path+" "+b.Method) })
	return c, nil
}
