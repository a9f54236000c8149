// Package samtemplate reads an AWS SAM template, so that local set-ups and tests take routes, environments and tables
// from it. It gives every parameter its default value, and decides the template's conditions with these values.
//
// The package supports what our template needs. If an unknown property would change the local set-up, Load returns an
// error that names the resource and the property. `make validate` checks with SAM whether AWS accepts the template.
//
//	template.go   parameters, conditions, and each resource
//	plain.go      YAML without aliases and conditions, and its strict decoding
//	value.go      references
//	function.go   functions with their events
//	alarm.go      alarms
//	resources.go  the API, policies and tables
package samtemplate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"go.yaml.in/yaml/v3"
)

// These are the templates of the three stacks of an environment, relative to the root of the repository: of the service,
// of what watches it, and of the policies of people.
const (
	FileName   = "template.yaml"
	AlarmsFile = "infra/alarms.yaml"
	PeopleFile = "infra/people.yaml"
)

// Template is a checked SAM template.
type Template struct {
	// Root is the absolute path of the folder that holds the template.
	Root       string
	Parameters map[string]Parameter
	// Functions are the Lambda functions, in the order of the file.
	Functions []Function
	// CORS has the settings for browsers' cross-origin requests; nil if the HTTP API has none.
	CORS *CORS
	// Policies are the statements of the managed policies, by logical id.
	Policies map[string][]Statement
	// Alarms are the CloudWatch alarms, in the order of the file.
	Alarms []Alarm

	throttles  map[string]Throttle // by route, and anyOther
	conditions map[string]bool     // whether each holds
	tables     map[string]table
}

// Parameter is a parameter of the template, with the limits on its values in a deployment.
type Parameter struct {
	Type, Description  string
	Default            *Value // nil if it has none
	AllowedPattern     string
	AllowedValues      []Value
	MinValue, MaxValue *float64
}

// LoadRoot loads the service's template of the repository that contains the working directory.
func LoadRoot() (*Template, error) { return LoadFile(FileName, nil) }

// LoadFile loads a template of the repository that contains the working directory, by its path in it. values replace the
// defaults of parameters; nil replaces none.
func LoadFile(name string, values map[string]string) (*Template, error) {
	root, err := FindRoot()
	if err != nil {
		return nil, err
	}
	return loadWith(filepath.Join(root, filepath.FromSlash(name)), values)
}

// FindRoot returns the root of the repository that contains the working directory: that directory or the nearest folder
// above it that has a template.yaml.
func FindRoot() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, FileName)); err == nil || !errors.Is(err, fs.ErrNotExist) {
			return dir, err
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no %s in %s or above it", FileName, start)
		}
	}
}

// Load reads the template at path. Its error names every wrong resource.
func Load(path string) (*Template, error) { return loadWith(path, nil) }

func loadWith(path string, values map[string]string) (*Template, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	root, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	t := &Template{
		Root: root, Policies: map[string][]Statement{},
		throttles: map[string]Throttle{}, conditions: map[string]bool{}, tables: map[string]table{},
	}
	if err := t.read(text, values); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

func (t *Template) read(text []byte, values map[string]string) error {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return err
	}
	// This finds what the nodes do not show: an anchor within itself, or a repeated key.
	if err := document.Decode(new(any)); err != nil {
		return err
	}
	var sections map[string]yaml.Node
	if err := document.Decode(&sections); err != nil {
		return err
	}
	var globals struct{ Function json.RawMessage }
	if err := errors.Join( // in this order: each may use those before
		t.section("Parameters", sections["Parameters"], &t.Parameters),
		t.setDefaults(values),
		t.readConditions(sections["Conditions"]),
		t.section("Globals", sections["Globals"], &globals),
	); err != nil {
		return err
	}
	return t.readResources(sections["Resources"], globals.Function)
}

