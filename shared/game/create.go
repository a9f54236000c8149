package game

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// These limits apply to shows and seasons that operators create. The limits keep a show's records small, so that one
// cheap read returns a list of 50 shows.
const (
	maxNameLength = 100     // code points
	MaxTierBytes  = 64      // of a tier
	maxEntryFee   = 1 << 40 // gold
)

// Validate returns an error that lists every problem of a new show, or nil if the show is valid.
func (s Show) Validate() error {
	return errors.Join(
		checkName(s.Name),
		when(s.Tier == "" || len(s.Tier) > MaxTierBytes || !printable(s.Tier), "the tier must have 1 to %d bytes of printable text", MaxTierBytes),
		when(s.EntryFee < 0 || s.EntryFee > maxEntryFee, "the entry fee must be from 0 to %d", maxEntryFee),
		checkInstant("the closing time", s.EntryClosesAt),
	)
}

// Validate returns an error that lists every problem of a new season, or nil if the season is valid.
func (s Season) Validate() error {
	return errors.Join(
		checkName(s.Name),
		checkInstant("the start", s.StartDate),
		checkInstant("the end", s.EndDate),
		when(s.EndDate <= s.StartDate, "the end must come after the start"),
	)
}

// CheckExternalAccount checks the e-mail address and the username of an account with an external sign-in. It applies
// the rules of a registration. It returns an error that lists every problem, or nil.
func CheckExternalAccount(email, username string) error {
	var errs []error
	for _, problem := range append(checkEmail(email), checkUsername(username)...) {
		errs = append(errs, errors.New(problem))
	}
	return errors.Join(errs...)
}

func checkName(name string) error {
	n := utf8.RuneCountInString(name)
	return when(n < 1 || n > maxNameLength || !printable(name), "the name must have 1 to %d printable characters", maxNameLength)
}

// checkInstant returns an error unless the year of i is from 1970 to 9999. The table's lists sort instants as texts of
// a fixed width, and begin at 1970. The parameter what names the instant in the error.
func checkInstant(what string, i Instant) error {
	year := i.Time().Year()
	return when(year < 1970 || year > 9999, "%s must be in the years 1970 to 9999", what)
}

func printable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

func when(wrong bool, format string, args ...any) error {
	if !wrong {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// Doubts returns a sentence for each property of an open show that is allowed but unlikely: a tier without prizes, a
// closing time that has passed, or a fee above the first prize.
func (s Show) Doubts(now Instant) []string {
	var doubts []string
	doubt := func(unlikely bool, format string, args ...any) {
		if unlikely {
			doubts = append(doubts, fmt.Sprintf(format, args...))
		}
	}
	doubt(!HasPrizes(s.Tier), "the tier %q has no prizes", s.Tier)
	doubt(s.EntryClosesAt <= now, "the closing time %v has passed", s.EntryClosesAt)
	doubt(s.EntryFee > Prize(s.Tier, 1), "the fee of %d is more than the first prize, %d", s.EntryFee, Prize(s.Tier, 1))
	return doubts
}
