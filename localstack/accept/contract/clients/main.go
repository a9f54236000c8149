// Command clients generates the part of the clients' source that follows from the contract, docs/openapi.yaml. It
// writes shared/client/api.go, and typescript/src/api.ts and csharp/Runtime/Api.cs below that folder. They have a type
// for each object that a caller sees, and a method for each GET without parameters that returns an object or a list.
// Run it in the repository's root: go run ./localstack/accept/contract/clients. A test fails if the committed files
// differ from its output.
//
// The command is not in the Go client's module, because it needs a YAML parser and the client's module needs no other
// module.
package main

import (
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Paths from the repository's root.
const (
	contractFile   = "docs/openapi.yaml"
	goFile         = "shared/client/api.go"
	typeScriptFile = "shared/client/typescript/src/api.ts"
	csharpFile     = "shared/client/csharp/Runtime/Api.cs"
)

// sources are the generated files, each with its generator.
var sources = map[string]func(api) ([]byte, error){goFile: goSource, typeScriptFile: typeScriptSource, csharpFile: csharpSource}

// hidden lists the objects that callers do not see: responses with tokens, which the clients keep, and requests of one
// or two texts.
var hidden = []string{
	"Credentials", "RefreshRequest", "LogoutRequest", "EntryRequest", "Registered", "LoggedIn", "Refreshed", "LoggedOut",
}

// absence names, for some objects, the field that is present only if the object does not exist. If this field is
// missing, all other fields are present.
var absence = map[string]string{"Season": "active"}

// resolvable lists the objects that are responses to changes. The clients add a field to them: whether the response got
// lost and the client looked the change up (docs/clients.md).
var resolvable = []string{"Entered", "Judged", "Claimed"}

func main() {
	for file, write := range sources {
		if err := generate(file, write); err != nil {
			fmt.Fprintf(os.Stderr, "clients: %s: %v\n", file, err)
			os.Exit(1)
		}
	}
}

func generate(file string, write func(api) ([]byte, error)) error {
	a, err := load(contractFile)
	if err != nil {
		return err
	}
	source, err := write(a)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.FromSlash(file), source, 0o644)
}

// api is the part of the contract from which the clients' sources are generated.
type api struct {
	names   []string // of the objects that callers see, sorted
	codes   []string // of refusals and faults, sorted
	schemas map[string]schema
	reads   []read
}

// read is a GET without parameters.
type read struct {
	name, path, text string
	list             bool
	of               string // the answer's schema, or that of the list's items
}

type schema struct {
	Ref         string `yaml:"$ref"`
	Type        any
	Format      string
	Description string
	Properties  yaml.Node
	Items       *schema
	AnyOf       []schema `yaml:"anyOf"`
	Known       []string `yaml:"x-known"`
}

type operation struct {
	ID          string `yaml:"operationId"`
	Description string
	Parameters  []any
	RequestBody body `yaml:"requestBody"`
	Responses   map[string]body
}

type body struct {
	Content struct {
		JSON struct{ Schema schema } `yaml:"application/json"`
	}
}

func load(path string) (api, error) {
	text, err := os.ReadFile(filepath.FromSlash(path))
	if err != nil {
		return api{}, err
	}
	var document struct {
		Paths map[string]struct {
			Parameters []any
			Get, Post  *operation
		}
		Components struct{ Schemas map[string]schema }
	}
	if err := yaml.Unmarshal(text, &document); err != nil {
		return api{}, fmt.Errorf("%s: %w", path, err)
	}
	a := api{schemas: document.Components.Schemas}
	for path, item := range document.Paths {
		for _, o := range []*operation{item.Get, item.Post} {
			if o == nil {
				continue
			}
			a.see(o.RequestBody.Content.JSON.Schema)
			for status, r := range o.Responses {
				if status < "300" {
					a.see(r.Content.JSON.Schema)
				}
			}
			answer := name(o.Responses["200"].Content.JSON.Schema)
			if o == item.Get && len(o.Parameters)+len(item.Parameters) == 0 && absence[answer] == "" {
				a.reads = append(a.reads, a.read(path, *o))
			}
		}
	}
	for _, s := range a.schemas {
		for _, p := range properties(s) {
			if p.name == "error" {
				a.codes = append(a.codes, p.Known...)
			}
		}
	}
	slices.Sort(a.codes)
	a.codes = slices.Compact(a.codes)
	slices.Sort(a.names)
	slices.SortFunc(a.reads, func(x, y read) int { return strings.Compare(x.name, y.name) })
	return a, nil
}

