package game

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestNewID(t *testing.T) { checkIDs(t, NewID(), NewID()) }

// checkIDs checks that the ids are UUIDs in their canonical form, and that none comes twice.
func checkIDs(t *testing.T, ids ...ID) {
	t.Helper()
	for i, id := range ids {
		canonical, ok := ParseID(string(id))
		assert.True(t, ok && canonical == id && !slices.Contains(ids[:i], id), "%q of %q", id, ids)
	}
}

// An entry's id is the same in every process, and the animal's id can be computed from it.
func TestEntryID(t *testing.T) {
	const show, animal = ID("33333333-3333-4333-8333-333333333333"), ID("22222222-2222-4222-8222-222222222222")
	got := EntryID(show, animal)
	assert.True(t, got == "a21449a9-c87d-4f7d-975b-aa496ea246da", "got %s", got)
	rapid.Check(t, func(t *rapid.T) {
		show, animal := NewID(), NewID()
		entry := EntryID(show, animal)
		parsed, ok := ParseID(string(entry))
		assert.True(t, ok && parsed == entry && entry != animal && entry != EntryID(NewID(), animal) && EntryID(show, entry) == animal,
			"the entry of %s in %s is %s", animal, show, entry)
		if entry[14] != '4' || !strings.ContainsRune("89ab", rune(entry[19])) { // as NewID has them
			t.Errorf("%s is of another version or variant", entry)
		}
	})
	got = EntryID(show, "no id")
	assert.True(t, got == "", "got %s", got)
}

func TestInstantUnmarshalRefuses(t *testing.T) {
	for _, s := range []string{`"yesterday"`, `""`, `5`, `{}`, `null`} {
		i := Instant(7)
		err := json.Unmarshal([]byte(s), &i)
		assert.True(t, err != nil && i == 7, "%s became %v, %v", s, i, err)
	}
}

func TestInstantAdd(t *testing.T) {
	got, want := Instant(1_000).Add(2*time.Second+999*time.Microsecond), Instant(3_000)
	assert.Equal(t, want, got)
}

func TestFixedString(t *testing.T) {
	for f, want := range map[Fixed]string{0: "0.00", 5: "0.05", 87_50: "87.50", 100_00: "100.00", -1: "-0.01", -3: "-0.03", -2_50: "-2.50"} {
		assert.Equal(t, want, f.String(), "%d", f)
		encoded, err := json.Marshal(f)
		assert.True(t, err == nil && string(encoded) == want, "%d: encoded %s, %v", f, encoded, err)
	}
}
