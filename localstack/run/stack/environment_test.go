package stack

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/sam/gateway"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// TestGatewayConfig checks that every function has its program, its limits, and its environment on each engine.
func TestGatewayConfig(t *testing.T) {
	template, err := samtemplate.LoadRoot()
	if err != nil {
		t.Fatal(err)
	}
	template.Root = t.TempDir() // no function is built there
	if _, err := gatewayConfig(Config{Template: template}, "", ""); err == nil || !strings.Contains(err.Error(), "EnterShow has no compiled program") || !strings.Contains(err.Error(), "functions/login") {
		t.Errorf("without programs the error is %v", err)
	}
	for _, f := range template.Functions {
		program := filepath.Join(template.Root, ".build", "functions", path.Base(f.Folder))
		if err := os.MkdirAll(program, 0o755); err != nil { // a folder in place of the program
			t.Fatal(err)
		}
	}
	for kind, secret := range map[engine.Kind]string{
		engine.Embedded: "local:development", engine.DynamoDBLocal: "local:development", engine.LocalStack: "ranch-signing-keys",
	} {
		throttled := kind == engine.LocalStack
		cfg, err := gatewayConfig(Config{Template: template, Kind: kind, Processes: 7, Emulator: "qemu", Throttle: throttled}, "http://127.0.0.1:1", "http://api")
		if err != nil || len(cfg.Functions) != len(template.Functions) || cfg.CORS == nil || cfg.MaxProcesses != 7 || cfg.Emulator != "qemu" {
			t.Fatalf("%v: %+v", err, cfg)
		}
		for i, f := range cfg.Functions {
			of, e, want := template.Functions[i], f.Environment, gateway.Throttle{}
			if f.LogicalID != of.LogicalID || f.Method != of.Method || f.Path != of.Path || f.Timeout != of.Timeout || filepath.Base(f.Binary) != path.Base(of.Folder) {
				t.Errorf("%s is %+v", of.LogicalID, f)
			}
			if key, signs := e["SIGNING_KEYS_SECRET"]; e["TABLE_NAME"] != "ranch" || e["METRICS_NAMESPACE"] != "ranch-local" ||
				e["AWS_ENDPOINT_URL"] != "http://127.0.0.1:1/"+f.LogicalID || signs && key != secret || f.LogicalID == "Refresh" && !signs ||
				f.LogicalID == "PlaySynthetic" && e["API_URL"] != "http://api" {
				t.Errorf("%s on %s has the environment %v", f.LogicalID, kind, e)
			}
			if throttled && of.Schedule == nil {
				want = template.Throttle(of.Route())
			}
			if f.Throttle != want || throttled && of.Schedule == nil && want == (gateway.Throttle{}) {
				t.Errorf("%s is throttled to %+v, want %+v", f.LogicalID, f.Throttle, want)
			}
		}
	}
}
