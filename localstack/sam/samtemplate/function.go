package samtemplate

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// defaultTimeout and defaultMemoryMB are Lambda's defaults, for a function whose settings are neither in its own
// properties nor in Globals.
const (
	defaultTimeout  = 3 // seconds
	defaultMemoryMB = 128
)

// Function is a Lambda function of the template with its route or its schedule. Its settings include those of Globals.
type Function struct {
	LogicalID string
	// Folder holds the function's code. It is relative to the template, with forward slashes.
	Folder string
	// Method and Path are the function's route, such as POST and /cats/{id}/feed. Both are empty with a schedule.
	Method, Path string
	Schedule     *Schedule // nil if the function has a route
	Timeout      time.Duration
	MemoryMB     int
	Environment  map[string]Value
	// Statements are all rights of the function's role, apart from writing logs.
	Statements []Statement
}

// Schedule is how EventBridge Scheduler runs a function.
type Schedule struct {
	Name    string // the event's logical id
	Every   time.Duration
	Enabled bool // if every parameter has its default
}

// Endpoints returns the functions with a route of the HTTP API.
func (t *Template) Endpoints() []Function {
	return slices.DeleteFunc(slices.Clone(t.Functions), func(f Function) bool { return f.Schedule != nil })
}

// Function returns the function with the logical id, or false.
func (t *Template) Function(logicalID string) (Function, bool) {
	for _, f := range t.Functions {
		if f.LogicalID == logicalID {
			return f, true
		}
	}
	return Function{}, false
}

// Route returns the function's route in API Gateway's form: POST /cats.
func (f Function) Route() string { return f.Method + " " + f.Path }

// functionProperties are the properties of a function in the template. They are read after Globals: a scalar or a list
// replaces the global value, and environment variables are added.
type functionProperties struct {
	Timeout, MemorySize uint32
	Environment         struct{ Variables map[string]Value }
	Policies            []policy
	Events              map[string]struct {
		Type       string
		Properties json.RawMessage
	}

	// These have no effect in a local set-up.
	Architectures, AutoPublishAlias, AutoPublishAliasAllProperties, CodeUri, DeploymentPreference, EventInvokeConfig,
	Handler, LoggingConfig, PermissionsBoundary,
	ReservedConcurrentExecutions, Runtime, VersionDeletionPolicy, VersionDescription any
}

func readFunction(name string, properties, globals json.RawMessage) (Function, error) {
	read := functionProperties{Timeout: defaultTimeout, MemorySize: defaultMemoryMB}
	if err := decode(globals, &read); err != nil {
		return Function{}, fmt.Errorf("the Globals: %w", err)
	}
	if err := decode(properties, &read); err != nil {
		return Function{}, err
	}
	f := Function{
		LogicalID: name, Folder: "functions/" + strings.ToLower(name), Environment: read.Environment.Variables,
		Timeout: time.Duration(read.Timeout) * time.Second, MemoryMB: int(read.MemorySize),
	}
	for _, policy := range read.Policies {
		f.Statements = append(f.Statements, policy.Statement...)
	}
	if len(read.Events) != 1 {
		return Function{}, errors.New("want exactly one event")
	}
	for name, event := range read.Events {
		switch event.Type {
		case "HttpApi":
			err := f.readRoute(event.Properties)
			return f, err
		case "ScheduleV2":
			err := f.readSchedule(name, event.Properties)
			return f, err
		}
	}
	return Function{}, errors.New("want an event of type HttpApi or ScheduleV2")
}

func (f *Function) readRoute(properties json.RawMessage) error {
	var read struct {
		ApiId        Value
		Method, Path string
	}
	err := decode(properties, &read)
	f.Method, f.Path = strings.ToUpper(read.Method), read.Path
	if err == nil && (f.Method == "" || !strings.HasPrefix(f.Path, "/") || read.ApiId.Ref == "") {
		err = fmt.Errorf("want a method, a path that begins with /, and a !Ref to the API, not %+v", read)
	}
	return err
}

var rate = regexp.MustCompile(`^rate\(([1-9]\d{0,4}) (minute|hour|day)s?\)$`)

// readSchedule reads a schedule at a fixed rate.
func (f *Function) readSchedule(name string, properties json.RawMessage) error {
	var read struct {
		ScheduleExpression, State                  string
		OmitName, PermissionsBoundary, RetryPolicy any
	}
	if err := decode(properties, &read); err != nil {
		return err
	}
	found := rate.FindStringSubmatch(read.ScheduleExpression)
	if found == nil || read.State != "ENABLED" && read.State != "DISABLED" {
		return fmt.Errorf("want a rate, such as rate(5 minutes), and the state ENABLED or DISABLED, not %+v", read)
	}
	n, err := strconv.Atoi(found[1])
	unit := map[string]time.Duration{"minute": time.Minute, "hour": time.Hour, "day": 24 * time.Hour}[found[2]]
	f.Schedule = &Schedule{Name: name, Every: time.Duration(n) * unit, Enabled: read.State == "ENABLED"}
	return err
}
