package main

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ranch-game/ranch/localstack/build"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/gateway"
	"github.com/ranch-game/ranch/localstack/samtemplate"
)

// buildNothing is a Makefile whose functions are there and do nothing.
const buildNothing = `functions:
	mkdir -p .build/functions
	for f in functions/*; do touch .build/functions/$${f##*/}; done
`

// tree makes a working tree of the real template, functions and engine and the given Makefile, and moves into it.
func tree(t *testing.T, makefile string) *samtemplate.Template {
	t.Helper()
	real, err := samtemplate.LoadRoot()
	if err != nil {
		t.Fatal(err)
	}
	template, err := os.ReadFile(filepath.Join(real.Root, samtemplate.FileName))
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	for name, content := range map[string]string{samtemplate.FileName: string(template), "Makefile": ".PHONY: functions\n" + makefile} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, folder := range []string{"functions", "localstack"} {
		if err := os.Symlink(filepath.Join(real.Root, folder), filepath.Join(root, folder)); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(root)
	here, err := samtemplate.LoadRoot()
	if err != nil {
		t.Fatal(err)
	}
	return here
}

func TestGatewayConfig(t *testing.T) {
	template := tree(t, buildNothing)
	if err := build.Make(t.Context(), template.Root, t.Output(), os.Environ(), "functions"); err != nil {
		t.Fatal(err)
	}
	for kind, secret := range map[engine.Kind]string{
		engine.Embedded: "local:development", engine.DynamoDBLocal: "local:development", engine.LocalStack: "ranch-signing-keys",
	} {
		cfg, err := gatewayConfig(template, kind, "http://127.0.0.1:1")
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]gateway.FunctionConfig{}
		for _, f := range cfg.Functions {
			all[f.LogicalID] = f
			if _, err := os.Stat(f.Binary); err != nil {
				t.Error(err)
			}
			if f.Environment["TABLE_NAME"] != "ranch" || f.Environment["AWS_ENDPOINT_URL"] != "http://127.0.0.1:1/"+f.LogicalID {
				t.Errorf("%s on %s has the environment %v", f.LogicalID, kind, f.Environment)
			}
		}
		enter := all["EnterShow"]
		if enter.Method != "POST" || enter.Path != "/events/shows/{id}/enter" || enter.Timeout == 0 || filepath.Base(enter.Binary) != "entershow" {
			t.Errorf("EnterShow is %+v", enter)
		}
		want := maps.Clone(enter.Environment)
		want["SIGNING_KEYS_SECRET"] = secret
		if diff := cmp.Diff(want, enter.Environment); diff != "" {
			t.Errorf("EnterShow's environment on %s (-want +got):\n%s", kind, diff)
		}
		if cfg.CORS == nil || len(cfg.CORS.AllowMethods) == 0 {
			t.Errorf("CORS is %+v", cfg.CORS)
		}
	}
}

func TestGatewayConfig_namesFunctionsWithoutAProgram(t *testing.T) {
	_, err := gatewayConfig(tree(t, buildNothing), engine.Embedded, "http://127.0.0.1:1")
	if err == nil || !strings.Contains(err.Error(), "EnterShow has no program") || !strings.Contains(err.Error(), "functions/login") {
		t.Errorf("the error is %v", err)
	}
}
