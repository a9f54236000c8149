package game

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
)

// TestRegistrationBounds checks the sentences. FuzzRegistration checks the limits.
func TestRegistrationBounds(t *testing.T) {
	const (
		emailShape     = "E-mail must be an address such as name@example.com of at most 254 characters."
		usernameLength = "Username must have 3 to 24 characters."
		usernameShape  = "Username may have only letters, digits, underscores and hyphens."
		passwordLength = "Password must have 8 to 128 characters."
		ranchLength    = "Ranch name must have 3 to 100 characters."
	)
	spaces, long := strings.Repeat(" ", 8), strings.Repeat("r", 101)
	for registration, want := range map[Registration]map[string][]string{
		{"a@b.co", strings.Repeat("a", 24), spaces, spaces}: {},
		{"nobody", "ab", spaces[1:], long}: {
			"email": {emailShape}, "username": {usernameLength}, "password": {passwordLength}, "ranchName": {ranchLength},
		},
		{"Ann@Example.com", "äöü", spaces, spaces}: {"username": {usernameShape}},
		{"Ann@Example.com", "é!", spaces, spaces}:  {"username": {usernameLength, usernameShape}},
	} {
		assert.Empty(t, cmp.Diff(want, registration.Problems()), "%+v", registration)
	}
}

func TestValidEmail(t *testing.T) {
	longest := strings.Repeat("a", 254-len("@example.com")) + "@example.com"
	longLabel := "a@" + strings.Repeat("b", 254-len("a@.com")) + ".com"
	for valid, addresses := range map[bool][]string{
		true: {
			"a@b.co", "Ann.Lee+ranch@Mail.Example.COM", "!#$%&'*+-/=?^_`{|}~@example.com", "1@2.3.org", "a@b-c.example",
			"09azAZ@09azAZ.az", "a@example.xn--a", "a@xn--bcher-kva.example", "a@example.xn--p1ai", "a@example.XN--P1AI", longest, longLabel,
			"a.b.c.d@e.f.g.h." + strings.Repeat("z", 64),
		},
		false: {
			"", "example.com", "a@b@example.com", "@example.com", "a@", "a@localhost",
			".a@example.com", "a.@example.com", "a..b@example.com", "a@.example.com", "a@example.com.", "a@example..com", "a@-b.com", "a@b-.com",
			"a@b_c.com", "a@example.c", "a@example.c0m", "a@example.c0mmm", "a@127.0.0.1", "a@[127.0.0.1]", "a@example.xn--", "a@example.xn--a-",
			" a@example.com", "a@example.com ", "a@example.com\n", "a b@example.com", "Ann <a@example.com>", "<a@example.com>", `"a"@example.com`,
			"a(x)@example.com", "a@example.com,b@example.com", "ä@example.com", "a@bücher.example", "a@example.рф",
			"a@example.\u212Ao", // the Kelvin sign, whose lower case is k
			"a\x00@example.com", "\xff@example.com", "a" + longest, "a" + longLabel,
		},
	} {
		for _, s := range addresses {
			assert.Equal(t, valid, ValidEmail(s), "%q: %t", s, !valid)
		}
	}
}

func TestDoubts(t *testing.T) {
	for name, test := range map[string]struct {
		show Show
		want string // the one doubt, or ""
	}{
		"none":                {Show{Tier: TierRookie, EntryFee: 100, EntryClosesAt: 11}, ""},
		"no prizes":           {Show{Tier: "amateur", EntryClosesAt: 11}, "has no prizes"},
		"closes now":          {Show{Tier: TierRookie, EntryClosesAt: 10}, "has passed"},
		"fee above the prize": {Show{Tier: TierRookie, EntryFee: 101, EntryClosesAt: 11}, "the fee of 101 is more than the first prize, 100"},
	} {
		doubts := test.show.Doubts(10)
		assert.True(t, (len(doubts) == 0) == (test.want == "") && len(doubts) <= 1 && (len(doubts) != 1 || strings.Contains(doubts[0], test.want)),
			"%s: got %q, want %q", name, doubts, test.want)
	}
}

// The error names every problem. FuzzOperatorsTexts checks the limits.
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
	assert.Empty(t, cmp.Diff(want, strings.Split(err.Error(), "\n")))
}
