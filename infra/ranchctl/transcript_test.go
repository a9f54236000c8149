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
	"golang.org/x/tools/txtar"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

var update = flag.Bool("update", false, "rewrite the transcripts in testdata")

// TestTranscripts plays each transcript in testdata in its own scene, and compares all output of the commands. With
// -update it rewrites the transcripts. Of the lines of a transcript,
//
//	# is a comment
//	> is a step of the scene, one of steps
//	$ is a command of ranchctl
//	% is one that changes nothing
//	! is a line that the command wrote to stderr
//	= is its exit code, unless it is 0
//
// and the other ones are what the command wrote to stdout. A command that fails changes nothing, nor does a dry run.
// Only a cancellation that cannot refund all entries refunds the others.
// {ann}, {ann.0}, {show} and {season} stand for ids of the scene, and new-1 for the first id that a command has made.
// A command names the files of the txtar archive by their names.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"animals", "audit", "check-logs", "damaged-show", "gold", "hostile-names", "keys", "keys-leaked", "large-cancellation", "listed-files", "previews", "repair", "repeated", "season-standings", "seasons", "show-ends",
		"show-files", "show-terms", "shows", "table", "tickets", "usage", "user-delete", "user-export", "user-list", "users",
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join("testdata", name+".txt")
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want := string(archive.Comment)
			got := newTranscript(t, archive.Files).play(want)
			if *update {
				archive.Comment = []byte(got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
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
	made    []string // ids, by the commands
}

func newTranscript(t *testing.T, files []txtar.File) *transcript {
	t.Parallel()
	x := &transcript{tool: tool{storetest.NewFixedScene(t, game.InstantOf(fixed)), t, "Operators"}, now: fixed, folder: t.TempDir(), players: map[string]storetest.Player{}}
	for _, file := range files {
		if err := os.WriteFile(filepath.Join(x.folder, file.Name), file.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	x.KeepInvariants(t)
	x.Clock.Stop() // of the scene's own changes
	x.Clock.Move(fixed.Sub(x.Clock.Now()))
	x.secret = newKeyTool(t)
	return x
}

// play returns the transcript with the current output of its commands.
func (x *transcript) play(text string) string {
	var played strings.Builder
	for line := range strings.Lines(text) {
		words := words(line)
		switch {
		case line == "\n", strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "> "):
			step, ok := steps[words[1]]
			if !ok {
				x.t.Fatalf("%s is no step", line)
			}
			step(x, words[2:])
		case strings.HasPrefix(line, "$ "), strings.HasPrefix(line, "% "):
			line += x.perform(words[1:], words[0] == "%")
		default:
			continue
		}
		played.WriteString(line)
	}
	return played.String()
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
	"ban":   func(x *transcript, args []string) { x.Ban(x.t, x.players[args[0]].ID) },
	"operator": func(x *transcript, args []string) { // of the name, so long ago, for the reason, changes a player
		ago, err := duration("operator", args[1])
		o := x.Store.Operator(store.NewChange(args[0], args[2], x.Now.Add(-ago)))
		change := map[string]func(context.Context, game.ID) error{"ban": o.Ban, "unban": o.Unban, "revoke": o.RevokeSessions}[args[3]]
		if err := errors.Join(err, change(x.t.Context(), x.players[args[4]].ID)); err != nil {
			x.t.Fatal(err)
		}
	},
	"delete": func(x *transcript, args []string) { x.DeleteUser(x.t, x.players[args[0]].ID) },
	"damage": func(x *transcript, args []string) {
		x.At("USER#"+string(x.players[args[0]].ID), "PROFILE").Edit(x.t, "SET g = :g", map[string]any{":g": number(args[1])})
	},
	// A chosen name must not control an operator's terminal. Players choose the names of ranches. Other names are
	// checked when they are set, but the table may still have hostile ones.
	"hostile-names": func(x *transcript, _ []string) {
		for row, attributes := range map[[2]string][]string{
			{"USER#" + string(x.Ann.ID), "PROFILE"}:                                {"un", "r.n"},
			{"USER#" + string(x.Ann.ID), "ANIMAL#" + string(x.Ann.Animals[0].ID)}:  {"na"},
			{"SHOW#" + string(x.Show.ID), "SHOW"}:                                  {"na"},
			{"BOARD#all", x.Show.EntryClosesAt.String() + "#" + string(x.Show.ID)}: {"na"},
			{"SEASON", "SEASON#" + string(x.Season.ID)}:                            {"na"},
		} {
			for _, attribute := range attributes {
				x.At(row[0], row[1]).Edit(x.t, "SET "+attribute+" = :n", map[string]any{":n": hostileName})
			}
		}
	},
	"listed": func(x *transcript, args []string) { // into the file, what a command prints as CSV
		stdout, _, _ := x.runAt(x.now, append(args[1:], "-o", "csv")...)
		if err := os.WriteFile(filepath.Join(x.folder, args[0]), []byte(stdout), 0o600); err != nil {
			x.t.Fatal(err)
		}
	},
	"unjudge":   func(x *transcript, _ []string) { x.Result(x.t, x.Show, "PAGE#").Delete(x.t) },
	"lose":      func(x *transcript, args []string) { x.At(x.resolve(args[0]), x.resolve(args[1])).Delete(x.t) },
	"lose-gate": func(x *transcript, _ []string) { x.Gate(x.t, x.Show).Delete(x.t) },
	"miscount": func(x *transcript, args []string) { // the entries of a show with one gate
		x.Gate(x.t, x.Show).Edit(x.t, "SET n = :n", map[string]any{":n": number(args[0])})
	},
	"cancel": func(x *transcript, _ []string) { // and refund nothing
		if err := x.Operator().CancelShow(x.t.Context(), x.Show.ID); err != nil {
			x.t.Fatal(err)
		}
	},
	"holds": func(x *transcript, args []string) { // the secret, under the key's id, what is in the file
		key, err := os.ReadFile(filepath.Join(x.folder, args[1]))
		if text, _ := x.secret.Current(); err != nil || !strings.Contains(text, fmt.Sprintf("%q:%q", args[0], strings.TrimSpace(string(key)))) {
			x.t.Errorf("the secret does not hold the key %s, %v", args[0], err)
		}
	},
	"clock": func(x *transcript, args []string) {
		d, err := duration("clock", args[0])
		if err != nil {
			x.t.Fatal(err)
		}
		x.now = fixed.Add(d)
	},
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
	for i := range args {
		args[i] = x.resolve(args[i])
	}
	_, before := x.secret.Current()
	rows := x.Rows(x.t)
	var stdout, stderr string
	var exit int
	if x.secret.now = x.now; args[0] == "keys" {
		stdout, stderr, exit = x.secret.run(args[1:]...)
	} else {
		stdout, stderr, exit = x.runAt(x.now, args...)
	}
	idle = idle || exit != exitDone && !strings.Contains(stderr, "the show is cancelled, but ") || slices.Contains(args, "--dry-run")
	if _, after := x.secret.Current(); idle && (after != before || !cmp.Equal(rows, x.Rows(x.t))) {
		x.t.Errorf("%v has changed something", args)
	}
	checkPrintable(x.t, stdout+stderr, strings.Count(stdout+stderr, "\n"))
	for name, p := range x.players {
		if strings.Contains(stdout+stderr, p.PasswordHash) {
			x.t.Errorf("%v prints the hash of the password of %s", args, name)
		}
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

// resolve replaces the stand-ins in a command's word by their values.
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
	o, err := operators()
	if err != nil {
		x.t.Fatal(err)
	}
	text = strings.NewReplacer(o.url, "ENDPOINT", x.Name, "TABLE", x.folder+"/", "", localUser(x.t), "local:operator").Replace(text)
	// The operation at which the time of the reading was up.
	text = regexp.MustCompile(`(?m)(not read as a whole within \w+): .*$`).ReplaceAllString(text, "$1")
	text = regexp.MustCompile(`\b[A-Z2-7]{26}\b`).ReplaceAllString(text, "NEW-PASSWORD") // of rand.Text
	// TestWrongUsage checks the whole usage.
	text = regexp.MustCompile(`(?s)Usage:\n  (ranchctl[^\n]*?)( \[flags\])?\n.*\n\n(ranchctl: .*)$`).ReplaceAllString(text, "the usage: $1\n$3")
	text = regexp.MustCompile(` \(request [^)]+\)`).ReplaceAllString(text, "") // which not all engines number
	id := regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	return id.ReplaceAllStringFunc(text, func(id string) string {
		if strings.HasSuffix(id, "-0000-4000-8000-000000000000") {
			return id // of the scene
		}
		if !slices.Contains(x.made, id) {
			x.made = append(x.made, id)
		}
		return fmt.Sprintf("new-%032d", 1+slices.Index(x.made, id))
	})
}
