package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
)

var update = flag.Bool("update", false, "rewrite the transcripts in testdata")

// TestTranscripts plays each transcript in testdata in its own scene, and compares all output of the commands. With
// -update it rewrites the transcripts. The first character of a line is its kind:
//
//	#   a comment
//	>   a step of the scene, one of steps. at-write 2 STEP does it before the next command's second write
//	$   a command of ranchctl
//	%   a command that must change nothing
//	!   a line that the command wrote to stderr
//	=   the command's exit code, unless it is 0
//
// All other lines are what the command wrote to stdout. A command that fails must change nothing, and neither a dry
// run. Only a file, a cancellation, a repair, and a command with at-write may make some of their changes. With at-write 1
// interrupt, the command must make none. {ann}, {ann.0}, {show} and {season} are replaced by ids of the scene, and
// new-1 by the first id that a command has made. A command names the files of the txtar archive by their names.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"animals", "audit", "audit-verify", "damaged-show", "doubts", "explain", "gold", "hostile-names", "interrupted", "keys", "keys-leaked", "large-cancellation",
		"listed-files", "previews", "repair", "repeated", "season-standings", "seasons", "show-ends", "show-files", "show-terms", "shows", "table", "tickets",
		"usage", "user-delete", "user-export", "user-list", "users",
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join("testdata", name+".txt")
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			want := string(archive.Comment)
			got := newTranscript(t, archive.Files).play(want)
			if *update {
				archive.Comment = []byte(got)
				require.NoError(t, os.WriteFile(file, txtar.Format(archive), 0o644))
			} else if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("%s (-want +got):\n%s", file, diff)
			}
		})
	}
}

// transcript is a scene in which commands are played.
type transcript struct {
	tool
	now     time.Time
	folder  string // of the files
	players map[string]storetest.Player
	secret  *keyTool // of the commands for keys
	made    []string // ids and digests of records, by the commands
	restore func()   // restores the row that was set or lost last
	at      atWrite  // for the next command
}

// atWrite is what happens before the command's write with this number: a step of the scene, or "interrupt" for Ctrl-C.
type atWrite struct {
	write int
	words []string
}

func newTranscript(t *testing.T, files []txtar.File) *transcript {
	t.Parallel()
	x := &transcript{now: fixed, folder: t.TempDir(), players: map[string]storetest.Player{}}
	x.inScene(t, storetest.NewFixedScene(t, game.InstantOf(fixed)))
	for _, file := range files {
		require.NoError(t, os.WriteFile(filepath.Join(x.folder, file.Name), file.Data, 0o600))
	}
	x.secret = newKeyTool(t)
	return x
}

func (x *transcript) inScene(t *testing.T, scene *storetest.Scene) {
	x.tool = toolIn(t, scene, "Operators")
	x.clock = func() time.Time { return x.now }
	x.KeepInvariants(t)
	x.Clock.Stop() // of the scene's own changes
	x.Clock.Move(fixed.Sub(x.Clock.Now()))
}

// play returns the transcript with the current output of its commands.
func (x *transcript) play(text string) string {
	var played strings.Builder
	for line := range strings.Lines(text) {
		words := words(line)
		switch {
		case line == "\n", strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "> "):
			x.step(words[1:])
		case strings.HasPrefix(line, "$ "), strings.HasPrefix(line, "% "):
			line += x.perform(words[1:], words[0] == "%")
		default:
			continue
		}
		played.WriteString(line)
	}
	return played.String()
}

func (x *transcript) step(words []string) {
	step, ok := steps[words[0]]
	require.True(x.t, ok, "%s is no step", words[0])
	step(x, x.resolved(words[1:]))
}

// words returns the words of a line. A quoted part is one word.
func words(line string) []string {
	words := regexp.MustCompile(`(?:[^\s'"]|'[^']*'|"[^"]*")+`).FindAllString(line, -1)
	for i := range words {
		words[i] = strings.NewReplacer("'", "", `"`, "").Replace(words[i])
	}
	return words
}

