package blackbox

import (
	"slices"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// Every route of template.yaml but those of accounts is behind authentication, and among what the hostile requests wish
// for.
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
	var wished []string
	for _, a := range (hostileWorld{ann: &player{}, bob: &player{}, open: newID(), judged: newID()}).wished() {
		wished = append(wished, request{method: a.method, path: a.target}.route())
	}
	for _, f := range template.Endpoints() {
		route := f.Method + f.Path
		if has, want := slices.Contains(behind, route), !strings.HasPrefix(f.Path, "/auth/"); has != want {
			t.Errorf("%s is in the list protected(): %t, want %t", route, has, want)
		} else if want && !slices.Contains(wished, route) {
			t.Errorf("%s is not among what hostile requests wish for", route)
		}
	}
}
