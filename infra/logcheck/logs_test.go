package logcheck_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/infra/logcheck"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/httpapi"
	"github.com/ranch-game/ranch/shared/schedule"
)

// check checks the log, with the table or without it. All clocks agree, and no line is late.
func (s *service) check(withTable bool) logcheck.Report {
	s.t.Helper()
	c := logcheck.NewChecker(logcheck.Options{})
	require.NoError(s.t, c.Read(strings.NewReader(s.text())))
	if withTable {
		require.NoError(s.t, c.CheckTable(s.t.Context(), s.Rival, logcheck.Progress{}))
	}
	return c.Check()
}

func TestWhatTheServiceDidIsRight(t *testing.T) {
	t.Parallel()
	s := played(t)
	r := s.check(true)
	assert.True(t, r.Found == 0 && r.Records == 9 && r.Paid == 1100 && r.Charged == 100 && *r.Table == (logcheck.TableReport{Accounts: 2, Shows: 1, Paid: 1100, Charged: 100}),
		"%+v, of the table %+v", r, r.Table)
	want := map[logcheck.Kind]logcheck.Count{
		logcheck.Register: {Done: 2}, logcheck.Enter: {Done: 2, Refused: 1}, logcheck.Judge: {Done: 1, Refused: 1}, logcheck.Claim: {Done: 1, Refused: 1},
	}
	storetest.Equal(t, "calls", r.Calls, want)
}

// violation is the expected finding in a changed log.
type violation struct {
	want   string
	doctor func(s *service)
}

// The log alone shows these violations. TestAnswers has those that callers' records also show.
func TestWhatTheLogAloneShows(t *testing.T) {
	t.Parallel()
	findAll(t, false, []violation{
		{"had 2 entries before, and the judging counted 1", func(s *service) {
			s.move("bob judges", time.Minute)
			s.edit("bob judges", map[string]any{"JudgedEntries": 1})
		}},
		{"was judged with an entry of the player", nothingToClaim},
		{"had not claimed the prize", func(s *service) { s.without("ann claims") }},
		{"yet it paid 0 and charged 50 gold", func(s *service) { s.edit("ann enters again", map[string]any{"GoldCharged": 50}) }},
		{"and counts 1 entries", func(s *service) { s.edit("ann enters again", map[string]any{"Entries": 1}) }},
		{"and counts 0 entries", func(s *service) { s.edit("ann enters", map[string]any{"Entries": nil}) }},
		{"began with 400 gold", func(s *service) { s.edit("ann registers", map[string]any{"GoldPaid": 400}) }},
		{"has registered twice", func(s *service) { s.again("ann registers", "ann registers twice", 0) }},
		{"did something before registering", func(s *service) { s.move("ann registers", time.Minute) }},
		{"was ended twice: judge-show", func(s *service) { s.add("due", dueLine(t, s)) }},
	})
}

// nothingToClaim changes the claim to a refused one, some time after the judging.
func nothingToClaim(s *service) {
	s.edit("ann claims", map[string]any{"status": 404, "code": "NOT_FOUND", "error": "NOT_FOUND", "GoldPaid": nil})
	s.without("ann claims again")
	s.move("ann enters", -time.Minute)
	s.move("ann registers", -time.Minute)
	s.move("ann claims", time.Minute)
}

// findAll applies each change to a new log, and checks that the checker finds the violation.
func findAll(t *testing.T, withTable bool, violations []violation) {
	for _, v := range violations {
		t.Run(v.want, func(t *testing.T) {
			t.Parallel()
			s := played(t)
			v.doctor(s)
			s.wantFound(s.check(withTable), v.want)
		})
	}
}

// dueLine returns the line of judge-due for its judging of the show.
func dueLine(t *testing.T, s *service) string {
	return edited(t, s.lines["bob judges"], map[string]any{"msg": "run", "function": "judge-due", "user": nil, "judged": []game.ID{s.show.ID}})
}

