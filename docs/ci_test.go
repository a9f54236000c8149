package docs_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestStages compares the stages of .ci/run with the jobs of the workflow: each stage has one.
func TestStages(t *testing.T) {
	t.Parallel()
	listed, err := exec.Command("../.ci/run", "--list").Output()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../.github/workflows/ci.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var workflow struct {
		Jobs map[string]struct {
			Strategy struct {
				Matrix struct{ Stage []string }
			}
		}
	}
	if err := yaml.Unmarshal(text, &workflow); err != nil {
		t.Fatal(err)
	}
	got, want := workflow.Jobs["stage"].Strategy.Matrix.Stage, strings.Fields(string(listed))
	if !slices.Equal(got, want) {
		t.Errorf("ci.yaml has jobs for %v, .ci/run has the stages %v", got, want)
	}
}
