package explore

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// plant is a planted bug: a change of one place in a file of shared/store, and the case whose histories show it. The
// product's code never has it: a copy of the file replaces the file in a build of the explorer (go build -overlay).
type plant struct {
	what     string // as in docs/truth.md
	file     string
	old, new string
	history  string // a case, or with choices one history
}

// plants are all planted bugs, by the names for make explore PLANT=.
var plants = map[string]plant{
	"address-not-reserved": {
		"A registration takes an address that another player has", "accounts.go",
		"t.create(reservationItem{key: emailKey(a.Email), User: a.ID, PasswordHash: passwordHash}, game.ErrTaken)", "t.put(reservationItem{key: emailKey(a.Email), User: a.ID, PasswordHash: passwordHash}, \"\", nil, nil)",
		"fair/register+register.email/-/",
	},
	"status-that-came-back": {
		"A status that has come back counts as unchanged, so that a late attempt is carried out", "items_account.go",
		"return \"attribute_exists(PK) AND \" + asRead(values, \"sn\", read.StatusChanges)",
		"values[\":was\"] = str(string(read.Status))\n\treturn \"attribute_exists(PK) AND st = :was\"",
		"fair/enter+ban+unban/late@0.1/0111001000100000",
	},
	"cancel-misses-entry": {
		"A cancellation does not look at the gates' counts when it writes", "operator_cancel.go",
		"t.delete(gate.key, \"n = :seen\", attributes{\":seen\": number(gate.Count)}, errStale)", "t.remove(gate.key)",
		"fair/enter+cancel/-/",
	},
	"prize-paid-twice": {
		"A claim does not look for a receipt when it writes", "claim.go",
		"t.create(r, errClaimed)", "t.put(r, \"\", nil, nil)",
		"fair/claim.bob+claim.bob/-/",
	},
	"gold-unnumbered": {
		"Gold moves whatever the ledger's last number is", "ledger.go",
		"\"ls = :seen AND \"", "\"(ls = :seen OR ls <> :seen) AND \"",
		"fair/enter+adjust/-/",
	},
	"deletion-looks-once": {
		"A deletion looks for entries once, and misses one that is becoming visible", "operator_entrynames.go",
		"case look >= 2 && complete:", "case look >= 1 && complete:",
		"fair/enter+delete/-/",
	},
	"fee-after-entry": {
		"A change of the fee does not look at the gates' counts when it writes", "operator_terms.go",
		"item.Terms+1, counted)", "item.Terms+1, false)",
		"empty/enter+set.fee/-/",
	},
	"change-not-awaited": {
		"A change that was made before is called done before it is visible", "operator.go",
		"return true, head, becomeVisible(ctx)", "return true, head, nil",
		"fair/list.open+set.later/overdue@1.3/",
	},
	"due-too-early": {
		"The schedule judges a show whose end has been put off", "judge.go",
		"case j.due && item.show().AcceptsEntriesAt(j.now):", "case j.due && item.show().AcceptsEntriesAt(0):",
		"fair/set.later+due/-/",
	},
	"pause-then-plain-read": {
		"A plain read after a pause takes the place of one that no transaction is in the way of", "store.go",
		"func getSettled[T any](ctx context.Context, s *Store, k key) (*T, error) {",
		"func getSettled[T any](ctx context.Context, s *Store, k key) (*T, error) {\n" +
			"\tif err := pause(ctx, settling); err == nil {\n\t\treturn get[T](ctx, s, k)\n\t}",
		"poor/enter+enter/-/",
	},
	"unprocessed-dropped": {
		"A batch of reads forgets what the table left unprocessed", "store.go",
		"pending = out.UnprocessedKeys", "pending = nil",
		"fair/enter+list/split@0.0/",
	},
	"refund-without-participation": {
		"A refund does not look at the participation when it writes", "operator_refunds.go",
		"\"attribute_exists(fe) AND attribute_not_exists(rf)\"", "\"attribute_exists(fe)\"",
		"alone/refund+refund/-/",
	},
}

// storePath is the path of the store's folder.
const storePath = "../../../shared/store"

