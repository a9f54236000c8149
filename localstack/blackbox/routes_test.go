package blackbox

import (
	"slices"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/localstack/samtemplate"
)

// Every route of template.yaml is in the tables that the tests of hostile input and of authentication go through. All
// but those of accounts are behind authentication.
func TestRoutes(t *testing.T) {
	t.Parallel()
	template, err := samtemplate.LoadRoot()
	if err != nil {
		t.Fatal(err)
	}
	var behind []string
	for _, r := range protected() {
		behind = append(behind, r.route())
	}
	for _, f := range template.Endpoints() {
		route := f.Method + f.Path
		if answers[route] == nil {
			t.Errorf("%s is not in the table answers", route)
		}
		if has, want := slices.Contains(behind, route), !strings.HasPrefix(f.Path, "/auth/"); has != want {
			t.Errorf("%s is in the list protected(): %t, want %t", route, has, want)
		}
	}
}
