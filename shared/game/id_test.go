package game

import (
	"strings"
	"testing"
)

func TestParseID(t *testing.T) {
	const canonical = ID("6f9d1c2e-8a4b-4c3d-9e5f-0a1b2c3d4e5f")
	for _, s := range []string{string(canonical), strings.ToUpper(string(canonical)), "6F9d1c2E-8a4b-4C3d-9e5f-0a1b2c3d4e5f"} {
		if got, ok := ParseID(s); !ok || got != canonical {
			t.Errorf("%s: got %q, %t", s, got, ok)
		}
	}
	// Of any version and variant.
	for _, s := range []string{"00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff", "fedcbafe-dcba-7dcb-0edc-fedcbafedcba"} {
		if got, ok := ParseID(s); !ok || string(got) != s {
			t.Errorf("%s: got %q, %t", s, got, ok)
		}
	}
	for _, s := range []string{
		"",
		"{" + string(canonical) + "}",
		"urn:uuid:" + string(canonical),
		strings.ReplaceAll(string(canonical), "-", ""),
		string(canonical) + "0",
		string(canonical)[1:],
		" " + string(canonical)[1:],
		"6f9d1c2e-8a4b-4c3d-9e5f-0a1b2c3d4e5g",
		"6f9d1c2e8-a4b-4c3d-9e5f-0a1b2c3d4e5f",
		"6f9d1c2e_8a4b_4c3d_9e5f_0a1b2c3d4e5f",
		"{6f9d1c2e8a4b4c3d9e5f0a1b2c3d4e5f}xx",
	} {
		if got, ok := ParseID(s); ok {
			t.Errorf("%q is %s", s, got)
		}
	}
}

func TestNewID(t *testing.T) {
	a, b := NewID(), NewID()
	if parsed, ok := ParseID(string(a)); !ok || parsed != a || a == b {
		t.Errorf("%q and %q", a, b)
	}
}