func (a api) read(path string, o operation) read {
	answer := o.Responses["200"].Content.JSON.Schema
	r := read{
		name: strings.TrimPrefix(strings.TrimPrefix(o.ID, "get"), "list"), path: path,
		text: small(o.Description), of: name(answer),
	}
	if items := a.schemas[r.of].Items; items != nil {
		r.list, r.of = true, name(*items)
	}
	return r
}

// see adds the objects to which a schema refers to the generated types, unless they are hidden.
func (a *api) see(s schema) {
	if n := name(s); n != "" {
		s = a.schemas[n]
		if s.Type == "object" && !slices.Contains(hidden, n) {
			if slices.Contains(a.names, n) {
				return
			}
			a.names = append(a.names, n)
		}
	}
	if s.Items != nil {
		a.see(*s.Items)
	}
	for _, s := range s.AnyOf {
		a.see(s)
	}
	for _, p := range properties(s) {
		a.see(p.schema)
	}
}

// name returns the name of the schema to which s refers. If s is not a reference, it returns "".
func name(s schema) string { return s.Ref[strings.LastIndexByte(s.Ref, '/')+1:] }

type property struct {
	name string
	schema
}

// properties returns an object's properties in the order of the contract.
func properties(s schema) (all []property) {
	for i := 0; i < len(s.Properties.Content); i += 2 {
		p := property{name: s.Properties.Content[i].Value}
		if err := s.Properties.Content[i+1].Decode(&p.schema); err != nil {
			panic(err) // it was decoded as a whole before
		}
		all = append(all, p)
	}
	return all
}

const header = "// Code generated by localstack/accept/contract/clients from docs/openapi.yaml. DO NOT EDIT.\n\n"

func goSource(a api) ([]byte, error) {
	var b strings.Builder
	b.WriteString(header + "package client\n\nimport (\n\t\"context\"\n\t\"time\"\n)\n")
	b.WriteString("\n// The codes of the service.\nconst (\n")
	for _, code := range a.codes {
		fmt.Fprintf(&b, "\t%s Code = %q\n", codeName(code), code)
	}
	b.WriteString(")\n")
	checked := map[string]bool{}
	for _, r := range a.reads {
		of := r.of
		if r.list {
			of = "[]" + of
		}
		b.WriteString("\n" + comment("// ", fmt.Sprintf("%s returns %s", r.name, r.text)))
		fmt.Fprintf(&b, "func (c *Client) %s(ctx context.Context) (%s, error) {\n\treturn get[%s](ctx, c, %q)\n}\n", r.name, of, of, r.path)
		if !r.list && !checked[r.of] {
			checked[r.of] = true
			fmt.Fprintf(&b, "\nfunc (v *%s) check() error { return identified(v.ID) }\n", r.of)
		}
	}
	for _, n := range a.names {
		s := a.schemas[n]
		b.WriteString("\n" + comment("// ", n+" is "+small(s.Description)))
		fmt.Fprintf(&b, "type %s struct {\n", n)
		for _, p := range properties(s) {
			if p.name == absence[n] {
				continue
			}
			b.WriteString(comment("\t// ", strings.NewReplacer("Null", "Nil", "null", "nil").Replace(p.Description)))
			fmt.Fprintf(&b, "\t%s %s `json:%q`\n", goName(p.name), a.goType(p.schema), p.name)
		}
		if slices.Contains(resolvable, n) {
			b.WriteString("\t// True if the answer got lost and the client looked the change up. It may be older than the call.\n")
			b.WriteString("\tResolved bool `json:\"-\"`\n")
		}
		b.WriteString("}\n")
	}
	return format.Source([]byte(b.String()))
}

// small returns a sentence with a small first letter, so that it can follow other words.
func small(sentence string) string {
	if sentence == "" {
		return ""
	}
	return strings.TrimSpace(strings.ToLower(sentence[:1]) + sentence[1:])
}