// Only the table shows these violations: each of the logs agrees with itself.
func TestWhatTheTableShows(t *testing.T) {
	t.Parallel()
	findAll(t, true, []violation{
		{"has no row in the ledger", func(s *service) { s.edit("ann enters", map[string]any{"GoldCharged": 40}) }},
		{"row 2 (fee of -50", func(s *service) { s.without("ann enters") }},
		{"row 1 (starter of 500", func(s *service) {
			ownerless(s)
			s.edit("ann registers", map[string]any{"_aws": map[string]any{"Timestamp": 1}}) // not the time of the row
		}},
		{"which has no such entry", func(s *service) { s.again("bob enters", "bob enters twice", -time.Second) }},
		{"had ended before that of an earlier row began", func(s *service) {
			s.move("ann registers", time.Minute)
			s.move("bob registers", time.Minute)
			s.edit("ann registers", map[string]any{"status": 500, "code": nil, "error": "gone", "GoldPaid": nil})
		}},
		{"has an entry of player", func(s *service) { s.without("bob enters") }},
		{"was judged by ", func(s *service) { s.without("bob judges") }},
		{"but it is completed by", func(s *service) { s.edit("bob judges", map[string]any{"user": s.ann.ID}) }},
		{"was judged with 3 entries, and has 2", func(s *service) { s.edit("bob judges", map[string]any{"JudgedEntries": 3}) }},
		{"which does not say so", func(s *service) {
			s.again("ann claims", "bob claims", 0)
			s.edit("bob claims", map[string]any{"user": s.bob.ID, "GoldPaid": nil})
		}},
		{"which gives 100", func(s *service) { s.edit("ann claims", map[string]any{"GoldPaid": 60}) }},
		{"which costs 50", func(s *service) { s.edit("ann enters", map[string]any{"GoldCharged": 40}) }},
		{"which it was not before", func(s *service) {
			s.edit("ann enters again", map[string]any{"status": 404, "code": "NOT_FOUND", "error": game.ErrShowClosed.Error()})
			s.move("ann enters", -time.Minute)
		}},
		{"and closed at", func(s *service) {
			s.At("SHOW#"+string(s.show.ID), "SHOW").Edit(s.t, "SET cl = :cl", map[string]any{":cl": int64(s.Now)})
		}},
		{"there is no such account", func(s *service) { s.edit("bob registers", map[string]any{"user": game.NewID()}) }},
		{"there is no such show", func(s *service) {
			s.again("bob judges", "elsewhere", 0)
			s.edit("elsewhere", map[string]any{"show": game.NewID()})
		}},
		{"the amounts add up to", func(s *service) {
			s.At("USER#"+string(s.ann.ID), "PROFILE").Edit(s.t, "SET g = :g", map[string]any{":g": 7})
		}},
	})
}

// Two entries are made in one millisecond, and a third one between them. The rows of the two do not name their calls.
// If one of the two assignments is right, the checker must find no violation.
func TestEntriesOfOneMillisecond(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ann := s.register("ann registers", 90_00, 50_00, 10_00)
	enter := func(what string, animal int, now game.Instant) {
		s.call(what, logcheck.Enter, ann, func(ctx context.Context, r *httpapi.Request) error {
			if now != 0 {
				r.Now = now
			}
			_, _, err := s.Store.Enter(ctx, ann.ID, s.show.ID, ann.Animals[animal].ID, r.Now)
			return err
		})
	}
	both := s.now()
	enter("quick", 0, both)
	enter("in between", 1, 0)
	enter("slow", 2, both)
	s.edit("slow", map[string]any{"duration_ms": int64(s.now()-both) + time.Second.Milliseconds() + 1})
	s.move("in between", time.Second)
	s.move("slow", time.Second)
	for range 2 {
		r := s.check(true)
		assert.True(t, r.Found == 0 && r.Charged == 150, "%v: %v", s.order, r.Violations)
		slices.Reverse(s.order)
	}
	s.move("slow", -time.Minute) // as if it had ended before the one in between began
	s.wantFound(s.check(true), "had ended before that of an earlier row began")
	s.edit("slow", map[string]any{"status": 500, "error": "gone", "GoldCharged": nil, "Entries": nil})
	r := s.check(true)
	assert.True(t, r.Found == 0, "a late attempt: %v", r.Violations)
}

// fault changes a line to that of a failed call, whose effect is unknown.
var fault = map[string]any{"status": 500, "code": nil, "error": "gone", "GoldPaid": nil, "GoldCharged": nil, "Entries": nil, "JudgedEntries": nil}

// ownerless changes Ann's registration to a failed one, whose line does not name her.
func ownerless(s *service) {
	s.edit("ann registers", fault)
	s.edit("ann registers", map[string]any{"user": nil, "duration_ms": 1000}) // so that the log begins before it
}