// steps are the events in a scene besides commands.
var steps = map[string]func(x *transcript, args []string){
	"fair": func(x *transcript, args []string) {
		x.AddFair(x.t, storetest.Fee(int64(number(args[0]))), storetest.Gates(number(args[1])))
		x.players["ann"] = x.Ann
	},
	"season": func(x *transcript, args []string) {
		x.AddSeason(x.t, func(s *game.Season) { s.Name, s.IsActive = args[0], len(args) == 1 })
	},
	"fold": func(x *transcript, _ []string) { x.AtTime(game.InstantOf(x.now)).MustFold(x.t) },
	"show": func(x *transcript, args []string) {
		x.Show = x.AddShow(x.t, func(d *storetest.ShowDraft) { d.Name = args[0] })
	},
	"player": func(x *transcript, args []string) {
		who := map[string]storetest.Who{"ann": storetest.Ann, "bob": storetest.Bob, "cid": storetest.Cid}[args[0]]
		x.players[args[0]] = x.AtTime(game.InstantOf(x.now)).NewPlayer(who)
		x.Register(x.t, x.players[args[0]])
	},
	"enter": func(x *transcript, args []string) {
		animals := make([]int, len(args)-1)
		for i := range animals {
			animals[i] = number(args[1+i])
		}
		x.MustEnter(x.t, x.players[args[0]], x.Show, animals...)
	},
	"judge": func(x *transcript, args []string) { x.MustJudge(x.t, x.players[args[0]], x.Show) },
	"claim": func(x *transcript, args []string) { x.MustClaim(x.t, x.players[args[0]], x.Show) },
	"operator": func(x *transcript, args []string) { // NAME AGO REASON CHANGE PLAYER
		ago, err := duration("operator", args[1])
		o := x.Desk.Operator(operate.NewChange(args[0], args[2], x.Now.Add(-ago)))
		change := map[string]func(context.Context, game.ID) error{"ban": o.Ban, "unban": o.Unban, "revoke": o.RevokeSessions}[args[3]]
		require.NoError(x.t, errors.Join(err, change(x.t.Context(), x.players[args[4]].ID)))
	},
	"set": func(x *transcript, args []string) { // PK SK ATTRIBUTE NUMBER, or "hostile" for hostileName
		value := any(hostileName)
		if args[3] != "hostile" {
			value = number(args[3])
		}
		x.row(args).Edit(x.t, "SET "+args[2]+" = :value", map[string]any{":value": value})
	},
	"listed": func(x *transcript, args []string) { // FILE COMMAND: writes the command's CSV into the file
		stdout, _, _ := x.run(append(args[1:], "-o", "csv")...)
		require.NoError(x.t, os.WriteFile(filepath.Join(x.folder, filepath.Base(args[0])), []byte(stdout), 0o600))
	},
	"unjudge":   func(x *transcript, _ []string) { x.Result(x.t, x.Show, "PAGE#").Delete(x.t) },
	"lose":      func(x *transcript, args []string) { x.row(args).Delete(x.t) },
	"restore":   func(x *transcript, _ []string) { x.restore() },
	"another":   func(x *transcript, args []string) { x.run(args...) }, // operator runs this command
	"elsewhere": func(x *transcript, _ []string) { x.inScene(x.t, storetest.NewFixedScene(x.t, game.InstantOf(fixed))) },
	"at-write":  func(x *transcript, args []string) { x.at = atWrite{number(args[0]), args[1:]} },
	"cancel": func(x *transcript, _ []string) { // without refunds
		require.NoError(x.t, x.Operator().CancelShow(x.t.Context(), x.Show.ID))
	},
	"secret": func(x *transcript, args []string) { // another tool changes it to the file's content
		text, err := os.ReadFile(args[0])
		require.NoError(x.t, err)
		x.secret.Put(string(text))
	},
	"holds": func(x *transcript, args []string) { // KID FILE: the secret must have the file's key
		key, err := os.ReadFile(args[1])
		text, _ := x.secret.Current()
		assert.True(x.t, err == nil && strings.Contains(text, fmt.Sprintf("%q:%q", args[0], strings.TrimSpace(string(key)))),
			"the secret does not hold the key %s, %v", args[0], err)
	},
	"clock": func(x *transcript, args []string) {
		d, err := duration("clock", args[0])
		require.NoError(x.t, err)
		x.now = fixed.Add(d)
	},
}

// row returns the row with these keys, which restore then restores.
func (x *transcript) row(keys []string) storetest.Row {
	row := x.At(keys[0], keys[1])
	attributes := row.Read(x.t)
	x.restore = func() { row.Restore(x.t, attributes) }
	return row
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err) // a mistake in a transcript
	}
	return n
}

