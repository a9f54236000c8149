package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

func TestShowGet(t *testing.T) {
	x := newTool(t)
	x.AddFair(t, storetest.Gates(3))
	x.MustEnter(t, x.Ann, x.Show, 0, 2)
	var show object
	x.json(&show, "show", "get", string(x.Show.ID))
	want := []string{"entryClosesAt", "entryCount", "entryFee", "gates", "id", "judgedAt", "judgedBy", "name", "refundedAt", "seasonId", "status", "terms", "tier"}
	if !slices.Equal(keys(show), want) || show["entryCount"] != 2.0 || show["gates"] != 3.0 || show["judgedBy"] != "" || show["refundedAt"] != nil {
		t.Errorf("got %v", show)
	}
	x.MustJudge(t, x.Ann, x.Show)
	if x.json(&show, "show", "get", strings.ToUpper(string(x.Show.ID))); show["judgedBy"] != string(x.Ann.ID) || show["entryCount"] != 2.0 {
		t.Errorf("got %v", show)
	}
	if stdout, stderr, exit := x.run("show", "get", string(x.Show.ID)); exit != 0 || !strings.Contains(stdout, "JUDGED-BY") || !strings.Contains(stdout, string(x.Ann.ID)) {
		t.Errorf("exit %d: %s%s", exit, stdout, stderr)
	}
	var entries []object
	if x.json(&entries, "show", "entries", string(x.Show.ID)); len(entries) != 2 || entries[0]["rank"] != 1.0 || entries[1]["animalId"] != string(x.Ann.Animals[2].ID) {
		t.Errorf("got %v", entries)
	}
	if stdout, _, exit := x.run("show", "entries", string(x.Show.ID)); exit != 0 || !strings.Contains(stdout, string(x.Ann.Animals[2].ID)) {
		t.Errorf("exit %d: %s", exit, stdout)
	}
	for _, command := range []string{"get", "entries", "cancel"} {
		x.refused(1, "no such show", "show", command, string(game.NewID()))
		x.refused(2, "must be a UUID", "show", command, "fair")
		x.refused(2, "accepts 1 arg", "show", command)
	}
}

func TestShowSet(t *testing.T) {
	x := newTool(t)
	x.AddFair(t, storetest.Fee(50))
	set := func(args ...string) []string { return append([]string{"show", "set", string(x.Show.ID)}, args...) }
	var show object
	x.json(&show, set("--name", "Town Fair", "--tier", "pro", "--fee", "300", "--closes-at", "2026-11-21T09:30:00Z")...)
	if show["name"] != "Town Fair" || show["tier"] != "pro" || show["entryFee"] != 300.0 || show["entryClosesAt"] != "2026-11-21T09:30:00.000Z" || show["terms"] != 1.0 {
		t.Errorf("got %v", show)
	}
	x.Unchanged(t, func() {
		x.refused(2, "at least one", set()...)
		x.refused(2, "at least one", set("--force")...)
		x.refused(2, "the name", set("--name", "")...)
		x.refused(2, "the entry fee", set("--fee", "-1", "--force")...)
		x.refused(2, "either --closes-in or --closes-at", set("--closes-in", "1h", "--closes-at", "+1h")...)
		x.refused(2, `the tier "cuonty" has no prizes`, set("--tier", "cuonty", "--fee", "0")...)
		x.refused(2, "has passed", set("--closes-in", "0s")...)
		x.refused(2, "more than the first prize, 400", set("--fee", "401")...)
		x.refused(2, "more than the first prize, 100", set("--tier", "rookie")...)
		x.refused(1, "no such show", "show", "set", string(game.NewID()), "--fee", "1")
	})
	if stderr := x.json(&show, set("--closes-in", "-1h", "--fee", "401", "--force")...); !strings.Contains(stderr, "has passed") || show["entryFee"] != 401.0 {
		t.Errorf("got %v, warned %q", show, stderr)
	}
	// What was hardly meant before need not be forced again.
	if stderr := x.json(&show, set("--name", "Old Fair")...); stderr != "" || show["name"] != "Old Fair" {
		t.Errorf("got %v, warned %q", show, stderr)
	}
	x.json(&show, set("--fee", "400", "--closes-in", "1h")...)
	x.MustEnter(t, x.Ann, x.Show, 0)
	x.refused(1, "it can be cancelled", set("--fee", "1")...)
	x.Invariants(t)
}

func TestShowCancel(t *testing.T) {
	x := newTool(t)
	x.AddFair(t, storetest.Fee(50), storetest.Gates(2))
	x.MustEnter(t, x.Ann, x.Show, 0, 1)
	var show object
	stderr := x.json(&show, "show", "cancel", string(x.Show.ID))
	if show["status"] != "cancelled" || show["refundedAt"] != "2026-11-20T09:30:00.000Z" || !strings.Contains(stderr, "2 of 2 entries refunded") {
		t.Errorf("got %v, said %q", show, stderr)
	}
	x.Unchanged(t, func() { x.json(&show, "show", "cancel", string(x.Show.ID)) })
	x.refused(1, "not open", "show", "set", string(x.Show.ID), "--fee", "1")
	var list []object
	if x.json(&list, "show", "list", "--status", "cancelled"); len(list) != 1 || list[0]["entryCount"] != 2.0 {
		t.Errorf("list %v", list)
	}
}

