package samtemplate

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Lambda's own values, for functions that neither set one nor take one from Globals.
const (
	defaultTimeout  = 3 * time.Second
	defaultMemoryMB = 128
)

// Function is a Lambda function with its route or its schedule, Globals merged into it.
type Function struct {
	LogicalID string
	// Folder holds the function's code: relative to the template, with forward slashes.
	Folder string
	// Method and Path are its route, as in POST and /cats/{id}/feed; empty if it has a schedule.
	Method, Path  string
	Schedule      *Schedule // nil if it has a route
	Runtime       string
	Architectures []string
	BuildMethod   string
	Timeout       time.Duration
	MemoryMB      int
	Environment   map[string]Value
	// Alias is the name by which the API invokes it; "" if it invokes the function itself.
	Alias string
	// Version are the values in the description of a version, by their names there: another value makes another
	// version.
	Version map[string]Value
	// Statements are all that its role allows, apart from writing logs.
	Statements []Statement
}

// Schedule is how EventBridge Scheduler runs a function.
type Schedule struct {
	Name    string // the event's logical id
	Every   time.Duration
	Enabled bool // if every parameter has its default
}

// Endpoints are the functions that have a route of the HTTP API.
func (t *Template) Endpoints() []Function {
	return slices.DeleteFunc(slices.Clone(t.Functions), func(f Function) bool { return f.Schedule != nil })
}

// Function returns the function with the logical id; false if there is none.
func (t *Template) Function(logicalID string) (Function, bool) {
	for _, f := range t.Functions {
		if f.LogicalID == logicalID {
			return f, true
		}
	}
	return Function{}, false
}

// Route is the function's route as API Gateway writes it: POST /cats.
func (f Function) Route() string { return f.Method + " " + f.Path }

// functionProperties are a function's. Those of Globals come first: a scalar or a list of the function replaces the
// global one, and variables add up.
type functionProperties struct {
	Runtime            string
	Architectures      []string
	Timeout            time.Duration
	MemorySize         int
	AutoPublishAlias   string
	Environment        struct{ Variables map[string]Value }
	VersionDescription version
	Policies           []policy
	Events             property

	AutoPublishAliasAllProperties, CodeUri, DeploymentPreference, EventInvokeConfig, Handler, LoggingConfig, ReservedConcurrentExecutions ignored
}

func (t *Template) readFunction(resource, globals property) {
	read := functionProperties{Timeout: defaultTimeout, MemorySize: defaultMemoryMB}
	read.Environment.Variables = map[string]Value{}
	globals.into(&read)
	resource.get("Properties").into(&read)
	f := Function{
		LogicalID: resource.name, Folder: "functions/" + strings.ToLower(resource.name), Runtime: read.Runtime, Architectures: read.Architectures,
		BuildMethod: resource.get("Metadata").get("BuildMethod").text(), Timeout: read.Timeout, MemoryMB: read.MemorySize,
		Environment: read.Environment.Variables, Alias: read.AutoPublishAlias, Version: read.VersionDescription,
	}
	for _, policy := range read.Policies {
		f.Statements = append(f.Statements, policy.Statement...)
	}
	t.readEvent(&f, resource.get("Properties").get("Events"))
	t.Functions = append(t.Functions, f)
}

// version are the values of a version's description: a !Sub whose values are all given with it.
type version map[string]Value

func (v *version) decode(p property) {
	parts := p.items()
	if p.node.Tag != "!Sub" || len(parts) != 2 {
		p.fail("want a !Sub of a text and its values")
		return
	}
	*v = version{}
	for _, value := range parts[1].fields() {
		(*v)[value.name] = value.value()
	}
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
		f.Schedule = readSchedule(all[0].name, all[0].get("Properties"))
	default:
		kind.fail("want HttpApi or ScheduleV2")
	}
}

// readRoute reads a route of the HTTP API. No two functions may have the same one.
func (t *Template) readRoute(f *Function, p property) {
	var read struct {
		ApiID  Value  `cfn:"ApiId"`
		Method string `cfn:"Method,required"`
		Path   string `cfn:"Path,required"`
	}
	p.into(&read)
	if !t.OfType(read.ApiID.Ref, "AWS::Serverless::HttpApi") {
		p.get("ApiId").fail("want a !Ref to the HttpApi")
	}
	f.Method, f.Path = strings.ToUpper(read.Method), read.Path
	if !strings.HasPrefix(f.Path, "/") {
		p.get("Path").fail("want a path that begins with /")
	}
	for _, other := range t.Functions {
		if other.Method == f.Method && other.Path == f.Path {
			p.fail("%s has the route %s %s already", other.LogicalID, f.Method, f.Path)
		}
	}
}

var rate = regexp.MustCompile(`^rate\((\d+) (minute|hour|day)s?\)$`)

// readSchedule reads a schedule at a fixed rate.
func readSchedule(name string, p property) *Schedule {
	var read struct {
		ScheduleExpression, State string
		OmitName, RetryPolicy     ignored
	}
	p.into(&read)
	p.get("State").oneOf(read.State, []string{"ENABLED", "DISABLED"})
	s := &Schedule{Name: name, Enabled: read.State == "ENABLED"}
	const most = mostNumber / (24 * 60 * 60)
	if found := rate.FindStringSubmatch(read.ScheduleExpression); found == nil {
		p.get("ScheduleExpression").fail("want a rate, such as rate(5 minutes)")
	} else if n, err := strconv.Atoi(found[1]); err != nil || n == 0 || n > most {
		p.get("ScheduleExpression").fail("want a number from 1 to %d", most)
	} else {
		s.Every = time.Duration(n) * map[string]time.Duration{"minute": time.Minute, "hour": time.Hour, "day": 24 * time.Hour}[found[2]]
	}
	return s
}
