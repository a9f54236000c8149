package contract

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/ranch-game/ranch/shared/client"
)

// clientTypes are the schemas that the Go client has as types of its own.
var clientTypes = map[string]any{
	"Registration": client.Registration{}, "User": client.User{}, "Account": client.Account{}, "Ranch": client.Ranch{}, "Animal": client.Animal{},
	"Phenotype": client.Phenotype{}, "Genotype": client.Genotype{}, "ListedShow": client.ListedShow{}, "ShowDetail": client.ShowDetail{},
	"Entry": client.Entry{}, "Entered": client.Entered{}, "Judged": client.Judged{}, "Winner": client.Winner{}, "Claimed": client.Claimed{},
	"Season": client.Season{},
}

// withoutType are the schemas of granted requests and their bodies for which the Go client needs no type: tokens, which
// it keeps to itself, forms of one or two texts, and what says no more than that there is nothing to say.
var withoutType = []string{
	"Credentials", "RefreshRequest", "LogoutRequest", "EntryRequest", "Registered", "LoggedIn", "Refreshed", "LoggedOut", "NoSeason",
}

// TestClientHasAllTypes: the Go client has a type for every other object that is sent, and that is answered to whoever
// was granted a request.
func TestClientHasAllTypes(t *testing.T) {
	t.Parallel()
	needed := objects(func(look func(*jsonschema.Schema)) {
		for _, o := range load(t).operations {
			look(o.body)
			for status, a := range o.answers {
				if status < 300 {
					look(a.body)
				}
			}
		}
	})
	var missing []string
	for name, s := range needed {
		if _, there := clientTypes[name]; !there && s.Types != nil && s.Types.String() == "[object]" {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	if want := slices.Sorted(slices.Values(withoutType)); !slices.Equal(missing, want) {
		t.Errorf("the Go client has no types for %q; that it needs none is known of %q", missing, want)
	}
}

// TestClientTypes: the types of the Go client have just the fields of their schemas, of the same types, and pointers
// for what may be null.
func TestClientTypes(t *testing.T) {
	t.Parallel()
	reached := load(t).objects()
	for name, v := range clientTypes {
		s, found := reached[name]
		if !found {
			t.Errorf("the contract has no schema %s", name)
			continue
		}
		fields := map[string]string{}
		for _, field := range reflect.VisibleFields(reflect.TypeOf(v)) {
			key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if field.Anonymous || key == "-" {
				continue
			}
			fields[key] = goKind(field.Type)
		}
		want := map[string]string{}
		for key, member := range s.Properties {
			want[key] = schemaKind(member)
		}
		if !maps.Equal(fields, want) {
			t.Errorf("%s: the Go type has %v, the schema %v", name, fields, want)
		}
	}
}

// objects are the schemas that bodies are made of, by name.
func (c *Contract) objects() map[string]*jsonschema.Schema {
	return objects(func(look func(*jsonschema.Schema)) {
		for _, o := range c.operations {
			look(o.body)
			for _, a := range o.answers {
				look(a.body)
			}
		}
	})
}

// objects are the named schemas that those lead to which are looked at.
func objects(from func(look func(*jsonschema.Schema))) map[string]*jsonschema.Schema {
	all := map[string]*jsonschema.Schema{}
	var look func(s *jsonschema.Schema)
	look = func(s *jsonschema.Schema) {
		if s == nil {
			return
		}
		_, name, named := strings.Cut(s.Location, "/components/schemas/")
		if named && !strings.Contains(name, "/") {
			if all[name] != nil {
				return
			}
			all[name] = s
		}
		for _, next := range append(append(slices.Collect(maps.Values(s.Properties)), s.Ref, s.Items2020), append(slices.Clone(s.AnyOf), s.OneOf...)...) {
			look(next)
		}
	}
	from(look)
	return all
}

// goKind is what schemaKind says of the JSON of a Go type.
func goKind(t reflect.Type) string {
	switch {
	case t.Kind() == reflect.Pointer:
		return goKind(t.Elem()) + " or null"
	case t == reflect.TypeFor[time.Time]():
		return "time"
	case t.Kind() == reflect.Slice:
		return "list of " + goKind(t.Elem())
	case t.Kind() == reflect.Struct:
		return t.Name()
	}
	return map[reflect.Kind]string{reflect.String: "string", reflect.Int64: "integer", reflect.Float64: "number", reflect.Bool: "boolean"}[t.Kind()]
}

func schemaKind(s *jsonschema.Schema) string {
	if s.Ref != nil {
		name := nameOf(s.Ref.Location)
		switch {
		case name == "Time":
			return "time"
		case name == "TimeOrNull":
			return "time or null"
		case s.Ref.Types.String() == "[object]":
			return name
		}
		return schemaKind(s.Ref)
	}
	if len(s.AnyOf) == 2 && s.AnyOf[1].Types.String() == "[null]" {
		return schemaKind(s.AnyOf[0]) + " or null"
	}
	kinds := s.Types.ToStrings()
	slices.Sort(kinds) // null comes before number and string
	kinds = slices.DeleteFunc(kinds, func(kind string) bool { return kind == "null" })
	if kinds[0] == "array" {
		return "list of " + schemaKind(s.Items2020)
	}
	if len(s.Types.ToStrings()) > len(kinds) {
		return kinds[0] + " or null"
	}
	return kinds[0]
}

// TestCodes: the contract's codes are those of the rules and of a fault, and the Go client knows them all.
func TestCodes(t *testing.T) {
	t.Parallel()
	contracted := map[string]bool{}
	for _, s := range load(t).objects() {
		if code := s.Properties["error"]; code != nil {
			for _, value := range code.Enum.Values {
				contracted[value.(string)] = true
			}
		}
	}
	rules := codes(t, "../../../shared/game/refusal.go")
	rules["INTERNAL_ERROR"] = true // of a fault, which no rule gives
	if !maps.Equal(contracted, rules) {
		t.Errorf("the contract has the codes %v, the service %v", sorted(contracted), sorted(rules))
	}
	known := codes(t, "../../../shared/client/errors.go")
	for _, own := range []client.Code{client.TooManyRequests, client.ServiceUnavailable, client.Unexpected} {
		delete(known, string(own))
	}
	if !maps.Equal(contracted, known) {
		t.Errorf("the contract has the codes %v, the Go client %v", sorted(contracted), sorted(known))
	}
}

func sorted(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }

// codes reads a Go file's constants of the type Code.
func codes(t *testing.T, path string) map[string]bool {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.FromSlash(path), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			if kind, ok := spec.Type.(*ast.Ident); ok && kind.Name == "Code" && len(spec.Values) == 1 {
				code, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				all[code] = true
			}
		}
		return true
	})
	return all
}