// planted returns the path of the plant's file, and its text with the bug.
func (p plant) planted() (path string, text []byte, err error) {
	path, err = filepath.Abs(filepath.Join(storePath, p.file))
	if err != nil {
		return "", nil, err
	}
	sound, err := os.ReadFile(path)
	if n := bytes.Count(sound, []byte(p.old)); err == nil && n != 1 {
		err = fmt.Errorf("%s has %q %d times, not once", path, p.old, n)
	}
	return path, bytes.Replace(sound, []byte(p.old), []byte(p.new), 1), err
}

// build builds the explorer with the bug, in a folder for its files.
func (p plant) build(ctx context.Context, folder string) (program string, err error) {
	path, text, err := p.planted()
	if err != nil {
		return "", err
	}
	bug, overlay := filepath.Join(folder, p.file), filepath.Join(folder, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {path: bug}})
	if err := errors.Join(err, os.WriteFile(bug, text, 0o600), os.WriteFile(overlay, replace, 0o600)); err != nil {
		return "", err
	}
	program = filepath.Join(folder, "explore")
	build := exec.CommandContext(ctx, "go", "test", "-c", "-overlay", overlay, "-o", program, "github.com/ranch-game/ranch/localstack/verify/explore")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return program, nil
}

// search runs a process of the explorer with the bug, and returns an error unless that finds the bug.
func (p plant) search(ctx context.Context) (found Result, err error) {
	folder, err := os.MkdirTemp("", "ranch-plant-")
	if err != nil {
		return found, err
	}
	defer os.RemoveAll(folder)
	program, err := p.build(ctx, folder)
	if err != nil {
		return found, err
	}
	err = employed(ctx, program, job{History: p.history, Most: mostHistories, First: true}, func(r Result) {
		if found = r; r.Interrupted {
			err = context.Canceled
		}
	})
	if err == nil && found.Violations == 0 {
		err = fmt.Errorf("not found in %d histories of %s", found.Histories, p.history)
	}
	return found, err
}

// searchPlants is make explore PLANT=: it looks for one planted bug, or for all of them.
func searchPlants(ctx context.Context, named string) error {
	names := slices.Sorted(maps.Keys(plants))
	if named != "all" {
		if _, there := plants[named]; !there {
			return fmt.Errorf("PLANT=%s: there is no such bug; there are all, %s", named, strings.Join(names, ", "))
		}
		names = []string{named}
	}
	var all error
	for _, name := range names {
		found, err := plants[name].search(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			all = errors.Join(all, fmt.Errorf("PLANT=%s: %w", name, err))
			continue
		}
		fmt.Printf("%s: found, in %d histories\n", name, found.Histories)
		if named != "all" {
			fmt.Println(found.Shortest)
		}
	}
	return all
}

// Each plant can be applied and still compiles; docs/truth.md lists exactly these.
func TestPlantsApply(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/truth.md")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, row := range regexp.MustCompile(`(?m)^\| (.*) \| `+"`make explore PLANT=([a-z-]+)`").FindAllStringSubmatch(string(page), -1) {
		if listed = append(listed, row[2]); row[1] != plants[row[2]].what {
			t.Errorf("docs/truth.md calls %s %q, want %q", row[2], row[1], plants[row[2]].what)
		}
	}
	if names := slices.Sorted(maps.Keys(plants)); !slices.Equal(names, listed) {
		t.Errorf("docs/truth.md has %v, want %v", listed, names)
	}
	for name, p := range plants {
		path, text, err := p.planted()
		if err == nil {
			_, err = parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
		}
		c, _, historyErr := ParseHistory(p.history)
		if err := errors.Join(err, historyErr, c.known()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// make explore PLANT= with two bugs: one shows only if a sleep ends early, and one only if a batch is split.
// .ci/nightly looks for all of them.
func TestPlantsAreFound(t *testing.T) {
	t.Parallel()
	for name, shows := range map[string]string{"pause-then-plain-read": "time passes", "unprocessed-dropped": "is answered in part"} {
		switch found, err := plants[name].search(t.Context()); {
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case !strings.Contains(found.Shortest.Story, shows):
			t.Errorf("%s does not show that %s:\n%s", name, shows, found.Shortest)
		}
	}
}
