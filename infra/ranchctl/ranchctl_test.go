package main

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/iamtest"
	"github.com/ranch-game/ranch/localstack/kit/loopback"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/localstack/sam/iam"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

func TestMain(m *testing.M) {
	iamtest.Main(m, func() (*iam.Role, error) {
		o, err := operators()
		return o.role, err
	})
}

// operators is what stands between the tool and the engine: the policy of template.yaml that lets an operator do what
// the tool does, and no more.
var operators = sync.OnceValues(func() (o struct {
	role *iam.Role
	url  string
}, err error) {
	template, err := samtemplate.LoadRoot()
	if err != nil {
		return o, err
	}
	engine, err := url.Parse(storetest.Endpoint())
	if err != nil {
		return o, err
	}
	o.role = iam.NewRole("Operators", template.Policies["Operators"])
	o.url = httptest.NewServer(iam.New([]*iam.Role{o.role}, loopback.Forward(engine), func(string, string) {})).URL + "/" + o.role.Name
	return o, nil // it ends with the process
})

var fixed = time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC)

// tool is ranchctl in a scene of the test's own.
type tool struct {
	*storetest.Scene
	t *testing.T
}

func newTool(t *testing.T) tool {
	t.Parallel()
	return tool{storetest.NewScene(t, game.InstantOf(fixed)), t}
}

// run returns what a command prints and its exit code.
func (x tool) run(args ...string) (stdout, stderr string, exit int) {
	x.t.Helper()
	return x.runAt(fixed, args...)
}

func (x tool) runAt(now time.Time, args ...string) (stdout, stderr string, exit int) {
	x.t.Helper()
	o, err := operators()
	if err != nil {
		x.t.Fatal(err)
	}
	var out, errs bytes.Buffer
	all := append([]string{"--endpoint", o.url, "--table", x.Name}, args...)
	exit = run(x.t.Context(), all, &out, &errs, func() time.Time { return now })
	return out.String(), errs.String(), exit
}

// json runs a command that must succeed and decodes what it prints.
func (x tool) json(into any, args ...string) (stderr string) {
	x.t.Helper()
	stdout, stderr, exit := x.run(append(args, "-o", "json")...)
	if exit != 0 {
		x.t.Fatalf("%v: exit %d: %s", args, exit, stderr)
	}
	if err := json.Unmarshal([]byte(stdout), into); err != nil {
		x.t.Fatalf("%v: %v in %s", args, err, stdout)
	}
	return stderr
}

// refused runs a command that must fail with the exit code, say why on stderr, and print nothing.
func (x tool) refused(exit int, why string, args ...string) {
	x.t.Helper()
	stdout, stderr, got := x.run(args...)
	if got != exit || !strings.Contains(stderr, why) || stdout != "" {
		x.t.Errorf("%v: exit %d, want %d; stderr %q, want %q in it; stdout %q", args, got, exit, stderr, why, stdout)
	}
}

type object = map[string]any