// setDefaults gives parameters other defaults.
func (t *Template) setDefaults(values map[string]string) error {
	for name, value := range values {
		p, ok := t.Parameters[name]
		if !ok {
			return fmt.Errorf("the Parameters: there is no %s", name)
		}
		p.Default = &Value{Literal: value}
		t.Parameters[name] = p
	}
	return nil
}

// section reads a section of the template, if it exists.
func (t *Template) section(name string, node yaml.Node, into any) error {
	text, err := t.json(&node)
	if err == nil {
		err = decode(text, into)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// resource has the fields that resources of all types have.
type resource struct {
	Type, Condition string
	Properties      json.RawMessage
}

func (t *Template) readResources(section yaml.Node, globals json.RawMessage) error {
	if section.Kind != yaml.MappingNode || len(section.Content) == 0 {
		return errors.New("there are no Resources")
	}
	var errs []error
	for i := 0; i < len(section.Content); i += 2 {
		name := section.Content[i].Value
		var r resource
		text, err := t.json(section.Content[i+1])
		if err == nil {
			err = json.Unmarshal(text, &r)
		}
		if err == nil && (r.Condition == "" || t.conditions[r.Condition]) {
			err = t.readResource(name, r, globals)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	for route := range t.throttles { // a deployment with limits for an unknown route fails
		if route != anyOther && !slices.ContainsFunc(t.Functions, func(f Function) bool { return f.Route() == route }) {
			errs = append(errs, fmt.Errorf("RouteSettings: there is no route %s", route))
		}
	}
	return errors.Join(errs...)
}

func (t *Template) readResource(name string, r resource, globals json.RawMessage) error {
	switch r.Type {
	case "":
		return errors.New("it has no Type")
	case "AWS::Serverless::HttpApi":
		return t.readAPI(r.Properties)
	case "AWS::Serverless::Function":
		f, err := readFunction(name, r.Properties, globals)
		t.Functions = append(t.Functions, f)
		return err
	case "AWS::IAM::ManagedPolicy":
		var read struct{ PolicyDocument policy }
		err := json.Unmarshal(r.Properties, &read)
		t.Policies[name] = read.PolicyDocument.Statement
		return err
	case "AWS::CloudWatch::Alarm":
		a, err := readAlarm(name, r.Properties)
		t.Alarms = append(t.Alarms, a)
		return err
	case "AWS::DynamoDB::Table":
		var read table
		err := decode(r.Properties, &read)
		t.tables[name] = read
		return err
	}
	return nil
}

// readConditions evaluates the conditions with the parameters' defaults.
func (t *Template) readConditions(section yaml.Node) error {
	var all map[string]json.RawMessage
	if err := t.section("Conditions", section, &all); err != nil {
		return err
	}
	var errs []error
	for name, condition := range all {
		holds, err := t.holds(condition)
		if t.conditions[name] = holds; err != nil {
			errs = append(errs, fmt.Errorf("the Conditions: %s: %w", name, err))
		}
	}
	return errors.Join(errs...)
}

// holds evaluates a condition: !Equals of texts and parameters, !Not or !And.
func (t *Template) holds(condition json.RawMessage) (bool, error) {
	var read struct {
		Not    []json.RawMessage `json:"!Not"`
		And    []json.RawMessage `json:"!And"`
		Equals []Value           `json:"!Equals"`
	}
	if err := decode(condition, &read); err != nil {
		return false, err
	}
	switch {
	case len(read.And) == 2 && read.Not == nil && read.Equals == nil:
		a, errA := t.holds(read.And[0])
		b, errB := t.holds(read.And[1])
		return a && b, errors.Join(errA, errB)
	case len(read.Not) == 1 && read.Equals == nil && read.And == nil:
		holds, err := t.holds(read.Not[0])
		return !holds, err
	case len(read.Equals) == 2 && read.Not == nil && read.And == nil:
		a, errA := t.Text(read.Equals[0], nil)
		b, errB := t.Text(read.Equals[1], nil)
		return a == b, errors.Join(errA, errB)
	}
	return false, errors.New("want !Equals of two values, !Not of one condition, or !And of two")
}
