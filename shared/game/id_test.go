package game

import "testing"

func TestNewID(t *testing.T) {
	a, b := NewID(), NewID()
	if parsed, ok := ParseID(string(a)); !ok || parsed != a || a == b {
		t.Errorf("%q and %q", a, b)
	}
}
