// Package contract reads the contract, docs/openapi.yaml, in its strict form (see Strict). Its tests compare the
// functions' golden files with it.
//
// OpenAPI 3.1 describes bodies in JSON Schema 2020-12. A library validates these schemas, and this package does the
// rest. The rest is little: the contract has only one content type, one path parameter, and headers that are texts. Its
// examples have each allowed combination of an error's code and message.
package contract

import (
	"encoding/json"
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

// Contract is the compiled strict contract. It is safe for concurrent use.
type Contract struct {
	operations []*Operation
}

// Operation is the part of the contract about one route.
type Operation struct {
	ID           string // the operationId
	Summary      string
	Method, Path string // as in POST and /events/shows/{id}/enter
	Protected    bool   // true if a request needs an access token
	Body         []byte // the body of an example request that is valid; nil if requests have no body

	segments []string
	body     *jsonschema.Schema // nil if there is no body
	answers  map[int]*answer
}

// answer is the part of the contract about an operation's responses with one status.
type answer struct {
	headers  map[string]header // by canonical name
	body     *jsonschema.Schema
	refusals map[string]string // the code of each error example, by the example's text (see refusal); nil for a success
}

type header struct {
	required bool
	value    *jsonschema.Schema
}

// LoadRoot reads and compiles the contract of the repository around the working directory.
func LoadRoot() (*Contract, error) {
	template, err := samtemplate.LoadRoot() // it finds the root
	if err != nil {
		return nil, err
	}
	path := filepath.Join(template.Root, filepath.FromSlash(FileName))
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

// Operation returns the operation for a request's method and path. The path is escaped as the client sent it, with or
// without a query. The result is false if the contract has no such operation. Operation compares paths as API Gateway
// does: decoded, and segment by segment.
func (c *Contract) Operation(method, path string) (*Operation, bool) {
	u, err := url.ParseRequestURI(path)
	if err != nil {
		return nil, false
	}
	segments := strings.Split(u.Path, "/")
	i := slices.IndexFunc(c.operations, func(o *Operation) bool { // literal segments come first
		return o.Method == method && slices.EqualFunc(o.segments, segments, func(want, got string) bool {
			return want == got || want == idSegment && got != ""
		})
	})
	if i < 0 {
		return nil, false
	}
	return c.operations[i], true
}

// ByID returns the operation with the given operationId. It panics if the contract has none.
func (c *Contract) ByID(id string) *Operation {
	i := slices.IndexFunc(c.operations, func(o *Operation) bool { return o.ID == id })
	if i < 0 {
		panic(FileName + " has no operation " + id)
	}
	return c.operations[i]
}

// Route returns the operation's method and path, such as GET /events/shows/{id}. This is the route key in API Gateway.
func (o *Operation) Route() string { return o.Method + " " + o.Path }

// At returns the path with an id in place of {id}.
func (o *Operation) At(id string) string { return strings.ReplaceAll(o.Path, idSegment, id) }

// Outcomes returns the outcomes that a client can cause, sorted: the statuses of success, and the codes of errors below
// 500. It leaves out faults of the service and API Gateway's own responses.
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

// idSegment is the only path parameter of the contract.
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
		for method, content := range item {
			if method == "parameters" {
				continue
			}
			var written operation
			if err := json.Unmarshal(content, &written); err != nil {
				return nil, fmt.Errorf("%s %s: %w", method, path, err)
			}
			c.operations = append(c.operations, d.operation(path, method, written))
		}
	}
	// A brace sorts after all letters. So /a/{id} comes after /a/b, and match finds the literal path first.
	slices.SortFunc(c.operations, func(a, b *Operation) int { return strings.Compare(a.Path+" "+a.Method, b.Path+" "+b.Method) })
	return c, d.broken
}
