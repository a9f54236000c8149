// Package reference renders the contract (docs/openapi.yaml) as a page for people: one static document, readable
// without a script, in a narrow window, by a screen reader and on paper. `make run` serves it at /reference/.
//
// What the page says it takes from the contract alone, so that an endpoint that is new there is new here too; what it
// cannot show it refuses, rather than leave it out.
//
//	contract.go   the part of OpenAPI 3.1 that is read, references resolved
//	schema.go     the part of JSON Schema
//	fields.go     schemas as rows of tables; limits.go has their rules in words
//	page.go       what the page has; operation.go has its endpoints
//	prose.go      the contract's texts, which are Markdown
//	example.go    examples as JSON and as curl lines
//	handler.go    the page over HTTP
//	page.html, style.css
//
// The document loads its stylesheet from beside it and nothing else: the policy that it is served with allows no more.
package reference
