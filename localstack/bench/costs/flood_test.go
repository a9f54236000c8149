package costs

import (
	"os"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// docs/security.md says what a flood costs by the limits of template.yaml and the costs of docs/costs.md.
func TestFlood(t *testing.T) {
	template, err := samtemplate.LoadRoot()
	if err != nil {
		t.Fatal(err)
	}
	measured, err := os.ReadFile("../../../docs/costs.md")
	if err != nil {
		t.Fatal(err)
	}
	operations, err := Read(string(measured))
	if err != nil {
		t.Fatal(err)
	}
	want, err := Flood(operations, template)
	if err != nil {
		t.Fatal(err)
	}
	if rows := strings.Count(want, "\n"); rows != len(template.Endpoints())+3 {
		t.Errorf("%d rows for %d functions", rows, len(template.Endpoints()))
	}
	page, err := os.ReadFile("../../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "\n\n"+want+"\n") {
		t.Errorf("docs/security.md does not have the table\n%s", want)
	}
}

func TestFlood_namesWhatIsMissing(t *testing.T) {
	if _, err := Flood(map[string]Operation{}, &samtemplate.Template{}); err == nil || !strings.Contains(err.Error(), "Register") {
		t.Error(err)
	}
}
