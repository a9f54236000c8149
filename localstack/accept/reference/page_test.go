package reference

import (
	"encoding/json"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

func render(t *testing.T, contract []byte) *element {
	t.Helper()
	var b strings.Builder
	if err := Render(&b, contract, ""); err != nil {
		t.Fatal(err)
	}
	return readHTML(t, b.String())
}

// object is the contract as a test reads it: by itself, and not as the page does.
type object = map[string]any

// at returns what is at a path, references followed.
func at(t *testing.T, root object, of any, path ...string) any {
	t.Helper()
	for _, name := range append(path, "") {
		for {
			o, ok := of.(object)
			if !ok {
				break
			}
			ref, ok := o["$ref"].(string)
			if !ok {
				break
			}
			of = root
			for part := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
				of = of.(object)[part]
			}
		}
		if name != "" {
			o, _ := of.(object)
			of = o[name]
		}
	}
	return of
}

func objectAt(t *testing.T, root object, of any, path ...string) object {
	t.Helper()
	o, _ := at(t, root, of, path...).(object)
	return o
}

func load(t *testing.T, text []byte) (root object) {
	t.Helper()
	if err := yaml.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	return root
}

// TestPage_hasEveryOperation compares the page with the contract, operation by operation.
func TestPage_hasEveryOperation(t *testing.T) {
	t.Parallel()
	text := read(t)
	page, root := render(t, text), load(t, text)
	for path, item := range objectAt(t, root, root, "paths") {
		for method := range item.(object) {
			if method == "parameters" {
				continue
			}
			o := objectAt(t, root, item, method)
			id := o["operationId"].(string)
			article := page.labelled(t, id)
			mustSay(t, article, id, path, strings.ToUpper(method), o["summary"], o["description"])
			for _, inputs := range []any{o["parameters"], item.(object)["parameters"]} {
				list, _ := inputs.([]any)
				for _, p := range list {
					parameter := objectAt(t, root, p)
					mustSay(t, article, id, parameter["name"], parameter["in"], parameter["description"])
				}
			}
			security, own := o["security"].([]any)
			if public := own && len(security) == 0; public != article.says("Needs no token") || public == article.says("Needs a token") {
				t.Errorf("the page is wrong about who may call %s", id)
			}
			checkContent(t, root, article, id, objectAt(t, root, o, "requestBody"))
			for status := range objectAt(t, root, o, "responses") {
				r := objectAt(t, root, o, "responses", status)
				section := page.labelled(t, id+"-"+status)
				mustSay(t, section, id+" "+status, status, r["description"])
				for name := range objectAt(t, root, r, "headers") {
					mustSay(t, section, id+" "+status, name)
				}
				checkContent(t, root, section, id+" "+status, r)
			}
		}
	}
}

// mustSay fails where a part of the page lacks a text of the contract.
func mustSay(t *testing.T, part *element, of string, texts ...any) {
	t.Helper()
	for _, text := range texts {
		if s, ok := text.(string); ok && !part.says(s) {
			t.Errorf("what the page has on %s lacks %q", of, s)
		}
	}
}

// checkContent looks for what a request or an answer has in it: each field, each value that is listed, each example.
func checkContent(t *testing.T, root object, part *element, of string, message object) {
	t.Helper()
	var examples []any
	for _, pre := range part.named("pre") {
		var value any
		if json.Unmarshal([]byte(pre.text()), &value) == nil {
			examples = append(examples, value)
		}
	}
	for mediaType, m := range objectAt(t, root, message, "content") {
		mustSay(t, part, of, mediaType)
		checkSchema(t, root, part, of, objectAt(t, root, m, "schema"))
		for name := range objectAt(t, root, m, "examples") {
			value := at(t, root, m, "examples", name, "value")
			if !slices.ContainsFunc(examples, func(x any) bool { return reflect.DeepEqual(x, asJSON(t, value)) }) {
				t.Errorf("what the page has on %s lacks the example %s", of, name)
			}
			if refusal, ok := value.(object); ok {
				mustSay(t, part, of, refusal["error"], refusal["message"])
			}
		}
	}
}

