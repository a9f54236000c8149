// Package samtemplate reads an AWS SAM template, so that local set-ups and tests take routes, environments, tables and
// secrets from there instead of writing them a second time. Every parameter has its default, and conditions hold by
// that, as in a local set-up.
//
// It understands what such a template needs and refuses the rest: a property that would change what a local set-up has
// to do, and that it does not know, is an error with the file, the line, the resource and the property in it.
//
//	property.go   the nodes of a template, and how they become Go values
//	value.go      references and other intrinsic functions
//	template.go   parameters, conditions, rules, and the resources one by one
//	function.go   functions with their events
//	alarm.go      alarms
//	resources.go  the API, policies, tables and secrets
package samtemplate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"go.yaml.in/yaml/v3"
)

// FileName is the template's name in the root folder of the repository.
const FileName = "template.yaml"

// Template is a SAM template that has been read and checked.
type Template struct {
	// Root is the absolute path of the folder that holds the template.
	Root string
	// Functions are the Lambda functions, in the order of the file.
	Functions []Function
	// CORS is the configuration of the HTTP API for browsers; nil if it has none.
	CORS *CORS
	// Policies are the statements of the managed policies, by logical id.
	Policies map[string][]Statement
	// Alarms are those of CloudWatch, in the order of the file.
	Alarms []Alarm
	// Tables are those of DynamoDB, by logical id.
	Tables map[string]Table
	// AccessLog is the format of a line of the API's access log.
	AccessLog string

	api        httpAPI
	parameters map[string]parameter
	resources  map[string]string // logical id → type
	secrets    map[string]SecretTemplate
	rules      []property
}

type parameter struct {
	Type    string
	Default *string
}

// LoadRoot loads the template of the repository in which the working directory lies: the nearest template.yaml in it or
// above it.
func LoadRoot() (*Template, error) {
	start, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, FileName)
		if _, err := os.Stat(path); err == nil {
			return Load(path)
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if dir == filepath.Dir(dir) {
			return nil, fmt.Errorf("no %s in %s or above it", FileName, start)
		}
	}
}

// Load reads the template at path. Its error lists everything that is wrong with it.
func Load(path string) (*Template, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	root, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	return parse(path, root, text)
}

// parse reads the text of the template at path.
func parse(path, root string, text []byte) (*Template, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(document.Content) == 0 {
		return nil, fmt.Errorf("%s: it is empty", path)
	}
	// This finds what a node alone does not show: an anchor within itself, or a key that is there twice.
	if err := document.Decode(new(any)); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	t := &Template{
		Root: root, Policies: map[string][]Statement{}, Tables: map[string]Table{},
		parameters: map[string]parameter{}, resources: map[string]string{}, secrets: map[string]SecretTemplate{},
	}
	reader := &reader{file: path, parameters: t.parameters, conditions: map[string]bool{}}
	t.read(property{node: document.Content[0], reader: reader})
	if err := errors.Join(reader.errs...); err != nil {
		return nil, err
	}
	return t, nil
}

func (t *Template) read(document property) {
	for _, p := range document.get("Parameters").fields() {
		parameter := parameter{Type: p.get("Type").text()}
		p.get("Default").into(&parameter.Default)
		t.parameters[p.name] = parameter
	}
	for _, c := range document.get("Conditions").fields() {
		document.reader.conditions[c.name] = t.holds(c, nil)
	}
	t.readRules(document.get("Rules"))
	var globals struct{ Function property }
	document.get("Globals").into(&globals)

	resources := document.get("Resources")
	if !resources.required() {
		return
	}
	var there []property
	for _, r := range resources.fields() {
		if c := r.get("Condition"); c.present() && !document.reader.conditions[c.text()] {
			continue
		}
		r.get("Type").required()
		t.resources[r.name] = r.get("Type").text()
		there = append(there, r)
	}
	for _, r := range there {
		t.readResource(r, document.get("Globals").get("Function"))
	}
	for _, r := range there {
		if t.OfType(r.name, "AWS::Serverless::HttpApi") {
			t.checkRoutes(r.get("Properties").get("RouteSettings"))
		}
	}
}

func (t *Template) readResource(r, globals property) {
	p := r.get("Properties")
	switch t.resources[r.name] {
	case "AWS::Serverless::HttpApi":
		if t.api.RouteSettings != nil || t.CORS != nil {
			r.fail("there is another HttpApi already")
		}
		p.into(&t.api)
		t.CORS, t.AccessLog = t.api.CorsConfiguration, t.api.AccessLogSettings.Format
	case "AWS::Serverless::Function":
		t.readFunction(r, globals)
	case "AWS::IAM::ManagedPolicy":
		var read policy
		p.get("PolicyDocument").into(&read)
		t.Policies[r.name] = read.Statement
	case "AWS::CloudWatch::Alarm":
		t.readAlarm(r)
	case "AWS::DynamoDB::Table":
		var read Table
		p.required()
		p.into(&read)
		t.Tables[r.name] = read
	case "AWS::SecretsManager::Secret":
		t.secrets[r.name] = readSecret(p.get("GenerateSecretString"))
	}
}

// checkRoutes refuses settings of a route that no function has: their deployment fails.
func (t *Template) checkRoutes(settings property) {
	for _, route := range settings.fields() {
		if !slices.ContainsFunc(t.Functions, func(f Function) bool { return f.Route() == route.name }) {
			route.fail("there is no such route")
		}
	}
}

// OfType reports whether a resource of that type has that logical id.
func (t *Template) OfType(logicalID, resourceType string) bool {
	return logicalID != "" && t.resources[logicalID] == resourceType
}

// readRules reads the rules of what parameters may be together, which the defaults must keep.
func (t *Template) readRules(rules property) {
	t.rules = rules.fields()
	for _, broken := range t.Broken(nil) {
		rules.fail("the defaults break it: %s", broken)
	}
}

// Broken returns the descriptions of the rules that these values of parameters break; those that are not there have
// their defaults. CloudFormation refuses such a deployment before it begins.
func (t *Template) Broken(parameters map[string]string) (descriptions []string) {
	for _, rule := range t.rules {
		if c := rule.get("RuleCondition"); c.present() && !t.holds(c, parameters) {
			continue
		}
		for _, assertion := range rule.get("Assertions").items() {
			if a := assertion.get("Assert"); a.present() && !t.holds(a, parameters) {
				descriptions = append(descriptions, assertion.get("AssertDescription").text())
			}
		}
	}
	return descriptions
}

// holds evaluates !Equals, of texts and parameters, and !Not.
func (t *Template) holds(c property, parameters map[string]string) bool {
	var arguments []property
	if c.node.Kind == yaml.SequenceNode { // a scalar would be its own only item
		arguments = c.items()
	}
	switch {
	case c.node.Tag == "!Not" && len(arguments) == 1:
		return !t.holds(arguments[0], parameters)
	case c.node.Tag == "!Equals" && len(arguments) == 2:
		return t.given(arguments[0], parameters) == t.given(arguments[1], parameters)
	}
	c.fail("want !Equals or !Not")
	return false
}

// given returns a text, or a parameter's value.
func (t *Template) given(p property, parameters map[string]string) string {
	v := p.value()
	if v.Ref == "" {
		return v.Literal
	}
	if value, ok := parameters[v.Ref]; ok {
		return value
	}
	if d := t.parameters[v.Ref].Default; d != nil {
		return *d
	}
	p.fail("want a parameter with a default, not %s", v)
	return ""
}
