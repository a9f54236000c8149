package docs_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// TestStages checks that the workflow has a job for each stage of .ci/run, in the same order.
func TestStages(t *testing.T) {
	t.Parallel()
	listed, err := exec.Command("../.ci/run", "--list").Output()
	require.NoError(t, err)
	text, err := os.ReadFile("../.github/workflows/ci.yaml")
	require.NoError(t, err)
	var workflow struct {
		Jobs map[string]struct {
			Strategy struct {
				Matrix struct{ Stage []string }
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &workflow))
	got, want := workflow.Jobs["stage"].Strategy.Matrix.Stage, strings.Fields(string(listed))
	assert.True(t, slices.Equal(got, want), "ci.yaml has jobs for %v, .ci/run has the stages %v", got, want)
}
