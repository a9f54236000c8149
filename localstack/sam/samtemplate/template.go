// Package samtemplate reads the service's AWS SAM template, which is the only place where routes, the functions'
// environment, the table's definition and the secret's shape are written. Local set-ups and tests take them from here
// instead of writing them a second time.
//
// Every parameter has its default, and conditions hold or do not by that: this is what a local set-up has.
//
// It understands what such a template needs and refuses the rest: a property that would change what a local set-up has
// to do, and that is not known here, is an error with the file, the line, the resource and the property in it, never
// silently left out.
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

	throttles  map[string]Throttle // by route; "" is that of all others
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
	if inItself(&document, map[*yaml.Node]bool{}) {
		return nil, fmt.Errorf("%s: an anchor is within itself", path)
	}
	reader := &reader{file: path, conditions: map[string]bool{}}
	t := &Template{
		Root:       root,
		Policies:   map[string][]Statement{},
		throttles:  map[string]Throttle{},
		parameters: map[string]parameter{},
		resources:  map[string]string{},
		Tables:     map[string]Table{},
		secrets:    map[string]SecretTemplate{},
	}
	t.read(property{node: document.Content[0], reader: reader})
	if err := errors.Join(reader.errs...); err != nil {
		return nil, err
	}
	return t, nil
}

// inItself reports whether a node is behind an alias within itself, which has no end. The open ones are those that the
// node stands in; the others in the map have been looked through.
func inItself(node *yaml.Node, open map[*yaml.Node]bool) bool {
	if is, seen := open[node]; seen {
		return is
	}
	open[node] = true
	defer func() { open[node] = false }()
	if node.Kind == yaml.AliasNode {
		return inItself(node.Alias, open)
	}
	return slices.ContainsFunc(node.Content, func(n *yaml.Node) bool { return inItself(n, open) })
}

func (t *Template) read(document property) {
	for _, p := range document.get("Parameters").fields() {
		parameter := parameter{Type: p.get("Type").text()}
		if value := p.get("Default"); value.present() {
			text := value.text()
			parameter.Default = &text
		}
		t.parameters[p.name] = parameter
	}
	t.readConditions(document.get("Conditions"), document.reader)
	t.readRules(document.get("Rules"))
	globals := document.get("Globals")
	globals.only("Function")

	resources := document.get("Resources")
	if !resources.required() {
		return
	}
	for _, r := range resources.fields() {
		if c := r.get("Condition"); c.present() && !document.reader.conditions[c.text()] {
			continue
		}
		t.resources[r.name] = r.get("Type").text()
	}
	var api property
	for _, r := range resources.fields() {
		kind, there := t.resources[r.name]
		switch kind {
		case "":
			if there {
				r.get("Type").required()
			}
		case "AWS::Serverless::HttpApi":
			api = r.get("Properties")
			t.readAPI(api)
		case "AWS::Serverless::Function":
			t.readFunction(r, globals.get("Function"))
		case "AWS::IAM::ManagedPolicy":
			t.Policies[r.name] = readPolicy(r.get("Properties").get("PolicyDocument"))
		case "AWS::CloudWatch::Alarm":
			t.readAlarm(r)
		case "AWS::DynamoDB::Table":
			t.Tables[r.name] = readTable(r.get("Properties"))
		case "AWS::SecretsManager::Secret":
			t.secrets[r.name] = readSecret(r.get("Properties"))
		}
	}
	for _, route := range api.get("RouteSettings").fields() {
		if !slices.ContainsFunc(t.Functions, func(f Function) bool { return f.Route() == route.name }) {
			route.fail("there is no such route") // the deployment would fail for it
		}
	}
}

// OfType says whether a resource of that type has that logical id.
func (t *Template) OfType(logicalID, resourceType string) bool {
	return logicalID != "" && t.resources[logicalID] == resourceType
}
