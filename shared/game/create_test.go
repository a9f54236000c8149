package game

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDoubts(t *testing.T) {
	for name, test := range map[string]struct {
		show Show
		want string // in the one doubt; "" where there is none
	}{
		"none":                {Show{Tier: TierRookie, EntryFee: 100, EntryClosesAt: 11}, ""},
		"no prizes":           {Show{Tier: "amateur", EntryClosesAt: 11}, "has no prizes"},
		"closes now":          {Show{Tier: TierRookie, EntryClosesAt: 10}, "has passed"},
		"fee above the prize": {Show{Tier: TierRookie, EntryFee: 101, EntryClosesAt: 11}, "the fee of 101 is more than the first prize, 100"},
	} {
		doubts := test.show.Doubts(10)
		if (len(doubts) == 0) != (test.want == "") || len(doubts) > 1 || len(doubts) == 1 && !strings.Contains(doubts[0], test.want) {
			t.Errorf("%s: got %q, want %q", name, doubts, test.want)
		}
	}
}

// All that is wrong is named. FuzzOperatorsTexts holds the bounds.
func TestValidateNamesAllThatIsWrong(t *testing.T) {
	err := errors.Join(Show{EntryFee: -1, EntryClosesAt: -1}.Validate(), Season{StartDate: 5, EndDate: 5}.Validate(),
		Season{Name: "Autumn", StartDate: -1, EndDate: 253_402_300_800_000}.Validate())
	want := strings.Split(`the name must have 1 to 100 printable characters
the tier must have 1 to 64 bytes of printable text
the entry fee must be from 0 to 1099511627776
the closing time must be in the years 1970 to 9999
the name must have 1 to 100 printable characters
the end must come after the start
the start must be in the years 1970 to 9999
the end must be in the years 1970 to 9999`, "\n")
	if diff := cmp.Diff(want, strings.Split(err.Error(), "\n")); diff != "" {
		t.Error(diff)
	}
}
