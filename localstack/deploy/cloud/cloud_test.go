package cloud

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestEnviron checks that tools for LocalStack get no AWS settings of the developer's shell.
func TestEnviron(t *testing.T) {
	t.Setenv("AWS_PROFILE", "production")
	t.Setenv("AWS_ENDPOINT_URL_S3", "https://s3.example.com")
	t.Setenv("AWS_REGION", "eu-west-1")
	var aws []string
	for _, v := range (&Cloud{endpoint: "http://127.0.0.1:4566"}).Environ() {
		if strings.HasPrefix(v, "AWS_") {
			aws = append(aws, v)
		}
	}
	slices.Sort(aws)
	want := []string{
		"AWS_ACCESS_KEY_ID=test", "AWS_CONFIG_FILE=/dev/null", "AWS_DEFAULT_REGION=us-east-1", "AWS_EC2_METADATA_DISABLED=true",
		"AWS_ENDPOINT_URL=http://127.0.0.1:4566", "AWS_REGION=us-east-1", "AWS_SECRET_ACCESS_KEY=test", "AWS_SHARED_CREDENTIALS_FILE=/dev/null",
	}
	assert.True(t, slices.Equal(aws, want), "got %q, not %q", aws, want)
}

// TestRuntimeAPI runs the Python tests of the executor, which need no LocalStack.
func TestRuntimeAPI(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		require.True(t, os.Getenv("CI") != "true", err)
		t.Skip("NOT TESTED: ", err)
	}
	cmd := exec.CommandContext(t.Context(), python, "runtimeapi_test.py")
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	out, err := cmd.CombinedOutput()
	assert.NoError(t, err, "%v\n%s", err, out)
}
