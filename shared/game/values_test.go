package game

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestNewID(t *testing.T) {
	a, b := NewID(), NewID()
	if parsed, ok := ParseID(string(a)); !ok || parsed != a || a == b {
		t.Errorf("%q and %q", a, b)
	}
}

// An entry's id is the same in all programs, and leads back to the animal.
func TestEntryID(t *testing.T) {
	const show, animal = ID("33333333-3333-4333-8333-333333333333"), ID("22222222-2222-4222-8222-222222222222")
	if got := EntryID(show, animal); got != "a21449a9-c87d-4f7d-975b-aa496ea246da" {
		t.Errorf("got %s", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		show, animal := NewID(), NewID()
		entry := EntryID(show, animal)
		if parsed, ok := ParseID(string(entry)); !ok || parsed != entry || entry == animal || entry == EntryID(NewID(), animal) || EntryID(show, entry) != animal {
			t.Errorf("the entry of %s in %s is %s", animal, show, entry)
		}
		if entry[14] != '4' || !strings.ContainsRune("89ab", rune(entry[19])) { // as NewID has them
			t.Errorf("%s is of another version or variant", entry)
		}
	})
	if got := EntryID(show, "no id"); got != "" {
		t.Errorf("got %s", got)
	}
}

func TestInstantUnmarshalRefuses(t *testing.T) {
	for _, s := range []string{`"yesterday"`, `5`, `{}`} {
		i := Instant(7)
		if err := json.Unmarshal([]byte(s), &i); err == nil || i != 7 {
			t.Errorf("%s became %v, %v", s, i, err)
		}
	}
}

func TestInstantAdd(t *testing.T) {
	if got, want := Instant(1_000).Add(2*time.Second+999*time.Microsecond), Instant(3_000); got != want {
		t.Errorf("got %d, want %d", got, want)
	}
}

func TestFixedString(t *testing.T) {
	for f, want := range map[Fixed]string{0: "0.00", 5: "0.05", 87_50: "87.50", 100_00: "100.00", -1: "-0.01", -3: "-0.03", -2_50: "-2.50"} {
		if got := f.String(); got != want {
			t.Errorf("%d: got %s, want %s", f, got, want)
		}
		encoded, err := json.Marshal(f)
		if err != nil || string(encoded) != want {
			t.Errorf("%d: encoded %s, %v", f, encoded, err)
		}
	}
}
