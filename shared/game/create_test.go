package game

import (
	"strings"
	"testing"
	"time"
)

func TestShowValidate(t *testing.T) {
	closing := InstantOf(time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC))
	for name, test := range map[string]struct {
		change func(*Show)
		want   string // in the error; "" where there is none
	}{
		"unchanged":         {func(s *Show) {}, ""},
		"free":              {func(s *Show) { s.EntryFee = 0 }, ""},
		"highest fee":       {func(s *Show) { s.EntryFee = 1 << 40 }, ""},
		"shortest name":     {func(s *Show) { s.Name = "A" }, ""},
		"longest name":      {func(s *Show) { s.Name = strings.Repeat("🐎", 100) }, ""},
		"tier at its limit": {func(s *Show) { s.Tier = strings.Repeat("t", 64) }, ""},
		"first year":        {func(s *Show) { s.EntryClosesAt = 0 }, ""},
		"last year":         {func(s *Show) { s.EntryClosesAt = InstantOf(time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC)) }, ""},
		"no name":           {func(s *Show) { s.Name = "" }, "the name"},
		"long name":         {func(s *Show) { s.Name = strings.Repeat("a", 101) }, "the name"},
		"line break":        {func(s *Show) { s.Name = "a\nb" }, "the name"},
		"name no UTF-8":     {func(s *Show) { s.Name = "a\xff" }, "the name"},
		"no tier":           {func(s *Show) { s.Tier = "" }, "the tier"},
		"long tier":         {func(s *Show) { s.Tier = strings.Repeat("t", 65) }, "the tier"},
		"long tier, bytes":  {func(s *Show) { s.Tier = strings.Repeat("€", 22) }, "the tier"},
		"NUL in the tier":   {func(s *Show) { s.Tier = "pro\x00" }, "the tier"},
		"negative fee":      {func(s *Show) { s.EntryFee = -1 }, "the entry fee"},
		"fee too high":      {func(s *Show) { s.EntryFee = 1<<40 + 1 }, "the entry fee"},
		"before 1970":       {func(s *Show) { s.EntryClosesAt = -1 }, "the closing time"},
		"after 9999":        {func(s *Show) { s.EntryClosesAt = InstantOf(time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)) }, "the closing time"},
	} {
		show := Show{Name: "Autumn Cup", Tier: "pro", EntryFee: 25, EntryClosesAt: closing}
		test.change(&show)
		checkError(t, name, show.Validate(), test.want)
	}
}

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

func TestSeasonValidate(t *testing.T) {
	for name, test := range map[string]struct {
		season Season
		want   string
	}{
		"good":              {Season{Name: "Autumn", StartDate: 1, EndDate: 2}, ""},
		"no name":           {Season{StartDate: 1, EndDate: 2}, "the name"},
		"ends as it starts": {Season{Name: "Autumn", StartDate: 1, EndDate: 1}, "the end must come after"},
		"ends before":       {Season{Name: "Autumn", StartDate: 2, EndDate: 1}, "the end must come after"},
		"starts before 1970": {Season{Name: "Autumn", StartDate: -1, EndDate: 1},
			"the start must be in the years"},
		"ends after 9999": {Season{Name: "Autumn", StartDate: 1, EndDate: InstantOf(time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC))},
			"the end must be in the years"},
	} {
		checkError(t, name, test.season.Validate(), test.want)
	}
}

func TestCheckExternalAccount(t *testing.T) {
	for _, test := range []struct{ email, username, want string }{
		{"ann@example.com", "Ann", ""},
		{"ann", "Ann", "E-mail"},
		{"ann@example.com", "An", "3 to 24"},
		{"ann@example.com", "A n n", "only letters"},
	} {
		checkError(t, test.email+" "+test.username, CheckExternalAccount(test.email, test.username), test.want)
	}
}

// Whatever is wrong is named, all of it.
func TestValidateNamesAllThatIsWrong(t *testing.T) {
	err := Show{EntryFee: -1, EntryClosesAt: -1}.Validate()
	for _, want := range []string{"the name", "the tier", "the entry fee", "the closing time"} {
		checkError(t, "all wrong", err, want)
	}
}

// checkError reports an error without the text wanted, and any error where none is.
func checkError(t *testing.T, name string, err error, want string) {
	t.Helper()
	if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
		t.Errorf("%s: got %v, want %q", name, err, want)
	}
}
