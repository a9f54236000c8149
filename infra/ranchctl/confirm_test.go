package main

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
)

// ranchctl describes a change that is not on this machine, and makes it only if the operator agrees.
func TestConfirmation(t *testing.T) {
	x, tokens := newCloudTool(t)
	x.AddFair(t, storetest.Fee(60))
	x.MustEnter(t, x.Ann, x.Show, 0)
	where := "the table " + x.Name + " in account 123456789012, region eu-west-1"
	banner := "ranchctl: " + where + ", as " + operatorARN + "\n"
	about := " Ann (" + string(x.Ann.ID) + ")"
	banning, deleting := "ranchctl: ban"+about+": active, 1 entry, 440 gold\n", "ranchctl: delete"+about+": 1 entry, 440 gold\n"
	question, typing := banning+"Do it? [y/N] ", deleting+"a deletion is for good. Type Ann to do it: "
	ban, remove := []string{"user", "ban", x.Ann.Email}, []string{"user", "delete", x.Ann.Email, "--yes"}
	for name, c := range map[string]struct {
		answer io.Reader
		args   []string
		exit   int
		stderr string
	}{
		"no terminal":           {nil, ban, exitUsage, banner + banning + "this changes " + where + ": repeat it with --yes, or look first with --dry-run\n"},
		"for good, no terminal": {nil, remove, exitUsage, banner + deleting + "a deletion is for good: repeat it with --force=deletion, or look first with --dry-run\n"},
		"another name":          {strings.NewReader("y\n"), remove, exitFailed, banner + typing + "ranchctl: nothing was changed\n"},
		"refused":               {strings.NewReader("n\n"), ban, exitFailed, banner + question + "ranchctl: nothing was changed\n"},
		"not answered":          {strings.NewReader(""), ban, exitFailed, banner + question + "ranchctl: nothing was changed\n"},
		"a reading":             {nil, []string{"user", "get", x.Ann.Email}, exitDone, ""},
		"a long reading":        {nil, []string{"ledger", "verify"}, exitDone, banner},
		"bad input comes first": {nil, []string{"show", "repair", "1", "--reason", "r"}, exitUsage, "ranchctl: show id \"1\": must be a UUID: bin/ranchctl show list shows them\n"},
	} {
		x.Unchanged(t, func() {
			x.answer = c.answer
			_, stderr, exit := x.run(c.args...)
			assert.True(t, exit == c.exit && stderr == c.stderr, "%s: exit %d, want %d; %q, want %q", name, exit, c.exit, stderr, c.stderr)
		})
	}
	for _, c := range []struct {
		answer io.Reader
		args   []string
		action string
		stderr string
	}{
		{nil, append(ban, "--yes"), "ban", banner + banning},
		{strings.NewReader("y\n"), []string{"user", "unban", "Ann"}, "unban", banner + strings.NewReplacer("ban", "unban", "active", "banned").Replace(question)},
		{strings.NewReader("Ann\n"), remove, "delete user", banner + typing},
	} {
		before, asked := x.audit(), tokens.asked.Load()
		x.answer = c.answer
		_, stderr, exit := x.run(c.args...)
		assert.True(t, exit == exitDone && stderr == c.stderr, "%v: exit %d: %q, want %q", c.args, exit, stderr, c.stderr)
		records := x.auditSince(before)
		assert.True(t, len(records) == 1 && records[0].By == operatorARN && records[0].Action == c.action,
			"%v: records %+v", c.args, records)
		asked = tokens.asked.Load() - asked
		assert.True(t, asked == 1, "%v: STS was asked %d times", c.args, asked)
	}
}