func asJSON(t *testing.T, value any) (out any) {
	t.Helper()
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func checkSchema(t *testing.T, root object, part *element, of string, s object) {
	t.Helper()
	values, _ := s["enum"].([]any)
	mustSay(t, part, of, append(values, s["const"])...)
	for name := range objectAt(t, root, s, "properties") {
		mustSay(t, part, of, name)
		checkSchema(t, root, part, of, objectAt(t, root, s, "properties", name))
	}
	for _, keyword := range []string{"items", "additionalProperties"} {
		if inner := objectAt(t, root, s, keyword); inner != nil {
			checkSchema(t, root, part, of, inner)
		}
	}
	for _, keyword := range []string{"anyOf", "oneOf", "allOf"} {
		list, _ := s[keyword].([]any)
		for _, inner := range list {
			checkSchema(t, root, part, of, objectAt(t, root, inner))
		}
	}
}

func TestPage_hasEverySchema(t *testing.T) {
	t.Parallel()
	text := read(t)
	page, root := render(t, text), load(t, text)
	for name := range objectAt(t, root, root, "components", "schemas") {
		s := objectAt(t, root, root, "components", "schemas", name)
		article := page.labelled(t, "schema-"+name)
		mustSay(t, article, name, name, s["description"], s["pattern"])
		values, _ := s["enum"].([]any)
		mustSay(t, article, name, values...)
		for field := range objectAt(t, root, s, "properties") {
			own, _ := s["properties"].(object)[field].(object) // a reference is a link, and described elsewhere
			mustSay(t, article, name, field, own["description"], own["pattern"], own["format"])
			values, _ := own["enum"].([]any)
			mustSay(t, article, name, values...)
		}
	}
}

// TestPage_hasEveryText looks for all other texts and numbers of the contract somewhere on the page.
func TestPage_hasEveryText(t *testing.T) {
	t.Parallel()
	text := read(t)
	page := render(t, text)
	var visit func(under string, value any)
	visit = func(under string, value any) {
		switch v := value.(type) {
		case object:
			for name, inner := range v {
				visit(name, inner)
			}
		case []any:
			for _, inner := range v {
				visit(under, inner)
			}
		case string:
			if under != "$ref" {
				mustSay(t, page, "the whole", v)
			}
		case int, float64:
			number, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			mustSay(t, page, "the whole", string(number))
		}
	}
	visit("", load(t, text))
}

// TestPage_isSound checks what a browser or a screen reader goes by.
func TestPage_isSound(t *testing.T) {
	t.Parallel()
	page := render(t, read(t))
	ids := map[string]bool{}
	for e := range page.all() {
		if id, ok := e.attributes["id"]; ok {
			if ids[id] || id == "" {
				t.Errorf("the id %q is there twice, or empty", id)
			}
			ids[id] = true
		}
	}
	level := 0
	for e := range page.all() {
		for name, value := range e.attributes {
			if name == "style" || strings.HasPrefix(name, "on") {
				t.Errorf("<%s> has %s=%q, which the policy forbids", e.name, name, value)
			}
			if name == "src" || name == "srcset" || name == "href" && e.name != "a" && value != "style.css" {
				t.Errorf("<%s %s=%q> loads what is not the page's", e.name, name, value)
			}
			if name == "href" && e.name == "a" && !strings.HasPrefix(value, "#") && !strings.HasPrefix(value, "https://") && value != "openapi.yaml" {
				t.Errorf("the link to %q leads nowhere", value)
			}
			if target, ok := strings.CutPrefix(value, "#"); name == "href" && ok && !ids[target] {
				t.Errorf("the link to #%s leads nowhere", target)
			}
			if name == "aria-labelledby" && !ids[value] {
				t.Errorf("%q labels <%s>, and is not there", value, e.name)
			}
		}
		switch {
		case slices.Contains([]string{"script", "style", "img", "iframe", "object", "embed", "form", "base"}, e.name):
			t.Errorf("the page has a <%s>", e.name)
		case len(e.name) == 2 && e.name[0] == 'h' && e.name[1] >= '1' && e.name[1] <= '6':
			next := int(e.name[1] - '0')
			if next > level+1 {
				t.Errorf("<%s> %q follows a heading of level %d", e.name, e.text(), level)
			}
			level = next
		}
	}
	for _, landmark := range []string{"header", "nav", "main", "h1", "title"} {
		if n := len(page.named(landmark)); n != 1 {
			t.Errorf("the page has %d <%s>", n, landmark)
		}
	}
}

// TestPage_curl has a shell read the commands, which is to find one call in each: the example's body as it is.
func TestPage_curl(t *testing.T) {
	t.Parallel()
	text := read(t)
	p, err := newPage(text, "http://127.0.0.1:4711/")
	if err != nil {
		t.Fatal(err)
	}
	root := load(t, text)
	for _, o := range p.operations(func(*operation) bool { return true }) {
		want := []string{}
		if o.Method != "GET" {
			want = append(want, "-X", o.Method)
		}
		want = append(want, "http://127.0.0.1:4711"+strings.ReplaceAll(o.Path, "{id}", "an-id"))
		if len(o.Schemes) > 0 {
			want = append(want, "-H", "authorization: Bearer a-token")
		}
		if o.Body != nil {
			want = append(want, "-H", "content-type: application/json", "-d", "")
		}
		cmd := exec.Command("sh", "-c", `curl() { printf '%s\0' "$@"; }; `+o.Curl)
		cmd.Env = []string{"ID=an-id", "TOKEN=a-token"}
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", o.Curl, err)
		}
		got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
		if o.Body != nil {
			var sent any
			if err := json.Unmarshal([]byte(got[len(got)-1]), &sent); err != nil {
				t.Errorf("%s sends no JSON: %v", o.ID, err)
			}
			examples := objectAt(t, root, root, "paths", o.Path, strings.ToLower(o.Method), "requestBody", "content", "application/json", "examples")
			first := o.Body.Samples[0].Name
			if !reflect.DeepEqual(sent, asJSON(t, at(t, root, examples, first, "value"))) {
				t.Errorf("%s does not send the example %s: %v", o.ID, first, sent)
			}
			got[len(got)-1] = ""
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s calls %q, want %q", o.ID, got, want)
		}
	}
}
