package template

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

var update = flag.Bool("update", false, "rewrite the golden files with what template.yaml deploys")

type object = map[string]any

// at returns the value at a path of names in nested objects, or nil if a name is missing.
func at(v any, names ...string) any {
	for _, name := range names {
		members, _ := v.(object)
		v = members[name]
	}
	return v
}

// stacks are the stacks with a golden file, and the parameters of each. testdata/prod.yaml has all that prod deploys.
// The files of the others have only the differences from it (mergePatch).
func stacks(t *testing.T) map[string]map[string]string {
	all := map[string]map[string]string{}
	for name, settings := range environments(t) {
		all[settings["global.stack_name"][len("ranch-"):]] = pairs(t, environments(t)[name]["deploy.parameter_overrides"])
	}
	all["options"] = maps.Clone(all["prod"]) // with each resource and setting that depends on a parameter
	maps.Copy(all["options"], map[string]string{
		"AlarmEmail": "page@example.com", "ApiAddress": "closed", "AuditCopy": "on", "DomainName": "api.example.com",
		"BackupCopyVault": "arn:aws:backup:eu-west-1:210987654321:backup-vault:ranch-copies",
		"CertificateArn":  "arn:aws:acm:eu-central-1:123456789012:certificate/1b2c3d4e-1111-2222-3333-444455556666",
		"SyntheticUrl":    "https://front.example.com", "TicketEmail": "ticket@example.com",
		"TruststoreUri":  "s3://bucket/ca.pem",
		"AllowedOrigins": "https://ranch.example.com,https://staging.example.com", "HS256Tokens": "accepted", "Doors": "closed",
	})
	return all
}

// TestDeployed compares what template.yaml deploys with the golden files. If a difference is intended, rewrite the
// files with -update, and review their diff: it shows what the next deployment changes.
func TestDeployed(t *testing.T) {
	all := stacks(t)
	prod := deployed(t, all["prod"])
	for name, parameters := range all {
		t.Run(name, func(t *testing.T) {
			want := prod
			if name != "prod" {
				want = mergePatch(prod, deployed(t, parameters)).(object)
			}
			if *update {
				require.NoError(t, os.WriteFile(goldenFile(name), asYAML(t, want), 0o600))
			}
			assert.Empty(t, cmp.Diff(golden(t, name), want), "%s deploys something else (-golden +template.yaml). If you intend "+
				"it, run go test ./localstack/accept/template -update, and review the diff", name)
		})
	}
}

func goldenFile(stack string) string { return filepath.Join("testdata", stack+".yaml") }

// golden returns the content of a stack's golden file.
func golden(t *testing.T, stack string) object {
	t.Helper()
	text, err := os.ReadFile(goldenFile(stack))
	require.NoError(t, err)
	var content object
	require.NoError(t, yaml.Unmarshal(text, &content))
	return content
}

// asYAML returns a golden file. Short lists and objects take one line.
func asYAML(t *testing.T, content object) []byte {
	t.Helper()
	var node yaml.Node
	require.NoError(t, node.Encode(content))
	var length func(*yaml.Node) int
	length = func(n *yaml.Node) int {
		sum := len(n.Value) + 2
		for _, child := range n.Content {
			sum += length(child)
		}
		if n.Kind != yaml.ScalarNode && sum <= 100 {
			n.Style = yaml.FlowStyle
		}
		return sum
	}
	length(&node)
	var text bytes.Buffer
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(1)
	require.NoError(t, errors.Join(encoder.Encode(&node), encoder.Close()))
	return text.Bytes()
}

// versionID matches the end of a version's logical id. SAM hashes the function's properties for it, also those that
// the parameters switch off. TestRanchVersions checks that a new environment makes a new version.
var versionID = regexp.MustCompile(`(Version)[0-9a-f]{10}\b`)