// codeName turns OAUTH_ACCOUNT into OAuthAccount.
func codeName(code string) string {
	return strings.Replace(pascal(strings.ToLower(code)), "Oauth", "OAuth", 1)
}

// pascal turns born_at into BornAt.
func pascal(name string) string {
	out := ""
	for part := range strings.SplitSeq(name, "_") {
		out += strings.ToUpper(part[:1]) + part[1:]
	}
	return out
}

// goName returns the name of the Go field for a property: BornAt for born_at, and PlayerID for playerId.
func goName(name string) string {
	out := pascal(name)
	if before, isID := strings.CutSuffix(out, "Id"); isID {
		return before + "ID"
	}
	return out
}

func (a api) goType(s schema) string {
	if n := name(s); n != "" {
		switch target := a.schemas[n]; {
		case n == "Time":
			return "time.Time"
		case n == "TimeOrNull":
			return "*time.Time"
		case target.Type == "object":
			return n
		default:
			return a.goType(target)
		}
	}
	if len(s.AnyOf) == 2 { // something, or null
		return "*" + a.goType(s.AnyOf[0])
	}
	switch kind := s.Type.(type) {
	case string:
		if kind == "array" {
			return "[]" + a.goType(*s.Items)
		}
		return map[string]string{"string": "string", "integer": "int64", "number": "float64", "boolean": "bool"}[kind]
	case []any: // something, or null
		return "*" + a.goType(schema{Type: kind[0]})
	}
	panic(fmt.Sprintf("no Go type for %+v", s))
}

func typeScriptSource(a api) ([]byte, error) {
	var b strings.Builder
	b.WriteString(header)
	b.WriteString("import type { components } from \"./contract.js\";\nimport * as shapes from \"./shapes.js\";\n\ntype Schemas = components[\"schemas\"];\n\n")
	for _, n := range a.names {
		if absent := absence[n]; absent != "" {
			fmt.Fprintf(&b, "export type %s = Required<Omit<Schemas[%q], %q>>;\n", n, n, absent)
		} else if !slices.Contains(resolvable, n) {
			fmt.Fprintf(&b, "export type %s = Schemas[%q];\n", n, n)
		}
	}
	b.WriteString("\n/** The codes of the service. A later service may add codes. */\nexport type ContractCode =")
	for _, code := range a.codes {
		fmt.Fprintf(&b, "\n  | %q", code)
	}
	b.WriteString(";\n")
	b.WriteString("\n/** The last parameter of every call. Aborting the signal ends waiting and sending at once. */\nexport interface CallOptions {\n  signal?: AbortSignal | undefined;\n}\n")
	b.WriteString("\n/** The calls that need only a path. */\nexport abstract class Reads {\n")
	b.WriteString("  protected abstract get<T>(path: string, is: shapes.Shape<T>, signal: AbortSignal | undefined): Promise<T>;\n")
	for _, r := range a.reads {
		of, shape := r.of, "isIdentified"
		if r.list {
			of, shape = of+"[]", "isList"
		}
		b.WriteString("\n" + comment("   * ", r.path+": "+r.text, "  /**", "   */"))
		fmt.Fprintf(&b, "  %s({ signal }: CallOptions = {}): Promise<%s> {\n    return this.get(%q, shapes.%s<%s>, signal);\n  }\n",
			strings.ToLower(r.name[:1])+r.name[1:], of, r.path, shape, r.of)
	}
	b.WriteString("}\n")
	return []byte(b.String()), nil
}

// comment wraps a text into comment lines that begin with the prefix. If around is given, its two texts are the lines
// before and after. For an empty text it returns "".
func comment(prefix, text string, around ...string) string {
	if text == "" {
		return ""
	}
	lines, line := slices.Clone(around[:min(1, len(around))]), prefix
	for _, word := range strings.Fields(text) {
		if len(line)+len(word) > 115 {
			lines = append(lines, strings.TrimRight(line, " "))
			line = prefix
		}
		line += word + " "
	}
	lines = append(lines, strings.TrimRight(line, " "))
	return strings.Join(append(lines, around[min(1, len(around)):]...), "\n") + "\n"
}