func keys(o object) []string {
	names := []string{}
	for name := range o {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func TestSeasons(t *testing.T) {
	x := newTool(t)
	var first, second object
	x.json(&first, "season", "create", "--name", "First", "--start", "-1h", "--end", "+30d", "--activate")
	if first["startDate"] != "2026-11-20T08:30:00.000Z" || first["endDate"] != "2026-12-20T09:30:00.000Z" || first["isActive"] != true {
		t.Errorf("created %v", first)
	}
	if want := []string{"endDate", "id", "isActive", "name", "startDate"}; !slices.Equal(keys(first), want) {
		t.Errorf("fields %v", keys(first))
	}
	if stderr := x.json(&second, "season", "create", "--name", "Second", "--start", "2026-11-20T10:30:00+02:00", "--end", "+500ms"); !strings.Contains(stderr, "begins before First (") {
		t.Errorf("warned %q", stderr)
	}
	if second["startDate"] != "2026-11-20T08:30:00.000Z" || second["endDate"] != "2026-11-20T09:30:00.500Z" || second["isActive"] != false {
		t.Errorf("created %v", second)
	}
	if stderr := x.json(&second, "season", "activate", second["id"].(string)); !strings.Contains(stderr, "also active: First") || second["isActive"] != true {
		t.Errorf("activated %v, warned %q", second, stderr)
	}
	x.json(&first, "season", "deactivate", first["id"].(string))
	var list []object
	x.json(&list, "season", "list")
	if len(list) != 2 || first["isActive"] != false {
		t.Errorf("list %v", list)
	}
	active, err := x.ActiveSeason(t.Context())
	if err != nil || active == nil || string(active.ID) != second["id"] {
		t.Errorf("active is %v, %v", active, err)
	}
}

func TestSeasonRefusals(t *testing.T) {
	x := newTool(t)
	x.refused(2, "the end must come after the start", "season", "create", "--name", "S", "--start", "+2h", "--end", "+1h")
	x.refused(2, "neither RFC 3339 nor relative", "season", "create", "--name", "S", "--start", "tomorrow", "--end", "+1h")
	x.refused(2, "is no duration", "season", "create", "--name", "S", "--start", "+2x", "--end", "+1h")
	x.refused(2, "1 to 100", "season", "create", "--name", "", "--start", "+1h", "--end", "+2h")
	x.refused(2, "required", "season", "create", "--name", "S", "--start", "+1h")
	x.refused(2, "must be a UUID", "season", "activate", "1")
	x.refused(1, "no such season", "season", "activate", string(game.NewID()))
	var list []object
	if x.json(&list, "season", "list"); len(list) != 0 || list == nil {
		t.Errorf("list %v", list)
	}
}

func TestShows(t *testing.T) {
	x := newTool(t)
	x.refused(1, "no season is active", "show", "create", "--name", "S", "--tier", "pro", "--fee", "1", "--closes-in", "2h")
	season := x.AddSeason(t)
	var show object
	if stderr := x.json(&show, "show", "create", "--name", "Cup", "--tier", "pro", "--fee", "25", "--closes-in", "2h", "--gates", "3"); stderr != "" {
		t.Errorf("warned %q", stderr)
	}
	want := []string{"entryCount", "entryClosesAt", "entryFee", "id", "judgedAt", "name", "seasonId", "status", "tier"}
	slices.Sort(want)
	if !slices.Equal(keys(show), want) {
		t.Errorf("fields %v", keys(show))
	}
	if show["entryFee"] != 25.0 || show["entryClosesAt"] != "2026-11-20T11:30:00.000Z" || show["seasonId"] != string(season.ID) {
		t.Errorf("created %v", show)
	}
	if stderr := x.json(&show, "show", "create", "--name", "Odd", "--tier", "county", "--fee", "0", "--closes-at", "-90m", "--season", string(season.ID), "--force"); !strings.Contains(stderr, "has no prizes") {
		t.Errorf("warned %q", stderr)
	}
	var list []object
	x.json(&list, "show", "list")
	if len(list) != 2 || list[0]["name"] != "Odd" || list[0]["entryClosesAt"] != "2026-11-20T08:00:00.000Z" {
		t.Errorf("list %v", list)
	}
	if x.json(&list, "show", "list", "--status", "completed"); len(list) != 0 {
		t.Errorf("completed %v", list)
	}
}

func TestShowRefusals(t *testing.T) {
	x := newTool(t)
	x.AddSeason(t)
	base := []string{"show", "create", "--name", "Cup", "--tier", "pro", "--fee", "1"}
	with := func(more ...string) []string { return append(slices.Clone(base), more...) }
	x.refused(2, "either --closes-in or --closes-at", with()...)
	x.refused(2, "either --closes-in or --closes-at", with("--closes-in", "1h", "--closes-at", "+1h")...)
	x.refused(2, "entry fee", with("--closes-in", "1h", "--fee", "-1")...)
	x.refused(2, "invalid argument", with("--closes-in", "1h", "--fee", "1.5")...)
	x.refused(2, "the tier", with("--closes-in", "1h", "--tier", strings.Repeat("t", 65))...)
	x.refused(2, "the name", with("--closes-in", "1h", "--name", strings.Repeat("n", 101))...)
	x.refused(2, "--gates", with("--closes-in", "1h", "--gates", "0")...)
	x.refused(2, "must be a UUID", with("--closes-in", "1h", "--season", "x")...)
	x.refused(1, "no such season", with("--closes-in", "1h", "--season", string(game.NewID()))...)
	x.refused(2, "years 1970 to 9999", with("--closes-at", "0999-01-01T00:00:00Z")...)
	x.refused(2, "--status", "show", "list", "--status", "ended")
	var list []object
	if x.json(&list, "show", "list"); len(list) != 0 {
		t.Errorf("something was written: %v", list)
	}
}

func TestUsers(t *testing.T) {
	x := newTool(t)
	p := x.AddPlayer(t, storetest.Ann)
	var user object
	x.json(&user, "user", "get", strings.ToUpper(p.Email))
	if user["id"] != string(p.ID) || user["goldBalance"] != 500.0 || user["lastLoginAt"] != nil || user["ranch"].(object)["plotCount"] != 4.0 {
		t.Errorf("got %v", user)
	}
	if user["sessionsFrom"] != nil {
		t.Errorf("sessions are revoked: %v", user)
	}
	const justAfter = "2026-11-20T09:30:00.001Z"
	if x.json(&user, "user", "revoke-sessions", p.Email); user["status"] != "active" || user["sessionsFrom"] != justAfter {
		t.Errorf("revoked %v", user)
	}
	if x.json(&user, "user", "ban", p.Email); user["status"] != "banned" || user["sessionsFrom"] != justAfter {
		t.Errorf("banned %v", user)
	}
	if x.json(&user, "user", "unban", string(p.ID)); user["status"] != "active" || user["sessionsFrom"] != justAfter {
		t.Errorf("unbanned %v", user)
	}
	x.json(&user, "user", "create-external", "--email", "Ext@Example.com", "--username", "ext")
	if user["email"] != "ext@example.com" || user["goldBalance"] != 0.0 || user["ranch"] != nil || user["hasPassword"] != false {
		t.Errorf("created %v", user)
	}
	var rows []object
	if x.json(&rows, "ledger", "list", "ext@example.com"); len(rows) != 0 {
		t.Errorf("ledger %v", rows)
	}
	x.refused(1, "already taken", "user", "create-external", "--email", "ext@example.com", "--username", "other")
	x.refused(2, "E-mail must", "user", "create-external", "--email", "nobody", "--username", "other")
	x.refused(1, "no such user", "user", "get", "nobody@example.com")
	for _, command := range []string{"ban", "unban", "revoke-sessions"} {
		x.refused(1, "no such user", "user", command, string(game.NewID()))
	}
	x.refused(1, "no such user", "user", "get", "nobody")
}

func TestAnimals(t *testing.T) {
	x := newTool(t)
	p := x.AddPlayer(t, storetest.Ann)
	animal := string(p.Animals[0].ID)
	var list []object
	x.json(&list, "animal", "list", p.Email)
	want := []string{"born_at", "breed", "condition", "died_at", "genotype", "health", "id", "name", "owner", "phenotype", "ranch", "rarity_tier",
		"sex", "stage", "status"}
	if len(list) != 3 || !slices.Equal(keys(list[0]), want) {
		t.Errorf("list %v", list)
	}
	var got object
	x.json(&got, "animal", "set", animal, "--user", p.Email, "--stage", "calf", "--status", "pregnant", "--condition", "12.5", "--dead", "--drop-phenotype")
	if got["stage"] != "calf" || got["status"] != "pregnant" || got["condition"] != 12.5 || got["died_at"] != "2026-11-20T09:30:00.000Z" || got["phenotype"] != nil {
		t.Errorf("set %v", got)
	}
	if x.json(&got, "animal", "set", animal, "--user", p.Email, "--alive"); got["died_at"] != nil || got["stage"] != "calf" {
		t.Errorf("set %v", got)
	}
	other := x.AddPlayer(t, storetest.Bob)
	x.refused(1, "no such animal", "animal", "set", animal, "--user", other.Email, "--alive")
	x.refused(2, "dead alive", "animal", "set", animal, "--user", p.Email, "--alive", "--dead")
	x.refused(2, "at least one", "animal", "set", animal, "--user", p.Email)
	x.refused(2, "--condition", "animal", "set", animal, "--user", p.Email, "--condition", "100.5")
	x.refused(2, "--stage", "animal", "set", animal, "--user", p.Email, "--stage", "")
	x.refused(2, "must be a UUID", "animal", "set", "Buck", "--user", p.Email, "--alive")
	x.refused(2, "required", "animal", "set", animal, "--alive")
}

func TestLedger(t *testing.T) {
	x := newTool(t)
	x.AddFair(t, storetest.Fee(120))
	p, other := x.Ann, x.AddPlayer(t, storetest.Bob)
	x.MustEnter(t, p, x.Show, 0)
	var rows []object
	x.json(&rows, "ledger", "list", p.Email)
	if len(rows) != 2 || rows[0]["category"] != "starter" || rows[1]["amount"] != -120.0 || rows[1]["balance_after"] != 380.0 || rows[1]["ref_id"] != string(x.Show.ID) {
		t.Errorf("rows %v", rows)
	}
	if _, has := rows[0]["ref_id"]; has {
		t.Errorf("the starter row has a ref_id: %v", rows[0])
	}
	var audits []object
	if x.json(&audits, "ledger", "verify"); len(audits) != 0 {
		t.Errorf("differences %v", audits)
	}
	if stdout, _, exit := x.run("ledger", "verify"); exit != 0 || stdout != "2 of 2 ledgers are right.\n" {
		t.Errorf("exit %d: %s", exit, stdout)
	}
	x.At("USER#"+string(other.ID), "PROFILE").Edit(t, "SET g = :g", map[string]any{":g": 499})
	for _, args := range [][]string{{"ledger", "verify"}, {"ledger", "verify", other.Email}} {
		stdout, stderr, exit := x.run(append(args, "-o", "json")...)
		if exit != 1 || !strings.Contains(stdout, "the balance is 499, the amounts add up to 500") || !strings.Contains(stderr, "1 differences in 1") {
			t.Errorf("%v: exit %d: %s%s", args, exit, stdout, stderr)
		}
	}
	if _, stderr, exit := x.run("ledger", "verify", p.Email); exit != 0 {
		t.Errorf("exit %d: %s", exit, stderr)
	}
}

func TestUsage(t *testing.T) {
	x := newTool(t)
	x.refused(2, "unknown command", "shows")
	x.refused(2, "needs a sub-command", "show")
	x.refused(2, "no sub-command", "show", "delete")
	x.refused(2, "unknown flag", "show", "list", "--stat", "open")
	x.refused(2, "accepts 1 arg", "user", "get")
	x.refused(2, "none of table, json, csv", "season", "list", "-o", "xml")
	x.AddSeason(t)
	for _, args := range [][]string{{"-o", "json", "season", "list"}, {"season", "-o", "json", "list"}, {"season", "list", "-ojson"}} {
		if stdout, stderr, exit := x.run(args...); exit != 0 || !strings.HasPrefix(stdout, "[") {
			t.Errorf("%v: exit %d: %s%s", args, exit, stdout, stderr)
		}
	}
}

func TestNoConnection(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("TABLE_NAME", "")
	var out, errs bytes.Buffer
	if exit := run(t.Context(), []string{"season", "list"}, &out, &errs, time.Now); exit != 1 || !strings.Contains(errs.String(), "make run") {
		t.Errorf("exit %d: %s", exit, errs.String())
	}
	errs.Reset()
	if exit := run(t.Context(), []string{"season", "list", "--endpoint", "http://127.0.0.1:1"}, &out, &errs, time.Now); exit != 1 || !strings.Contains(errs.String(), "127.0.0.1:1") {
		t.Errorf("exit %d: %s", exit, errs.String())
	}
}

// A ranchctl of another version leaves a table alone.
func TestAnotherLayout(t *testing.T) {
	x := newTool(t)
	x.AddSeason(t)
	x.At("LAYOUT", "LAYOUT").Edit(t, "SET n = :n", map[string]any{":n": store.Layout + 1})
	x.Unchanged(t, func() {
		for _, args := range [][]string{{"season", "list"}, {"user", "create-external", "--email", "a@example.com", "--username", "Anna"}} {
			x.refused(1, "another layout", args...)
		}
	})
}
