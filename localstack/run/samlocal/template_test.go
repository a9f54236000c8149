package samlocal

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

var ids = map[string]string{"Table": "table-1", "SigningKeys": "secret-1", "AWS::Region": "us-east-1", "AWS::StackName": "stack-1"}

// written copies the service's template in a folder of its own, with programs that say whose they are.
func written(t *testing.T, a Architecture) (original, copied *samtemplate.Template) {
	t.Helper()
	real, err := samtemplate.LoadRoot()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(real.Root, samtemplate.FileName))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), samtemplate.FileName)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if original, err = samtemplate.Load(file); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(Programs(original), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, f := range original.Functions {
		if err := os.WriteFile(filepath.Join(Programs(original), path.Base(f.Folder)), []byte(f.LogicalID), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, time := range []string{"first", "second"} { // as the second `make sam-local` does it
		if file, err = WriteTemplate(original, ids, a); err != nil {
			t.Fatalf("the %s time: %v", time, err)
		}
	}
	if copied, err = samtemplate.Load(file); err != nil {
		t.Fatal(err)
	}
	return original, copied
}

func TestWriteTemplate(t *testing.T) {
	for _, a := range []Architecture{{"amd64", "x86_64"}, {"arm64", "arm64"}} {
		original, copied := written(t, a)
		if len(copied.Functions) != len(original.Functions) || len(copied.Functions) == 0 {
			t.Fatalf("%d functions, not %d", len(copied.Functions), len(original.Functions))
		}
		text, err := os.ReadFile(filepath.Join(copied.Root, samtemplate.FileName))
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range copied.Functions {
			if code := "\n            CodeUri: " + f.LogicalID + "\n"; strings.Count(string(text), code) != 1 {
				t.Errorf("the code of %s is elsewhere", f.LogicalID)
			}
			of := original.Functions[i]
			want, err := original.Resolve(of.Environment, ids)
			if err != nil {
				t.Fatal(err)
			}
			want["AWS_ENDPOINT_URL"] = "http://localstack:4566"
			got, err := copied.Resolve(f.Environment, nil) // which only plain values stand
			if err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(want, got); diff != "" || want["TABLE_NAME"] != "table-1" {
				t.Errorf("the environment of %s (-want +got):\n%s", f.LogicalID, diff)
			}
			if !slices.Equal(f.Architectures, []string{a.Lambda}) {
				t.Errorf("%s is for %v, not for %s", f.LogicalID, f.Architectures, a.Lambda)
			}
			program, err := os.ReadFile(filepath.Join(copied.Root, f.LogicalID, "bootstrap"))
			if err != nil || string(program) != f.LogicalID {
				t.Errorf("the program of %s is that of %q, %v", f.LogicalID, program, err)
			}
			f.Environment, f.Architectures = of.Environment, of.Architectures
			if diff := cmp.Diff(of, f); diff != "" {
				t.Errorf("the rest of %s (-original +copy):\n%s", f.LogicalID, diff)
			}
		}
	}
}

func TestWriteTemplate_needsThePrograms(t *testing.T) {
	original, _ := written(t, Architecture{"amd64", "x86_64"})
	if err := os.Remove(filepath.Join(Programs(original), "login")); err != nil {
		t.Fatal(err)
	}
	if _, err := WriteTemplate(original, ids, Architecture{"amd64", "x86_64"}); err == nil || !strings.Contains(err.Error(), "Login: ") {
		t.Errorf("the error is %v", err)
	}
}

// TestWriteTemplate_isATemplateToSAM asks SAM itself.
func TestWriteTemplate_isATemplateToSAM(t *testing.T) {
	real, err := samtemplate.LoadRoot()
	if err != nil {
		t.Fatal(err)
	}
	program := sam(t, real.Root)
	_, copied := written(t, Architecture{"amd64", "x86_64"})
	validate := exec.CommandContext(t.Context(), program, "validate", "--template-file", filepath.Join(copied.Root, samtemplate.FileName))
	validate.Dir, validate.Env = copied.Root, append(Environ(os.Environ()), "SAM_CLI_TELEMETRY=0")
	if out, err := validate.CombinedOutput(); err != nil || !strings.Contains(string(out), "is a valid SAM Template") {
		t.Errorf("%v: %s", err, out)
	}
}