// In production, the operator types the environment's name and, if there is a doubt, the plan's word.
func TestProductionAsksForItsName(t *testing.T) {
	t.Parallel()
	doubtful := plan{change: "cancel", word: "180", doubts: []doubt{{withEntry, "180 entries"}}}
	for _, c := range []struct {
		table, answer string
		plan          plan
		asked         string
		agreed        bool
	}{
		{"ranch-prod-Table-1ABC", "y", plan{}, "Type prod to do it: ", false},
		{"ranch-prod-Table-1ABC", "prod", plan{}, "Type prod to do it: ", true},
		{"ranch-prod-20261120T0930", "180", doubtful, "180 entries. Type prod 180 to do it: ", false},
		{"ranch-prod-20261120T0930", "prod 180", doubtful, "180 entries. Type prod 180 to do it: ", true},
		{"ranch-reproduced-Table", "y", plan{}, "Do it? [y/N] ", true},
		{"ranch-staging-Table", "180", doubtful, "180 entries. Type 180 to do it: ", true},
	} {
		var said strings.Builder
		a := newApp(io.Discard, &said, atFixed)
		a.table, a.interactive, a.in = c.table, true, strings.NewReader(c.answer)
		err := a.agree(t.Context(), "the table", c.plan)
		assert.True(t, (err == nil) == c.agreed && strings.HasSuffix(said.String(), c.asked), "%s, %q: %v after %q", c.table, c.answer, err, said.String())
	}
}

// A change begins after the operator has agreed to it. If it has a time relative to now, it begins before the question.
// So the operator agrees to that time, and a repetition uses it. The time of writing does not matter.
func TestAQuestionThatWaits(t *testing.T) {
	x, _ := newCloudTool(t)
	x.AddFair(t)
	answered := fixed.Add(10 * time.Minute)
	for _, c := range []struct {
		args  []string
		begun time.Time
	}{
		{[]string{"user", "ban", x.Ann.Email}, answered},
		{[]string{"show", "create", "--name", "Cup", "--tier", "pro", "--fee", "25", "--closes-in", "2h"}, fixed},
	} {
		before, now, asked := x.audit(), fixed, x
		asked.clock = func() time.Time { return now }
		asked.answer = readerFunc(func(b []byte) (int, error) {
			now = answered
			return copy(b, "y\n"), io.EOF
		})
		_, stderr, exit := asked.run(c.args...)
		require.Equal(t, exitDone, exit, "%v: exit %d: %s", c.args, exit, stderr)
		made := x.auditSince(before)
		assert.True(t, len(made) == 1 && made[0].At == game.InstantOf(c.begun) && made[0].WrittenAt == game.InstantOf(answered),
			"%v: %+v", c.args, made)
	}
}

// Ending the tool at its question changes nothing.
func TestInterruptedQuestion(t *testing.T) {
	x, _ := newCloudTool(t)
	x.AddFair(t)
	ctx, silent := silentTerminal(t)
	x.answer = silent
	x.Unchanged(t, func() {
		_, stderr, exit := x.runIn(ctx, "user", "ban", x.Ann.Email)
		assert.True(t, exit == exitFailed && strings.HasSuffix(stderr, "ranchctl: interrupted\n"), "exit %d: %s", exit, stderr)
	})
}

// silentTerminal returns a terminal without input, and a context that ends at the first reading of it.
func silentTerminal(t *testing.T) (context.Context, io.Reader) {
	ctx, interrupt := context.WithCancel(t.Context())
	terminal, typed := io.Pipe()
	t.Cleanup(func() { typed.Close() })
	return ctx, readerFunc(func(b []byte) (int, error) {
		interrupt()
		return terminal.Read(b)
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// Only endpoints at a loopback address are on this machine.
func TestOnThisMachine(t *testing.T) {
	t.Parallel()
	for endpoint, want := range map[string]bool{
		"": false, "http://127.0.0.1:8000": true, "http://localhost:4566": true, "http://[::1]:8000": true, "http://127.1.2.3:1": true,
		"http://192.0.2.1:8000": false, "http://localhost.example.com:8000": false, "http://dynamodb.eu-west-1.amazonaws.com:443": false, "://": false,
	} {
		got := (&app{endpoint: endpoint}).onThisMachine()
		assert.Equal(t, want, got, "%q: %v", endpoint, got)
	}
}
