package game

import (
	"cmp"
	"encoding/json"
	"errors"
	"math/big"
	"net/mail"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// FuzzID compares ParseID with the form of RFC 9562, 4: 8-4-4-4-12 hex digits of any case. The id has them in lower
// case, so that texts of the same id differ only in case.
func FuzzID(f *testing.F) {
	for _, s := range []string{
		"", "6f9d1c2e-8a4b-4c3d-9e5f-0a1b2c3d4e5f", "6F9D1C2E-8A4B-4C3D-9E5F-0A1B2C3D4E5F", "{6f9d1c2e-8a4b-4c3d-9e5f-0a1b2c3d4e5f}", "urn:uuid:6f9d1c2e-8a4b-4c3d-9e5f-0a1b2c3d4e5f",
		"6f9d1c2e8a4b4c3d9e5f0a1b2c3d4e5f", "{6f9d1c2e8a4b4c3d9e5f0a1b2c3d4e5f}xx", "6f9d1c2e-8a4b-4c3d-9e5f-0a1b2c3d4e5\n", "00000000-0000-0000-0000-000000000000",
		"６f9d1c2e-8a4b-4c3d-9e5f-0a1b2c3d4e", "6f9d1c2e\x008a4b-4c3d-9e5f-0a1b2c3d4e5f", "6f9d1c2e-8a4b-4c3d-9e5f-0a1b2c3d4e5f#x",
		"ffffffff-ffff-ffff-ffff-ffffffffffff", "fedcbafe-dcba-7dcb-0edc-fedcbafedcba", "6f9d1c2e-8a4b-4c3d-9e5f-0a1b2c3d4e5f0", "f9d1c2e-8a4b-4c3d-9e5f-0a1b2c3d4e5f",
		" f9d1c2e-8a4b-4c3d-9e5f-0a1b2c3d4e5f", "6f9d1c2e-8a4b-4c3d-9e5f-0a1b2c3d4e5g", "6f9d1c2e8-a4b-4c3d-9e5f-0a1b2c3d4e5f", "6f9d1c2e_8a4b_4c3d_9e5f_0a1b2c3d4e5f",
	} {
		f.Add(s)
	}
	form := regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)
	f.Fuzz(func(t *testing.T, s string) {
		id, ok := ParseID(s)
		assert.True(t, ok == form.MatchString(s) && (!ok || string(id) == strings.ToLower(s)) && (ok || id == ""), "%q: %q, %t", s, id, ok)
		again, ok := ParseID(string(id))
		assert.True(t, id == "" || ok && again == id, "%q is %q the second time", id, again)
	})
}

// FuzzInstant checks that an instant that is read, written and read again stays the same, also in JSON. The instant is
// the time that package time reads, cut to the millisecond. Texts sort as instants do.
func FuzzInstant(f *testing.F) {
	for _, s := range []string{
		"2026-11-20T09:30:00.000Z", "2026-11-20T09:30:00Z", "2026-11-20T10:30:00.9999+01:00", "1969-12-31T23:59:59.9999Z", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z",
		"2026-02-30T00:00:00Z", "2026-11-20t09:30:00z", "2026-11-20T09:30:00,5Z", "2026-11-20T24:00:00Z", "2016-12-31T23:59:60Z", "2026-11-20 09:30:00Z", "", "0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01",
		"2026-11-20T04:00:00.005-05:30", "2026-11-20", "2026-11-20T09:30:00", "1763631000", "yesterday",
	} {
		f.Add(s, int64(0))
		f.Add(s, int64(1_795_167_000_005))
	}
	f.Add("1970-01-01T00:00:00Z", int64(-1))
	form := regexp.MustCompile(`^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$`)
	f.Fuzz(func(t *testing.T, s string, other int64) {
		i, err := ParseInstant(s)
		want, wantErr := time.Parse(time.RFC3339Nano, s)
		require.Equal(t, (wantErr == nil && writable(InstantOf(want))), (err == nil), "%q: %v, want %v", s, err, wantErr)
		var read Instant
		text, jsonErr := json.Marshal(s)
		require.NoError(t, jsonErr)
		jsonErr = json.Unmarshal(text, &read)
		assert.True(t, !utf8.ValidString(s) || (jsonErr == nil) == (err == nil) && read == i,
			"%q in JSON: %v, %v, want %v, %v", s, read, jsonErr, i, err)
		if err != nil {
			return
		}
		below := want.Sub(i.Time())
		assert.True(t, below >= 0 && below < time.Millisecond && i.Time().Location() == time.UTC, "%q is %v, %v away", s, i, below)
		again, err := ParseInstant(i.String())
		assert.True(t, err == nil && again == i && form.MatchString(i.String()),
			"%q is %v, and %v when it is read again: %v", s, i, again, err)
		j := Instant(other)
		assert.True(t, !writable(j) || cmp.Compare(i, j) == strings.Compare(i.String(), j.String()),
			"%v and %v sort otherwise than %d and %d", i, j, i, j)
	})
}