// deployed returns the resources and outputs that CloudFormation makes of template.yaml with the parameters' values. It
// has SAM's own transformation (transform.py), decides every condition, and inserts the parameters' values.
func deployed(t *testing.T, parameters map[string]string) object {
	t.Helper()
	root := ranch(t).Root
	python := filepath.Join(root, ".tools/sam/bin/python")
	if _, err := os.Stat(python); err != nil {
		require.False(t, *update || os.Getenv("CI") == "true", "%v: `make sam` installs it", err)
		t.Skip("NOT TESTED: what template.yaml deploys. `make sam` installs what transforms it: ", err)
	}
	cmd := exec.Command(python, "transform.py", filepath.Join(root, samtemplate.FileName))
	for name, value := range parameters {
		cmd.Args = append(cmd.Args, name+"="+value)
	}
	cmd.Env = append(os.Environ(), "AWS_DEFAULT_REGION=us-east-1", "PYTHONDONTWRITEBYTECODE=1")
	var complaint strings.Builder
	cmd.Stderr = &complaint
	text, err := cmd.Output()
	require.NoError(t, err, complaint.String())

	var template struct {
		Parameters map[string]object `yaml:"Parameters"`
		Conditions object            `yaml:"Conditions"`
		Resources  map[string]object `yaml:"Resources"`
		Outputs    map[string]object `yaml:"Outputs"`
	}
	require.NoError(t, yaml.Unmarshal(versionID.ReplaceAll(text, []byte("$1")), &template))
	s := stack{values: object{"AWS::NoValue": nil}, conditions: template.Conditions}
	for name, parameter := range template.Parameters {
		value, given := parameters[name]
		if !given {
			value = fmt.Sprint(at(parameter, "Default"))
		}
		s.values[name] = value
	}
	return object{"Resources": s.existing(template.Resources), "Outputs": s.existing(template.Outputs)}
}

// stack has the parameters' values and the conditions of a template.
type stack struct {
	values, conditions object
}

// existing returns the resources or outputs whose conditions hold, without metadata.
func (s stack) existing(parts map[string]object) object {
	all := object{}
	for id, part := range parts {
		if condition := part["Condition"]; condition == nil || s.holds(object{"Condition": condition}) {
			delete(part, "Condition")
			delete(part, "Metadata")
			all[id] = s.resolve(part)
		}
	}
	return all
}

// holds evaluates a condition.
func (s stack) holds(condition any) bool {
	for function, argument := range condition.(object) {
		switch function {
		case "Condition":
			return s.holds(s.conditions[argument.(string)])
		case "Fn::Not":
			return !s.holds(argument.([]any)[0])
		case "Fn::And":
			both := argument.([]any)
			return s.holds(both[0]) && s.holds(both[1])
		case "Fn::Equals":
			both := argument.([]any)
			return fmt.Sprint(s.resolve(both[0])) == fmt.Sprint(s.resolve(both[1]))
		}
	}
	panic(fmt.Sprintf("condition %v: not supported, extend stack.holds", condition))
}

// resolve returns a copy of a part of the template with the parameters' values, in which each Fn::If is decided. It
// returns nil for AWS::NoValue, and leaves such members and items out.
func (s stack) resolve(part any) any {
	switch part := part.(type) {
	case []any:
		all := []any{}
		for _, item := range part {
			if item = s.resolve(item); item != nil {
				all = append(all, item)
			}
		}
		return all
	case object:
		if name, ok := part["Ref"].(string); ok {
			if value, ok := s.values[name]; ok {
				return value
			}
		}
		if branches, ok := part["Fn::If"].([]any); ok {
			if s.holds(object{"Condition": branches[0]}) {
				return s.resolve(branches[1])
			}
			return s.resolve(branches[2])
		}
		if text, ok := part["Fn::Sub"]; ok {
			return s.substitute(text)
		}
		all := object{}
		for name, member := range part {
			if member = s.resolve(member); member != nil {
				all[name] = member
			}
		}
		return all
	}
	return part
}

// substitute inserts the parameters' values in the argument of a Fn::Sub, a text or a text with variables of its own.
// It returns a Fn::Sub of what only CloudFormation knows, or the text if nothing is left.
func (s stack) substitute(argument any) any {
	text, ok := argument.(string)
	variables := object{}
	if !ok {
		text, variables = argument.([]any)[0].(string), s.resolve(argument.([]any)[1]).(object)
	}
	own := maps.Clone(variables)
	text = placeholder.ReplaceAllStringFunc(text, func(reference string) string {
		name := reference[len("${") : len(reference)-1]
		value, known := variables[name]
		if !known {
			value, known = s.values[name]
		}
		if value, ok := value.(string); ok && known {
			delete(own, name)
			return value
		}
		return reference
	})
	switch {
	case !strings.Contains(text, "${"):
		return text
	case len(own) == 0:
		return object{"Fn::Sub": text}
	}
	return object{"Fn::Sub": []any{text, own}}
}

// mergePatch returns what turns from into to: a JSON merge patch (RFC 7396), in which null removes a member.
func mergePatch(from, to any) any {
	before, ok1 := from.(object)
	after, ok2 := to.(object)
	if !ok1 || !ok2 {
		return to
	}
	patch := object{}
	for name := range before {
		if _, ok := after[name]; !ok {
			patch[name] = nil
		}
	}
	for name, value := range after {
		if old, ok := before[name]; !ok {
			patch[name] = value
		} else if !reflect.DeepEqual(old, value) {
			patch[name] = mergePatch(old, value)
		}
	}
	return patch
}
