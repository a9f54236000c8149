package blackbox

import (
	"strings"
	"testing"
)

// All operations but those of accounts are behind authentication, and hostile requests send those, too.
func TestRoutes(t *testing.T) {
	t.Parallel()
	wished := map[string]bool{}
	for _, a := range (hostileWorld{ann: &player{}, bob: &player{}, open: newID(), judged: newID()}).wished() {
		wished[request{method: a.method, path: a.target}.operation().ID] = true
	}
	for _, r := range endpoints() {
		o := r.operation()
		if o.Protected != !strings.HasPrefix(o.Path, "/auth/") {
			t.Errorf("%s is behind authentication: %t", o.Route(), o.Protected)
		}
		if o.Protected && !wished[o.ID] {
			t.Errorf("%s is not among what hostile requests wish for", o.Route())
		}
	}
}