// writable reports whether RFC 3339 has a text for the instant.
func writable(i Instant) bool { return 0 <= i.Time().Year() && i.Time().Year() <= 9999 }

// FuzzFixed compares ParseFixed with exact fractions. ParseFixed reads each decimal with up to two places exactly, and
// reads the text that String writes as the same number.
func FuzzFixed(f *testing.F) {
	for _, s := range []string{"0", "100", "100.00", "87.5", "0.29", "00.10", "100.01", "-0", "+5", "1e1", "0x1p3", "NaN", "Inf", "1.005", "", ".5", "5.", "1_0", "99.994", "0.10000000000000000001", "99.99999999999999999", "184467440737095517",
		" 1", "-1", "-0.01", "1.234", "0.001", "99.999", "1,5", "one", "7.5", "007", "101"} {
		f.Add(s)
	}
	decimal := regexp.MustCompile(`^\d+(\.\d{1,2})?$`)
	f.Fuzz(func(t *testing.T, s string) {
		v, err := ParseFixed(s)
		exact, isNumber := new(big.Rat), false
		if len(s) < 40 { // so that no exponent takes all memory
			exact, isNumber = exact.SetString(s)
		}
		if err == nil {
			require.True(t, v >= FixedMin && v <= FixedMax && v.Clamp() == v, "%q is %v", s, v)
			again, err := ParseFixed(v.String())
			assert.True(t, err == nil && again == v, "%q is %v, and %v when it is read again: %v", s, v, again, err)
			text, err := json.Marshal(v)
			assert.True(t, err == nil && string(text) == v.String() && json.Valid(text), "%v in JSON: %s, %v", v, text, err)
			assert.True(t, !isNumber || exact.Cmp(big.NewRat(int64(v), 100)) == 0, "%q is %v", s, v)
		}
		assert.True(t, len(s) >= 40 || (err == nil) == (decimal.MatchString(s) && exact.Cmp(big.NewRat(100, 1)) <= 0), "%q: %v", s, err)
	})
}

// FuzzEmail checks that package net/mail reads each accepted address as the same address. An accepted address is ASCII
// of at most 254 bytes with one @. In upper and in lower case it has the same stored form.
func FuzzEmail(f *testing.F) {
	for _, s := range []string{
		"ann@example.com", "Ann.Lee+tag@Example.CO.UK", "a@b", "a@b.c1", "a@1.2.3.4", "a@[1.2.3.4]", `"a b"@example.com`, "a..b@example.com", ".a@example.com", "a.@example.com", "a@-b.com",
		"a@b-.com", "a@b..com", "a@example.com.", " a@example.com", "a@example.com\n", "a@xn--p1ai.xn--p1ai", "é@example.com", "a@exämple.com", "a#b@example.com", "a@b@example.com", "a\x00@example.com",
		"Ann <a@example.com>", "a@example.com, b@example.com", strings.Repeat("a", 242) + "@example.com", strings.Repeat("a", 243) + "@example.com", "K@example.com",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !ValidEmail(s) {
			return
		}
		require.True(t, len(s) <= 254 && strings.Count(s, "@") == 1 && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }),
			"%q is taken for an address", s)
		parsed, err := mail.ParseAddress(s)
		assert.True(t, err == nil && parsed.Address == s && parsed.Name == "", "%q: net/mail says %v, %v", s, parsed, err)
		stored := NormalizeEmail(s)
		assert.True(t, ValidEmail(stored) && NormalizeEmail(stored) == stored && NormalizeEmail(strings.ToUpper(s)) == stored && strings.EqualFold(stored, s),
			"%q is stored as %q", s, stored)
	})
}

// FuzzRegistration compares the limits of each field with counts of code points, for any values of the other fields. A
// valid form makes an account with these names.
func FuzzRegistration(f *testing.F) {
	good := Registration{"ann@example.com", "Ann_1-b", "a long password", "Sunny Acres"}
	for _, email := range []string{"A@EXAMPLE.COM", "", "a@b", " a@b.co"} {
		f.Add(email, good.Username, good.Password, good.RanchName)
	}
	for _, name := range []string{"", "ab", "abc", strings.Repeat("a", 24), strings.Repeat("a", 25), "a.b.c", " abc", "äöü", "é!", "Ann#1", "ａｂｃ"} {
		f.Add(good.Email, name, good.Password, good.RanchName)
	}
	for _, character := range []string{" ", "r", "é", "🐎", "\x00", "\xff"} { // lengths count code points
		for _, n := range []int{0, 2, 3, 7, 8, 100, 101, 128, 129} {
			f.Add(good.Email, good.Username, strings.Repeat(character, n), strings.Repeat(character, n))
		}
	}
	username := regexp.MustCompile(`^[A-Za-z0-9_-]{3,24}$`)
	f.Fuzz(func(t *testing.T, email, name, password, ranch string) {
		r := Registration{email, name, password, ranch}
		problems := r.Problems()
		within := func(s string, least, most int) bool { n := len([]rune(s)); return least <= n && n <= most }
		good := map[string]bool{
			FieldEmail: ValidEmail(email), FieldUsername: username.MatchString(name), FieldPassword: within(password, 8, 128), FieldRanchName: within(ranch, 3, 100),
		}
		for field, good := range good {
			sentences, bad := problems[field]
			assert.True(t, bad != good && (!bad || len(sentences) != 0 && sentences[0] != ""),
				"%+v: %s has the problems %q", r, field, sentences)
			delete(problems, field)
		}
		assert.Empty(t, problems, "%+v has problems besides: %v", r, problems)
		wrong := CheckExternalAccount(email, name)
		assert.True(t, (wrong == nil) == (good[FieldEmail] && good[FieldUsername]) && ValidUsername(name) == good[FieldUsername],
			"%+v: %v", r, wrong)
		a := NewAccount(r, 0)
		assert.True(t, a.Username == name && a.Email == NormalizeEmail(email) && a.Ranch.Name == ranch, "%+v makes %+v", r, a)
	})
}