// A cancellation whose refunds were interrupted says so, and the same command goes on.
func TestShowCancelGoesOn(t *testing.T) {
	x := newTool(t)
	x.AddFair(t, storetest.Fee(50))
	bob := x.AddPlayer(t, storetest.Bob)
	x.MustEnter(t, x.Ann, x.Show, 0)
	x.MustEnter(t, bob, x.Show, 0)
	account := x.At("USER#"+string(bob.ID), "PROFILE")
	row := account.Read(t)
	account.Delete(t)
	x.refused(1, "the same command goes on", "show", "cancel", string(x.Show.ID))
	account.Restore(t, row)
	var show object
	if x.json(&show, "show", "cancel", string(x.Show.ID)); show["refundedAt"] == nil {
		t.Errorf("got %v", show)
	}
	x.Invariants(t)
}

func TestShowJudge(t *testing.T) {
	x := newTool(t)
	x.AddFair(t)
	x.MustEnter(t, x.Ann, x.Show, 0, 1)
	var show object
	x.json(&show, "show", "judge", string(x.Show.ID))
	records, err := x.Audit(t.Context(), x.Now, x.Now+1)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(records, func(r store.AuditRecord) bool { return r.Action == "judge show" })
	if at < 0 || show["status"] != "completed" || show["judgedBy"] != records[at].By || show["judgedBy"] == "" {
		t.Errorf("got %v, recorded %+v", show, records)
	}
	x.refused(1, "not open", "show", "judge", string(x.Show.ID))
	x.Invariants(t)
}

func TestShowCreateWithAnID(t *testing.T) {
	x := newTool(t)
	x.AddSeason(t)
	create := []string{"show", "create", "--name", "Cup", "--tier", "pro", "--fee", "25", "--closes-in", "2h", "--id", string(storetest.ID(7))}
	x.Unchanged(t, func() {
		var show object
		if x.json(&show, append(create, "--dry-run")...); show["id"] != string(storetest.ID(7)) {
			t.Errorf("would create %v", show)
		}
	})
	var show object
	if x.json(&show, create...); show["id"] != string(storetest.ID(7)) {
		t.Errorf("created %v", show)
	}
	x.Unchanged(t, func() {
		if stderr := x.json(&show, create...); !strings.Contains(stderr, "there already") || show["name"] != "Cup" {
			t.Errorf("got %v, said %q", show, stderr)
		}
	})
	x.refused(2, "must be a UUID", "show", "create", "--name", "Cup", "--tier", "pro", "--fee", "25", "--closes-in", "2h", "--id", "7")
}

