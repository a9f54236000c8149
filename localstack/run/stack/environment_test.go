package stack

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/sam/gateway"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// loadTemplate returns the real template with another root, in which no function is built.
func loadTemplate(t *testing.T) *samtemplate.Template {
	t.Helper()
	template, err := samtemplate.LoadRoot()
	if err != nil {
		t.Fatal(err)
	}
	template.Root = t.TempDir()
	return template
}

func TestGatewayConfig(t *testing.T) {
	template := loadTemplate(t)
	programs := filepath.Join(template.Root, ".build", "functions")
	if err := os.MkdirAll(programs, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, f := range template.Functions {
		if err := os.WriteFile(filepath.Join(programs, path.Base(f.Folder)), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for kind, secret := range map[engine.Kind]string{
		engine.Embedded: "local:development", engine.DynamoDBLocal: "local:development", engine.LocalStack: "ranch-signing-keys",
	} {
		cfg, err := gatewayConfig(Config{Template: template, Kind: kind, Processes: 7}, "http://127.0.0.1:1")
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]gateway.FunctionConfig{}
		for _, f := range cfg.Functions {
			all[f.LogicalID] = f
			if _, err := os.Stat(f.Binary); err != nil {
				t.Error(err)
			}
			if f.Environment["TABLE_NAME"] != "ranch" || f.Environment["METRICS_NAMESPACE"] != "ranch-local" || f.Environment["AWS_ENDPOINT_URL"] != "http://127.0.0.1:1/"+f.LogicalID {
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
		if cfg.MaxProcesses != 7 || enter.Throttle != (gateway.Throttle{}) {
			t.Errorf("%d processes, throttled to %+v without having been asked to", cfg.MaxProcesses, enter.Throttle)
		}
	}
	throttled, err := gatewayConfig(Config{Template: template, Kind: engine.Embedded, Throttle: true}, "http://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range throttled.Functions {
		want := gateway.Throttle(template.Throttle(f.Method + " " + f.Path))
		if f.Path == "" { // it is scheduled
			want = gateway.Throttle{}
		}
		if f.Throttle != want || f.Path != "" && want == (gateway.Throttle{}) {
			t.Errorf("%s is throttled to %+v, want %+v", f.LogicalID, f.Throttle, want)
		}
	}
}

func TestGatewayConfig_namesFunctionsWithoutAProgram(t *testing.T) {
	_, err := gatewayConfig(Config{Template: loadTemplate(t), Kind: engine.Embedded}, "http://127.0.0.1:1")
	if err == nil || !strings.Contains(err.Error(), "EnterShow has no program") || !strings.Contains(err.Error(), "functions/login") {
		t.Errorf("the error is %v", err)
	}
}