// FuzzOperatorsTexts checks what operators may write into the table: printable texts of limited length, and amounts
// that lead to balances from 0 to MaxBalance.
func FuzzOperatorsTexts(f *testing.F) {
	for _, name := range []string{
		"A", "", "a\nb", "a\xff", "\u202ename", "\x1b[2J", strings.Repeat("🐎", 100), strings.Repeat("é", 101), strings.Repeat("ü", 200), strings.Repeat("ü", 201),
	} {
		f.Add(name, "pro", int64(25), int64(1), int64(1))
	}
	for _, tier := range []string{"", "a\nb", "pro\x00", "#", strings.Repeat("t", 64), strings.Repeat("t", 65), strings.Repeat("€", 22)} {
		f.Add("Cup", tier, int64(25), int64(1), int64(1))
	}
	for _, fee := range []int64{-1, 0, 1 << 40, 1<<40 + 1} {
		f.Add("Cup", "pro", fee, int64(1), int64(1))
	}
	for _, closes := range []int64{-1, 0, 253_402_300_799_999, 253_402_300_800_000} {
		f.Add("Cup", "pro", int64(25), closes, int64(1))
	}
	for _, amount := range []int64{0, -1, 1 << 53, 1<<53 + 1, -1 << 53, -1<<53 - 1, -1 << 63, 1<<63 - 1} {
		f.Add("Cup", "pro", int64(25), int64(1), amount)
	}
	for _, c := range [][2]int64{{500, -500}, {500, -501}, {0, -1}, {0, 1 << 53}, {1, 1 << 53}, {1<<53 - 1, 1}, {1<<53 - 1, 2}, {1 << 53, 1}, {1 << 53, -1 << 53}} {
		f.Add("Cup", "pro", c[0], int64(1), c[1]) // a balance and an amount at the limits
	}
	f.Fuzz(func(t *testing.T, name, tier string, fee, closes, amount int64) {
		prints := func(s string) bool {
			return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
		}
		runes := len([]rune(name))
		goodName := prints(name) && 1 <= runes && runes <= 100
		goodInstant := closes >= 0 && closes < 253_402_300_800_000
		goodShow := goodName && prints(tier) && 1 <= len(tier) && len(tier) <= 64 && 0 <= fee && fee <= 1<<40 && goodInstant
		if err := (Show{Name: name, Tier: tier, EntryFee: fee, EntryClosesAt: Instant(closes)}).Validate(); (err == nil) != goodShow {
			t.Errorf("the show %q of %q, for %d, until %d: %v", name, tier, fee, closes, err)
		}
		if err := (Season{Name: name, StartDate: Instant(closes), EndDate: Instant(closes) + 1}).Validate(); (err == nil) != (goodName && goodInstant && Instant(closes)+1 < 253_402_300_800_000) {
			t.Errorf("the season %q from %d: %v", name, closes, err)
		}
		err := CheckAdjustment(amount, name)
		assert.Equal(t, amount != 0 && -1<<53 <= amount && amount <= 1<<53 && prints(name) && 1 <= runes && runes <= 200, (err == nil),
			"%d for %q: %v", amount, name, err)
		if err != nil {
			return
		}
		before := Account{User: User{ID: NewID(), GoldBalance: int64(uint64(fee) % (MaxBalance + 1))}, LedgerSeq: 1}
		row, err := AdjustmentEntry(before, amount, name, 0)
		after := new(big.Int).Add(big.NewInt(before.GoldBalance), big.NewInt(amount))
		assert.True(t, (err == nil) == (after.Sign() >= 0 && after.Cmp(big.NewInt(1<<53)) <= 0) && (err != nil || after.Cmp(big.NewInt(row.BalanceAfter)) == 0) && (err == nil || errors.Is(err, ErrBalance)),
			"%d and %d are %v, or %+v, %v", before.GoldBalance, amount, after, row, err)
	})
}
