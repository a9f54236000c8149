package template

import (
	"bytes"
	"errors"
	"flag"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

var update = flag.Bool("update", false, "rewrite the golden file with what template.yaml deploys")

type object = map[string]any

// at returns the value at a path of names in nested objects, or nil if a name is missing.
func at(v any, names ...string) any {
	for _, name := range names {
		members, _ := v.(object)
		v = members[name]
	}
	return v
}

const goldenFile = "testdata/deployed.yaml"

// TestDeployed compares what AWS makes of template.yaml with the golden file. If a difference is intended, rewrite the
// file with -update, and review the diff: it shows what the next deployment changes. Of the parameters, only Rollout
// and AllowedOrigins take part in AWS's transformation. CloudFormation decides the conditions, and inserts the others.
func TestDeployed(t *testing.T) {
	got := deployed(t, "Rollout=Canary10Percent5Minutes")
	if *update {
		require.NoError(t, os.WriteFile(goldenFile, asYAML(t, got), 0o600))
	}
	assert.Empty(t, cmp.Diff(golden(t), got), "template.yaml deploys something else (-golden +template.yaml). If you "+
		"intend it, run go test ./localstack/accept/template -update, and review the diff")
	gradual := regexp.MustCompile("DeploymentGroup$|^CodeDeployServiceRole$|^ServerlessDeploymentApplication$")
	resources := at(got, "Resources").(object)
	maps.DeleteFunc(resources, func(id string, _ any) bool { return gradual.MatchString(id) })
	for _, resource := range resources {
		delete(resource.(object), "UpdatePolicy")
	}
	atOnce := deployed(t, "Rollout=AllAtOnce", "AllowedOrigins=https://a.example,https://b.example")
	assert.Equal(t, []any{"https://a.example", "https://b.example"}, at(atOnce, origins...))
	at(atOnce, origins[:len(origins)-1]...).(object)["allowOrigins"] = []any{"*"}
	assert.Empty(t, cmp.Diff(resources, at(atOnce, "Resources")), "a rollout at once also lacks other resources")
}

var origins = []string{"Resources", "Api", "Properties", "Body", "x-amazon-apigateway-cors", "allowOrigins"}

// golden returns the content of the golden file.
func golden(t *testing.T) object {
	t.Helper()
	text, err := os.ReadFile(goldenFile)
	require.NoError(t, err)
	var content object
	require.NoError(t, yaml.Unmarshal(text, &content))
	return content
}

// asYAML returns the text of the golden file. Short lists and objects take one line.
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

// versionID matches the end of a version's logical id. SAM hashes the function's properties for it.
// TestRanchVersions checks that a new environment makes a new version.
var versionID = regexp.MustCompile(`(Version)[0-9a-f]{10}\b`)

// deployed returns the template that AWS makes of template.yaml with the parameters (transform.py).
func deployed(t *testing.T, parameters ...string) (template object) {
	t.Helper()
	root := ranch(t).Root
	python := filepath.Join(root, ".tools/sam/bin/python")
	if _, err := os.Stat(python); err != nil {
		require.False(t, *update || os.Getenv("CI") == "true", "%v: `make sam` installs it", err)
		t.Skip("NOT TESTED: what template.yaml deploys. `make sam` installs what transforms it: ", err)
	}
	cmd := exec.Command(python, "transform.py", filepath.Join(root, samtemplate.FileName))
	cmd.Args = append(cmd.Args, parameters...)
	cmd.Env = append(os.Environ(), "AWS_DEFAULT_REGION=us-east-1", "PYTHONDONTWRITEBYTECODE=1")
	var complaint strings.Builder
	cmd.Stderr = &complaint
	text, err := cmd.Output()
	require.NoError(t, err, complaint.String())
	require.NoError(t, yaml.Unmarshal(versionID.ReplaceAll(text, []byte("$1")), &template))
	for _, resource := range template["Resources"].(object) {
		delete(resource.(object), "Metadata")
	}
	return template
}
