package main

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/infra/spreadsheet"
	"github.com/ranch-game/ranch/infra/terminal"
	"github.com/ranch-game/ranch/shared/game"
)

// FuzzShowsFile checks that parseShows reads a file whole or not at all. Each line is one valid show, and writing the
// shows and reading them again gives the same.
func FuzzShowsFile(f *testing.F) {
	for _, s := range []string{
		"name,tier,fee,closes-at\nSpring Cup,rookie,10,2026-11-20T09:30:00Z\n", "\ufeffclosesat\n", "", "name,tier,fee,closes-at\n", "name,tier,fee,closes-at,id,season,gates\n\"a,\"\"b\",\" pro\",0,2026-11-20T09:30:00.5+01:00,11111111-1111-4111-8111-111111111111,,40\n",
		"name,name,tier,fee,closes-at\n", "tier,name,closes-at,fee,gates\nx,y,2026-11-20T09:30:00Z,1099511627777,0\n", "name,tier,fee,closes-at\na,b,-1,2026-11-20T09:30:00Z\n", "name,tier,fee,closes-at\na,b,1,+2h\n",
		"name,tier,fee,closes-at\r\na,b,0x10,2026-11-20T09:30:00Z\r\n", "name,tier,fee,closes-at\n\"a\nb\",c,1,2026-11-20T09:30:00Z\n", "name,tier,fee,closes-at,id\na,b,1,2026-11-20T09:30:00Z,11111111-1111-4111-8111-111111111111\na,b,1,2026-11-20T09:30:00Z,11111111-1111-4111-8111-111111111111\n",
		"name,tier,fee,closes-at\n\xff,b,1,2026-11-20T09:30:00Z\n", "name,tier,fee,closes-at\na,b,1,9999-12-31T23:59:59-01:00\n", "name,tier,fee,closes-at,gates\na,b,1,2026-11-20T09:30:00Z,4294967297\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		shows, err := parseShows(strings.NewReader(text))
		if err != nil {
			assert.True(t, len(shows) == 0 && err.Error() != "", "%q is refused, and %d shows: %v", text, len(shows), err)
			return
		}
		records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
		require.True(t, (err != nil || len(shows) == len(records)-1) && len(shows) <= spreadsheet.MostLines,
			"%q has %d shows in %d records", text, len(shows), len(records))
		var again bytes.Buffer
		w := csv.NewWriter(&again)
		_ = w.Write([]string{"season", "id", "gates", "closes-at", "fee", "tier", "name"}) // into memory
		ids := map[game.ID]bool{}
		for _, s := range shows {
			err := s.Validate()
			require.True(t, err == nil && s.gates >= 1 && s.gates <= 40 && s.EntryFee >= 0 && s.Status == game.ShowOpen && s.Number >= 2 && !ids[s.ID],
				"%q has %+v: %v", text, s, err)
			id, ok := game.ParseID(string(s.ID))
			require.True(t, s.ID == "" || ok && id == s.ID, "%q has the id %q", text, s.ID)
			ids[s.ID] = s.ID != ""
			if strings.TrimLeftFunc(s.Name, unicode.IsSpace) != s.Name || strings.TrimLeftFunc(s.Tier, unicode.IsSpace) != s.Tier {
				return // spaces before a cell are not read
			}
			_ = w.Write([]string{string(s.SeasonID), string(s.ID), strconv.Itoa(s.gates), s.EntryClosesAt.String(), strconv.FormatInt(s.EntryFee, 10), s.Tier, s.Name})
		}
		w.Flush()
		reread, err := parseShows(&again)
		require.True(t, err == nil && len(reread) == len(shows), "%q is read again as %d shows: %v", text, len(reread), err)
		for i, s := range reread {
			assert.True(t, s.newShowDraft == shows[i].newShowDraft, "%q: %+v is read again as %+v", text, shows[i], s)
		}
	})
}

// FuzzCSV checks that a CSV reader finds the same rows and cells. Each text is as a terminal shows it, with an
// apostrophe if a spreadsheet would compute it. No cell begins a formula.
func FuzzCSV(f *testing.F) {
	for _, s := range []string{"", "Sunny Acres", "=1+1", "+1", "-1", "@SUM(A1)", "a;=b", "\t=1", `"`, `",=1`, "\r\n", "＝1", "x\x00", "\xff", "-", ";;=", "'=1", " =1", "a;\u202e=b", "é\u0301;@"} {
		f.Add(s, "other", int64(-5))
	}
	f.Fuzz(func(t *testing.T, text, other string, n int64) {
		var out strings.Builder
		a := &app{format: "csv", out: &out}
		rows := [][]any{{text, n, absent}, {other, game.ID(text), text + other}}
		require.NoError(t, (listing[[]any]{"A B C", func(r []any) []any { return r }}).list(a)(rows, nil))
		checkPrintable(t, out.String(), 1+len(rows))
		read, err := csv.NewReader(strings.NewReader(out.String())).ReadAll()
		require.True(t, err == nil && len(read) == 1+len(rows) && read[1][1] == strconv.FormatInt(n, 10) && read[1][2] == "",
			"%q: %q, %v", out.String(), read, err)
		for cell, want := range map[string]string{read[1][0]: text, read[2][0]: other, read[2][1]: text, read[2][2]: text + other} {
			for part := range strings.SplitSeq(cell, ";") {
				assert.True(t, part == "" || !strings.ContainsRune("=+-@＝＋－＠\t\r", []rune(part)[0]), "%q begins a formula", cell)
			}
			plain := terminal.Visible(want)
			assert.True(t, cell == plain || strings.ReplaceAll(cell, "'", "") == strings.ReplaceAll(plain, "'", ""),
				"%q is exported as %q", want, cell)
			if plain := terminal.Visible(want); !strings.Contains(plain, "'") && spreadsheet.Original(cell) != plain {
				t.Errorf("%q is imported as %q", cell, spreadsheet.Original(cell))
			}
		}
	})
}

// FuzzTime checks that a duration is one of package time, or whole days. A time with a sign is a duration from now, and
// any other is RFC 3339.
func FuzzTime(f *testing.F) {
	for _, s := range []string{"+2h", "-1h30m", "30d", "-30d", "+100000d", "1.5d", "d", "", "+", "-0d", "500ms", "2026-11-20T09:30:00Z", "+1h500ms", "0x10d", "99999d", "9223372036854775807ns", "+-1d", "1h1d"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		a := &app{clock: game.Instant(1_795_167_000_000).Time}
		d, err := duration("in", s)
		want, wantErr := time.ParseDuration(s)
		if days, ok := strings.CutSuffix(s, "d"); ok && wantErr != nil {
			n, err := strconv.ParseInt(days, 10, 64)
			want, wantErr = time.Duration(n)*24*time.Hour, err
			if n <= -100_000 || n >= 100_000 {
				wantErr = strconv.ErrRange
			}
		}
		assert.True(t, (err == nil) == (wantErr == nil) && (err != nil || d == want),
			"%q lasts %v, %v, want %v, %v", s, d, err, want, wantErr)
		at, err := a.instant("at", s)
		absolute, absoluteErr := game.ParseInstant(s)
		switch relative := strings.HasPrefix(s, "+") || strings.HasPrefix(s, "-"); {
		case relative && ((err == nil) != (wantErr == nil) || err == nil && at != a.now().Add(want)):
			t.Errorf("%q is %v, %v", s, at, err)
		case !relative && ((err == nil) != (absoluteErr == nil) || at != absolute):
			t.Errorf("%q is %v, %v, want %v, %v", s, at, err, absolute, absoluteErr)
		}
	})
}
