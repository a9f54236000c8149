package samtemplate

import (
	"maps"
	"strings"
	"time"
)

// What Lambda takes when neither the function nor Globals say anything.
const (
	defaultTimeout  = 3 * time.Second
	defaultMemoryMB = 128
)

// Function is a Lambda function with its route, Globals merged into it.
type Function struct {
	LogicalID string
	// Folder holds the function's code: relative to the template, with forward slashes.
	Folder string
	// Method and Path are its route, as in POST and /events/shows/{id}/enter.
	Method, Path  string
	Runtime       string
	Architectures []string
	BuildMethod   string
	Timeout       time.Duration
	MemoryMB      int
	Environment   map[string]Value
	// Alias is the name by which the API invokes it; "" where it invokes the function itself.
	Alias string
	// Version are the values that stand in the description of a version, by their names there: another value makes
	// another version.
	Version map[string]Value
	// Statements are all that its role allows, apart from writing logs.
	Statements []Statement
}

// Route is the function's route as API Gateway writes it: POST /auth/login.
func (f Function) Route() string { return f.Method + " " + f.Path }

func (t *Template) readFunction(resource, globals property) {
	properties := resource.get("Properties")
	// A scalar or a list of the function replaces the global one.
	of := func(name string) property {
		if own := properties.get(name); own.present() {
			return own
		}
		return globals.get(name)
	}
	f := Function{
		LogicalID:     resource.name,
		Folder:        "functions/" + strings.ToLower(resource.name),
		Runtime:       of("Runtime").text(),
		Architectures: of("Architectures").texts(),
		BuildMethod:   resource.get("Metadata").get("BuildMethod").text(),
		Timeout:       time.Duration(of("Timeout").integer()) * time.Second,
		MemoryMB:      of("MemorySize").integer(),
		Environment:   map[string]Value{},
		Alias:         of("AutoPublishAlias").text(),
		Version:       readVersion(properties.get("VersionDescription")),
	}
	if f.Timeout == 0 {
		f.Timeout = defaultTimeout
	}
	if f.MemoryMB == 0 {
		f.MemoryMB = defaultMemoryMB
	}
	maps.Copy(f.Environment, readEnvironment(globals.get("Environment")))
	maps.Copy(f.Environment, readEnvironment(properties.get("Environment")))
	for _, policy := range properties.get("Policies").items() {
		f.Statements = append(f.Statements, readPolicy(policy)...)
	}
	t.readRoute(&f, properties.get("Events"))
	t.Functions = append(t.Functions, f)
}

func readEnvironment(p property) map[string]Value {
	variables := map[string]Value{}
	for _, v := range p.get("Variables").fields() {
		variables[v.name] = v.value()
	}
	return variables
}

// readVersion reads a !Sub whose values are all given with it.
func readVersion(description property) map[string]Value {
	if !description.present() {
		return nil
	}
	parts := description.items()
	if description.node.Tag != "!Sub" || len(parts) != 2 {
		description.fail("want a !Sub of a text and its values")
		return nil
	}
	values := map[string]Value{}
	for _, v := range parts[1].fields() {
		values[v.name] = v.value()
	}
	for _, used := range placeholder.FindAllStringSubmatch(parts[0].text(), -1) {
		if _, ok := values[used[2]]; !ok && used[1] == "" {
			parts[0].fail("%s is none of the values", used[2])
		}
	}
	return values
}

// readRoute reads a function's only event, a route of the HTTP API. No two functions may have the same one.
func (t *Template) readRoute(f *Function, events property) {
	all := events.fields()
	if len(all) != 1 {
		events.fail("want exactly one event")
		return
	}
	event := all[0]
	if event.get("Type").text() != "HttpApi" {
		event.get("Type").fail("want HttpApi")
		return
	}
	route := event.get("Properties")
	route.only("ApiId", "Method", "Path")
	if !route.get("Method").required() || !route.get("Path").required() {
		return
	}
	if api := route.get("ApiId"); !t.ofType(api.value().Ref, "AWS::Serverless::HttpApi") {
		api.fail("want a !Ref to the HttpApi")
	}
	f.Method, f.Path = strings.ToUpper(route.get("Method").text()), route.get("Path").text()
	if !strings.HasPrefix(f.Path, "/") {
		route.get("Path").fail("want a path that begins with /")
	}
	for _, other := range t.Functions {
		if other.Method == f.Method && other.Path == f.Path {
			route.fail("%s has the route %s %s already", other.LogicalID, f.Method, f.Path)
		}
	}
}
