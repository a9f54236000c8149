package samtemplate

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// What Lambda takes when neither the function nor Globals say anything.
const (
	defaultTimeout  = 3 * time.Second
	defaultMemoryMB = 128
)

// Function is a Lambda function with its route or its schedule, Globals merged into it.
type Function struct {
	LogicalID string
	// Folder holds the function's code: relative to the template, with forward slashes.
	Folder string
	// Method and Path are its route, as in POST and /events/shows/{id}/enter; empty where it has a schedule.
	Method, Path  string
	Schedule      *Schedule // nil where it has a route
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

// Schedule is how EventBridge Scheduler runs a function.
type Schedule struct {
	Name    string // the event's logical id
	Every   time.Duration
	Enabled bool // where every parameter has its default
}

// Endpoints are the functions that have a route of the HTTP API.
func (t *Template) Endpoints() []Function {
	return slices.DeleteFunc(slices.Clone(t.Functions), func(f Function) bool { return f.Schedule != nil })
}

// Function returns the function with the logical id; false where there is none.
func (t *Template) Function(logicalID string) (Function, bool) {
	for _, f := range t.Functions {
		if f.LogicalID == logicalID {
			return f, true
		}
	}
	return Function{}, false
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
	t.readEvent(&f, properties.get("Events"))
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

// readEvent reads a function's only event.
func (t *Template) readEvent(f *Function, events property) {
	all := events.fields()
	if len(all) != 1 {
		events.fail("want exactly one event")
		return
	}
	switch kind := all[0].get("Type"); kind.text() {
	case "HttpApi":
		t.readRoute(f, all[0].get("Properties"))
	case "ScheduleV2":
		f.Schedule = readSchedule(all[0])
	default:
		kind.fail("want HttpApi or ScheduleV2")
	}
}

var rate = regexp.MustCompile(`^rate\((\d+) (minute|hour|day)s?\)$`)

// readSchedule reads a schedule at a fixed rate. It must say what becomes of a run that fails, which else is repeated
// for a day.
func readSchedule(event property) *Schedule {
	p := event.get("Properties")
	p.only("OmitName", "ScheduleExpression", "State", "RetryPolicy")
	if name := p.get("OmitName"); !name.boolean() {
		name.fail("want true: SAM's own name is the same in every stack of an account")
	}
	p.get("RetryPolicy").only("MaximumRetryAttempts")
	p.get("RetryPolicy").required()
	s := &Schedule{Name: event.name}
	expression := p.get("ScheduleExpression")
	found := rate.FindStringSubmatch(expression.text())
	if found == nil {
		expression.fail("want a rate, such as rate(5 minutes)")
		return s
	}
	n, err := strconv.Atoi(found[1])
	if err != nil || n == 0 || n > mostInteger/(24*60*60) {
		expression.fail("want a number from 1 to %d", mostInteger/(24*60*60))
		return s
	}
	s.Every = time.Duration(n) * map[string]time.Duration{"minute": time.Minute, "hour": time.Hour, "day": 24 * time.Hour}[found[2]]
	switch state := p.get("State"); state.text() {
	case "ENABLED":
		s.Enabled = true
	case "DISABLED":
	default:
		state.fail("want ENABLED or DISABLED")
	}
	return s
}

// readRoute reads a route of the HTTP API. No two functions may have the same one.
func (t *Template) readRoute(f *Function, route property) {
	route.only("ApiId", "Method", "Path")
	if !route.get("Method").required() || !route.get("Path").required() {
		return
	}
	if api := route.get("ApiId"); !t.OfType(api.value().Ref, "AWS::Serverless::HttpApi") {
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