// Logs that do not show every outcome agree with the table.
func TestUnknownOutcomes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		doctor        func(s *service)
		lost, untimed int
	}{
		"a failed entry":        {func(s *service) { s.edit("ann enters", fault) }, 0, 0},
		"a failed repetition":   {func(s *service) { s.edit("ann enters again", fault) }, 0, 0},
		"a failed judging":      {func(s *service) { s.edit("bob judges", fault) }, 0, 0},
		"a failed claim":        {func(s *service) { s.edit("ann claims", fault) }, 0, 0},
		"a failed registration": {ownerless, 0, 0},
		"a process that ended": {func(s *service) {
			at := s.now()
			s.without("ann enters")
			s.add("timed out", fmt.Sprintf("%v 1234 Task timed out after 8.00 seconds\n", at))
		}, 1, 0},
		"a process that ended at an unknown time": {func(s *service) {
			s.without("ann enters")
			s.add("ended", "RequestId: 1234 Error: Runtime exited\n")
		}, 1, 1},
		"a call before the log": {func(s *service) { s.without("ann registers") }, 0, 0},
		// A new show may be on the board before calls find it: they get the answer that it is not open.
		"a show that is becoming visible": {func(s *service) {
			s.move("ann judges", -time.Minute)
			s.edit("ann enters again", map[string]any{"status": 404, "code": "NOT_FOUND", "error": game.ErrShowClosed.Error()})
			s.move("ann enters again", -time.Minute)
		}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := played(t)
			c.doctor(s)
			r := s.check(true)
			assert.True(t, r.Found == 0 && r.Violations != nil && r.Lost == c.lost && r.Untimed == c.untimed,
				"%v, %v, %v", r.Lost, r.Untimed, r.Violations)
		})
	}
}

// If every call has a record by its caller, a lost process excuses only calls without a line. Every stored record must
// still belong to a call.
func TestRecordsOfCallers(t *testing.T) {
	t.Parallel()
	s := played(t)
	began, ended := s.Now, s.now()
	record := func(kind logcheck.Kind, outcome logcheck.Outcome, player storetest.Player) logcheck.Record {
		return logcheck.Record{
			Kind: kind, Outcome: outcome, User: player.ID, Began: began, Ended: ended, Judged: -1, Answer: &logcheck.Answer{Status: 500},
		}
	}
	welcomed := func(player storetest.Player) logcheck.Record {
		r := record(logcheck.Register, logcheck.Done, player)
		r.Paid, r.Answer = game.StartingGold, nil
		return r
	}
	inShow := func(kind logcheck.Kind, player storetest.Player, animal game.ID) logcheck.Record {
		r := record(kind, logcheck.Unknown, player)
		r.Show, r.Animal = s.show.ID, animal
		return r
	}
	all := []logcheck.Record{
		welcomed(s.ann), welcomed(s.bob), inShow(logcheck.Enter, s.ann, s.ann.Animals[0].ID), inShow(logcheck.Enter, s.bob, s.bob.Animals[0].ID),
		inShow(logcheck.Judge, s.bob, ""), inShow(logcheck.Claim, s.ann, ""),
	}
	check := func(records []logcheck.Record) logcheck.Report {
		c := logcheck.NewChecker(logcheck.Options{Skew: time.Second, Complete: true})
		c.Lost(ended)
		for _, r := range records {
			c.Add(r)
		}
		require.NoError(t, c.CheckTable(t.Context(), s.Rival, logcheck.Progress{}))
		return c.Check()
	}
	r := check(all)
	assert.True(t, r.Found == 0, r.Violations)
	for i, want := range []string{"starter of 500", "starter of 500", "has an entry of player", "has an entry of player", "was judged by", "reward of 100"} {
		s.wantFound(check(slices.Delete(slices.Clone(all), i, i+1)), want)
	}
	other := inShow(logcheck.Enter, s.ann, s.bob.Animals[0].ID)
	other.Outcome = logcheck.Done
	s.wantFound(check(append(slices.Clone(all), other)), "which has no such entry")
}

// A log has the same calls in each form that CloudWatch gives it, also if it is read in two forms.
func TestForms(t *testing.T) {
	t.Parallel()
	s := played(t)
	all := forms(t, strings.Split(strings.TrimSpace(s.text()), "\n"))
	all["as written"] = s.text()
	all["among Lambda's own"] = "START RequestId: 1234 Version: 7\n" + s.text() + `{"time":"2026-11-20T09:30:00Z","type":"platform.report","record":{"status":"success"}}`
	for name, text := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := logcheck.NewChecker(logcheck.Options{})
			for _, text := range []string{text, text, s.text()} {
				require.NoError(t, c.Read(strings.NewReader(text)))
			}
			r := c.Check()
			assert.True(t, r.Records == 9 && r.Duplicates == 18 && r.Found == 0 && r.Lost <= 0, "%+v", r)
		})
	}
}