// csvFile is a file of shows.
func csvFile(t *testing.T, lines ...string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "shows.csv")
	if err := os.WriteFile(name, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestShowsOfAFile(t *testing.T) {
	x := newTool(t)
	autumn := x.AddSeason(t)
	winter := x.AddSeason(t, func(s *game.Season) { s.Name, s.IsActive = "Winter", false })
	file := csvFile(t, "\ufefffee,name,tier,closes-at,gates,season,id",
		"25,Cup,pro,2026-11-21T09:30:00Z,3,,",
		`0,"Cup, the small",rookie,2026-11-22T10:30:00+01:00,,`+string(winter.ID)+",",
		"0,Fixed,rookie,2026-11-22T09:30:00Z,,,"+string(storetest.ID(7)))
	names := func(list []object) (names []string) {
		for _, show := range list {
			names = append(names, show["name"].(string))
		}
		return names
	}
	all := []string{"Cup", "Cup, the small", "Fixed"}
	var list []object
	x.Unchanged(t, func() {
		x.json(&list, "show", "create", "-f", file, "--dry-run")
		storetest.Equal(t, "shows that would be created", names(list), all)
	})
	x.json(&list, "show", "create", "-f", file)
	storetest.Equal(t, "created", names(list), all)
	if list[0]["seasonId"] != string(autumn.ID) || list[1]["seasonId"] != string(winter.ID) || list[1]["entryClosesAt"] != "2026-11-22T09:30:00.000Z" ||
		list[2]["id"] != string(storetest.ID(7)) {
		t.Errorf("created %v", list)
	}
	first := list[0]["id"].(string)
	var show object
	if x.json(&show, "show", "get", first); show["gates"] != 3.0 || show["entryFee"] != 25.0 {
		t.Errorf("created %v", show)
	}
	x.Unchanged(t, func() {
		stderr := x.json(&list, "show", "create", "-f", file)
		for _, said := range []string{"line 2: Cup,", "line 3: Cup, the small", "line 4: Fixed", "is there already"} {
			if !strings.Contains(stderr, said) {
				t.Errorf("said %q, want %q in it", stderr, said)
			}
		}
		storetest.Equal(t, "created again", names(list), nil)
	})
	// One that was changed is there all the same. A cancelled one is not.
	x.json(&show, "show", "set", first, "--name", "Mug")
	x.Unchanged(t, func() {
		if stderr := x.json(&list, "show", "create", "-f", file); !strings.Contains(stderr, "is there already: it is Mug now") {
			t.Errorf("said %q", stderr)
		}
	})
	x.json(&show, "show", "cancel", first)
	for range 2 {
		x.json(&list, "show", "create", "-f", file)
		storetest.Equal(t, "created after a cancellation", names(list), []string{"Cup"})
		x.json(&show, "show", "cancel", list[0]["id"].(string))
	}
	x.refused(2, "none of the others can be", "show", "create", "-f", file, "--change", string(store.NewChange("", "", x.Now).ID))
	x.Invariants(t)
}

// Everything is checked before anything is written.
func TestFilesOfShowsThatAreRefused(t *testing.T) {
	x := newTool(t)
	x.AddSeason(t)
	const header, good = "name,tier,fee,closes-at", "Cup,pro,25,2026-11-21T09:30:00Z"
	x.Unchanged(t, func() {
		for _, c := range []struct {
			exit  int
			why   string
			lines []string
		}{
			{2, "names the columns", nil},
			{2, `the column "closes-at" is missing`, []string{"name,tier,fee", "Cup,pro,25"}},
			{2, `the column "price" is none of`, []string{header + ",price", good + ",1"}},
			{2, `the column "fee" is there twice`, []string{header + ",fee", good + ",1"}},
			{2, "wrong number of fields", []string{header, good, "Cup,pro,25"}},
			{2, "line 3: fee: \"x\": is no whole number", []string{header, good, "Cap,pro,x,2026-11-21T09:30:00Z"}},
			{2, "line 3: closes-at: \"+2h\": is no RFC 3339", []string{header, good, "Cap,pro,1,+2h"}},
			{2, "line 3: the name", []string{header, good, ",pro,1,2026-11-21T09:30:00Z"}},
			{2, `line 3: the tier "por" has no prizes`, []string{header, good, "Cap,por,0,2026-11-21T09:30:00Z"}},
			{2, "line 3: the closing time 2026-11-20T09:30:00.000Z has passed", []string{header, good, "Cap,pro,0,2026-11-20T09:30:00Z"}},
			{2, "line 3: the fee of 401", []string{header, good, "Cap,pro,401,2026-11-21T09:30:00Z"}},
			{2, "line 3: \"Cup\" is in the file twice", []string{header, good, good}},
			{2, "line 2: --gates", []string{header + ",gates", good + ",41"}},
			{2, "must be a UUID", []string{header + ",id", good + ",7"}},
			{2, "line 3: the id is in the file twice", []string{header + ",id", good + "," + string(storetest.ID(7)), "Cap,pro,0,2026-11-21T09:30:00Z," + string(storetest.ID(7))}},
			{1, "line 3: there is no such season", []string{header + ",season", good + ",", good + "," + string(game.NewID())}},
		} {
			x.refused(c.exit, c.why, "show", "create", "-f", csvFile(t, c.lines...))
		}
		x.refused(2, "no such file", "show", "create", "-f", filepath.Join(t.TempDir(), "none.csv"))
		x.refused(2, "none of the others can be", "show", "create", "-f", csvFile(t, header, good), "--name", "Cup", "--tier", "pro", "--fee", "1")
	})
	var list []object
	stderr := x.json(&list, "show", "create", "-f", csvFile(t, header, "Cap,por,0,2026-11-20T09:30:00Z"), "--force")
	if len(list) != 1 || !strings.Contains(stderr, "has no prizes") || !strings.Contains(stderr, "has passed") {
		t.Errorf("created %v, warned %q", list, stderr)
	}
}

// What is hardly meant needs --force, of a single show as of a file.
func TestShowsThatAreHardlyMeant(t *testing.T) {
	x := newTool(t)
	x.AddSeason(t)
	for why, args := range map[string][]string{
		`the tier "rooky" has no prizes`:  {"--tier", "rooky", "--fee", "0", "--closes-in", "1h"},
		"has passed":                      {"--tier", "rookie", "--fee", "0", "--closes-in", "0s"},
		"more than the first prize, 1500": {"--tier", "elite", "--fee", "1501", "--closes-in", "1h"},
	} {
		create := append([]string{"show", "create", "--name", "Cup"}, args...)
		x.Unchanged(t, func() { x.refused(2, why, create...) })
		var show object
		if stderr := x.json(&show, append(create, "--force")...); !strings.Contains(stderr, why) {
			t.Errorf("%v: warned %q", args, stderr)
		}
	}
}