// perform runs a command, and returns its output. If idle is true, the command must not change anything.
func (x *transcript) perform(args []string, idle bool) string {
	args = x.resolved(args)
	_, before := x.secret.Current()
	published, rows := x.secret.Published(), x.Rows(x.t)
	var stdout, stderr string
	var exit int
	withStep := x.at.write > 0
	partly := x.at.write > 1 || withStep && x.at.words[0] != "interrupt"
	switch x.secret.now = x.now; {
	case args[0] == "keys":
		stdout, stderr, exit = x.secret.run(args[1:]...)
	case withStep:
		stdout, stderr, exit = x.runWithStep(args)
	default:
		stdout, stderr, exit = x.run(args...)
	}
	partly = partly || strings.Contains(stderr, "the show is cancelled, but ") || strings.Contains(stderr, "changes failed: ") || strings.Contains(stderr, "left unrepaired")
	idle = idle || exit != exitDone && !partly || slices.Contains(args, "--dry-run")
	_, after := x.secret.Current()
	assert.True(x.t, !idle || after == before && slices.Equal(published, x.secret.Published()) && cmp.Equal(rows, x.Rows(x.t)),
		"%v has changed something", args)
	checkPrintable(x.t, stdout+stderr, strings.Count(stdout+stderr, "\n"))
	for name, p := range x.players {
		assert.False(x.t, strings.Contains(stdout+stderr, p.PasswordHash), "%v prints the hash of the password of %s", args, name)
	}
	said := x.settled(stdout)
	for line := range strings.Lines(x.settled(stderr)) {
		said += "! " + line
	}
	if exit != exitDone {
		said += fmt.Sprintf("= %d\n", exit)
	}
	return said
}

// runWithStep runs a command with the step of at-write.
func (x *transcript) runWithStep(args []string) (stdout, stderr string, exit int) {
	at, writes := x.at, 0
	x.at = atWrite{}
	defer func() {
		assert.True(x.t, writes >= at.write, "%v makes %d writes, and the step is for write %d", args, writes, at.write)
	}()
	return x.interrupted(func(operation string, interrupt func()) (answer bool) {
		if operation != "TransactWriteItems" {
			return true
		}
		if writes++; writes != at.write {
			return writes < at.write || at.words[0] != "interrupt"
		}
		if at.words[0] == "interrupt" {
			interrupt()
			return false
		}
		x.step(at.words)
		return true
	}, args...)
}

func (x *transcript) resolved(words []string) (args []string) {
	for _, word := range words {
		args = append(args, x.resolve(word))
	}
	return args
}

// resolve replaces the stand-ins in a word by their values, and the name of a file by its path.
func (x *transcript) resolve(word string) string {
	if path := filepath.Join(x.folder, word); word != "" && filepath.Ext(word) != "" && !strings.ContainsAny(word, "@:") {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	ids := map[string]game.ID{"{show}": x.Show.ID, "{season}": x.Season.ID}
	for name, p := range x.players {
		ids["{"+name+"}"] = p.ID
		for i, animal := range p.Animals {
			ids[fmt.Sprintf("{%s.%d}", name, i)] = animal.ID
		}
	}
	for standIn, id := range ids {
		word = strings.ReplaceAll(word, standIn, string(id))
	}
	return regexp.MustCompile(`new-\d+`).ReplaceAllStringFunc(word, func(s string) string { return x.made[number(s[4:])-1] })
}

// settled returns output with stand-ins for the parts that differ in every run.
func (x *transcript) settled(text string) string {
	text = strings.NewReplacer(x.endpoint, "ENDPOINT", x.Name, "TABLE", x.folder+"/", "", localUser(x.t), "local:operator").Replace(text)
	for _, part := range []struct{ expression, by string }{
		{`--endpoint http://127\.0\.0\.1:\d+ `, "--endpoint ENDPOINT "}, // of runWithStep
		// The operation at which the time of the reading was up.
		{`(?m)(not read as a whole within \w+): .*$`, "$1"},
		{`\b[A-Z2-7]{26}\b`, "NEW-PASSWORD"}, // of rand.Text
		// TestWrongUsage checks the whole usage.
		{`(?s)^(ranchctl: .*)\nUsage:\n  (ranchctl[^\n]*?)( \[flags\])?\n.*$`, "$1\nthe usage: $2\n"},
		{`(?s)\n\nUsage:\n.*$`, "\n"}, // of help
		{`\n\n`, "\n"},                // an empty line of a transcript is not output
		{` \(request [^)]+\)`, ""},    // which not all engines number
	} {
		text = regexp.MustCompile(part.expression).ReplaceAllString(text, part.by)
	}
	id := regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|:[\w-]{43}`)
	return id.ReplaceAllStringFunc(text, func(found string) string {
		id := strings.TrimPrefix(found, ":") // before a digest
		if strings.HasSuffix(id, "-0000-4000-8000-000000000000") {
			return id // of the scene
		}
		if !slices.Contains(x.made, id) {
			x.made = append(x.made, id)
		}
		return strings.TrimSuffix(found, id) + fmt.Sprintf("new-%032d", 1+slices.Index(x.made, id))
	})
}