// The end of a process is found in each form, with its time. Lambda's own text has a time only after a time-out.
func TestFormsOfALostProcess(t *testing.T) {
	t.Parallel()
	for _, end := range []string{
		"RequestId: ID Error: Runtime exited with error: signal: killed", "2026-11-20T09:30:08.000Z ID Task timed out after 8.00 seconds",
		"gateway: the process ended: signal: killed ID", "REPORT RequestId: ID\tDuration: 8000.00 ms\tStatus: timeout",
		`{"time":"2026-11-20T09:30:00Z","type":"platform.report","record":{"requestId":"ID","status":"failure"}}`,
	} {
		end = strings.ReplaceAll(end, "ID", "79104ec5-5c0c-4d3c-9a2f-0b9f3c5f1f6b")
		for name, text := range forms(t, []string{"START RequestId: 1234", end, end}) {
			c := logcheck.NewChecker(logcheck.Options{})
			require.NoError(t, c.Read(strings.NewReader(text)))
			r := c.Check()
			assert.True(t, r.Lost == 1 && r.Untimed == 0,
				"%s: %d processes ended by %q, %d at an unknown time: %s", name, r.Lost, end, r.Untimed, text)
		}
	}
}

// A run of a scheduled function has no status. It has failed if its line has an error.
func TestRuns(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	for _, err := range []error{nil, nil, errors.New("gone")} {
		job := schedule.New("audit-ledgers", func(context.Context, game.Instant) (schedule.Report, error) { return schedule.Report{}, err })
		job.Logger = slog.New(slog.NewJSONHandler(&log, nil))
		assert.True(t, job.Run(t.Context()) == err, "the run did not fail as its work did")
	}
	c := logcheck.NewChecker(logcheck.Options{})
	require.NoError(t, c.Read(&log))
	storetest.Equal(t, "runs", c.Check().Calls, map[logcheck.Kind]logcheck.Count{"audit-ledgers": {Done: 2, Unknown: 1}})
}

// forms returns the lines in each form that CloudWatch gives a log. They are exports to S3, and the output of the
// command line and of queries: JSON on one line or on several, and CSV.
func forms(t testing.TB, lines []string) map[string]string {
	t.Helper()
	type (
		event struct {
			Timestamp int64  `json:"timestamp"`
			Message   string `json:"message"`
		}
		field struct {
			Field string `json:"field"`
			Value string `json:"value"`
		}
		row struct {
			Timestamp string `json:"@timestamp"`
			Message   string `json:"@message"`
		}
	)
	var events struct {
		Events []event `json:"events"`
	}
	var results struct {
		Results [][]field `json:"results"`
	}
	var rows []row
	exported, csv, tailed := "", "@timestamp,@message,@ptr\n", ""
	const at = "2026-11-20 09:30:00.000"
	for _, line := range lines {
		exported += "2026-11-20T09:30:00.000Z " + line + "\n"
		tailed += "2026-11-20T09:30:00.000000+00:00 2026/11/20/EnterShow[7]0123 " + line + "\n"
		csv += at + `,"` + strings.ReplaceAll(line, `"`, `""`) + "\",Ck==\n"
		events.Events = append(events.Events, event{1795167000000, line})
		results.Results = append(results.Results, []field{{"@timestamp", at}, {"@message", line}, {"@ptr", "Ck=="}})
		rows = append(rows, row{at, line})
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	_, err := z.Write([]byte(exported))
	require.True(t, err == nil && z.Close() == nil, err)
	all := map[string]string{"exported": exported, "zipped": zipped.String(), "csv": csv, "tailed": tailed}
	for name, document := range map[string]any{"events": events, "results": results, "rows": rows} {
		short, err := json.Marshal(document)
		require.NoError(t, err)
		long, err := json.MarshalIndent(document, "", "    ")
		require.NoError(t, err)
		all[name], all[name+" over lines"] = string(short), string(long)
	}
	return all
}

// wantFound fails the test unless one of the violations contains the text.
func (s *service) wantFound(r logcheck.Report, want string) {
	s.t.Helper()
	assert.True(s.t, slices.ContainsFunc(r.Violations, func(v logcheck.Violation) bool { return strings.Contains(v.Text, want) }),
		"%d violations: %v", r.Found, r.Violations)
}
