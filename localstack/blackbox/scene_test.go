package blackbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
)

func newID() string { return uuid.NewString() }

// unique returns a name that nobody else has, of 16 letters and digits.
func unique() string { return "bb" + strings.ReplaceAll(newID(), "-", "")[:14] }

// operate runs the operators' tool on the suite's table.
func operate(args ...string) (stdout, stderr string, exit int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, suite.programs.ranchctl, append(slices.Clone(suite.table), args...)...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		return out.String(), errs.String(), failed.ExitCode(), nil
	}
	return out.String(), errs.String(), 0, err
}

// ranchctl runs a command that must succeed, and decodes what it prints.
func ranchctl(into any, args ...string) error {
	stdout, stderr, exit, err := operate(append(args, "-o", "json")...)
	if err == nil && exit != 0 {
		err = fmt.Errorf("exit code %d", exit)
	}
	if err != nil {
		return fmt.Errorf("ranchctl %q: %w: %s", args, err, stderr)
	}
	d := json.NewDecoder(strings.NewReader(stdout))
	d.UseNumber()
	return d.Decode(into)
}

func set(t testing.TB, args ...string) object {
	t.Helper()
	var o object
	if err := ranchctl(&o, args...); err != nil {
		t.Fatal(err)
	}
	return o
}

func setList(t testing.TB, args ...string) []object {
	t.Helper()
	var l []object
	if err := ranchctl(&l, args...); err != nil {
		t.Fatal(err)
	}
	return l
}

// player is a registered user.
type player struct {
	id, email, username, password, ranch string
	token, refresh                       string
	buck, bessie, millie                 string // animals
}

func (p *player) form() object {
	return object{"email": p.email, "username": p.username, "password": p.password, "ranchName": p.ranch}
}

// candidate is a player that has not registered.
func candidate() *player {
	name := unique()
	return &player{email: name + "@example.com", username: name, password: "pass-" + name, ranch: "Ranch of " + name}
}

func newPlayer(t testing.TB) *player {
	t.Helper()
	p := candidate()
	if err := p.register(t.Context()); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *player) register(ctx context.Context) error {
	answer := try(ctx, request{method: "POST", path: "/auth/register", body: p.form()})
	var session struct {
		Token, RefreshToken string
		User                struct{ ID string }
	}
	if err := json.Unmarshal(answer.body, &session); answer.status != 201 || err != nil {
		return fmt.Errorf("%s: no registration", answer)
	}
	p.id, p.token, p.refresh = session.User.ID, session.Token, session.RefreshToken
	answer = try(ctx, request{method: "GET", path: "/animals", token: p.token})
	var animals []struct{ ID, Name string }
	if err := json.Unmarshal(answer.body, &animals); err != nil {
		return fmt.Errorf("%s: %w", answer, err)
	}
	for _, animal := range animals {
		switch animal.Name {
		case "Buck":
			p.buck = animal.ID
		case "Bessie":
			p.bessie = animal.ID
		case "Millie":
			p.millie = animal.ID
		}
	}
	if p.buck == "" || p.bessie == "" || p.millie == "" {
		return fmt.Errorf("%s: not the three animals", answer)
	}
	return nil
}

// reader is a player that no test changes.
func reader(t testing.TB) *player {
	t.Helper()
	p, err := sharedReader()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var sharedReader = sync.OnceValues(func() (*player, error) {
	p := candidate()
	return p, p.register(context.Background())
})

func (p *player) animals() []string { return []string{p.buck, p.bessie, p.millie} }

func (p *player) entering(show, animal string) request {
	return request{method: "POST", path: "/events/shows/" + show + "/enter", token: p.token, body: object{"animalId": animal}}
}

func (p *player) judging(show string) request {
	return request{method: "POST", path: "/events/shows/" + show + "/judge", token: p.token}
}

func (p *player) claiming(show string) request {
	return request{method: "POST", path: "/events/shows/" + show + "/claim-reward", token: p.token}
}

func (p *player) enter(t testing.TB, show, animal string) reply {
	t.Helper()
	return send(t, p.entering(show, animal))
}

func (p *player) judge(t testing.TB, show string) reply {
	t.Helper()
	return send(t, p.judging(show))
}

func (p *player) claim(t testing.TB, show string) reply {
	t.Helper()
	return send(t, p.claiming(show))
}

// entered enters an animal, which must succeed.
func (p *player) entered(t testing.TB, show string, animals ...string) {
	t.Helper()
	for _, animal := range animals {
		p.enter(t, show, animal).object(t, 201)
	}
}

func (p *player) login(t testing.TB) reply {
	t.Helper()
	return post(t, "", "/auth/login", object{"email": p.email, "password": p.password})
}

// audit returns the balance and the number of ledger rows, which must lead to it.
func (p *player) audit(t testing.TB) (gold, rows int64) {
	t.Helper()
	audits := setList(t, "ledger", "verify", p.id)
	if len(audits) != 1 || len(audits[0]["differences"].(list)) != 0 {
		t.Fatalf("the ledger of %s: %v", p.username, audits)
	}
	gold, err := audits[0]["balance"].(json.Number).Int64()
	rows, err2 := audits[0]["rows"].(json.Number).Int64()
	if err != nil || err2 != nil {
		t.Fatal(audits)
	}
	return gold, rows
}

// has checks the balance, and that the ledger leads to it.
func (p *player) has(t testing.TB, gold int64) {
	t.Helper()
	if got, _ := p.audit(t); got != gold {
		t.Errorf("%s has %d gold, not %d", p.username, got, gold)
	}
}

func (p *player) ledger(t testing.TB) []object {
	t.Helper()
	return setList(t, "ledger", "list", p.id)
}

func (p *player) ban(t testing.TB) { t.Helper(); set(t, "user", "ban", p.id) }

func (p *player) unban(t testing.TB) { t.Helper(); set(t, "user", "unban", p.id) }

// change changes one of the player's animals.
func (p *player) change(t testing.TB, animal string, flags ...string) {
	t.Helper()
	set(t, append([]string{"animal", "set", animal, "--user", p.id}, flags...)...)
}

// scene says what show to make; what is left out is a free show for one gate that closes in two hours, in the suite's season and in a tier of its own.
type scene struct {
	name, tier, closesIn, closesAt, season string
	fee, gates                             int
}

// exhibit is a show that was made.
type exhibit struct {
	id, name, tier, closesAt, season string
	fee                              int
}

func newShow(t testing.TB, s scene) exhibit {
	t.Helper()
	made, err := createShow(s)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func createShow(s scene) (exhibit, error) {
	if s.name == "" {
		s.name = "Show " + unique()
	}
	if s.tier == "" {
		s.tier = unique()
	}
	if s.season == "" {
		s.season = suite.season["id"].(string)
	}
	args := []string{"show", "create", "--name", s.name, "--tier", s.tier, "--season", s.season, "--fee", strconv.Itoa(s.fee),
		"--gates", strconv.Itoa(max(s.gates, 1))}
	switch {
	case s.closesAt != "":
		args = append(args, "--closes-at", s.closesAt)
	case s.closesIn != "":
		args = append(args, "--closes-in", s.closesIn)
	default:
		args = append(args, "--closes-in", "2h")
	}
	var o object
	if err := ranchctl(&o, args...); err != nil {
		return exhibit{}, err
	}
	return exhibit{o["id"].(string), s.name, s.tier, o["entryClosesAt"].(string), s.season, s.fee}, nil
}

// entries returns the entries of a show as the API shows them.
func entries(t testing.TB, show string) []object {
	t.Helper()
	all := []object{}
	for _, entry := range get(t, reader(t).token, "/events/shows/"+show).object(t, 200)["entries"].(list) {
		all = append(all, entry.(object))
	}
	return all
}

// entryCount returns what the list says of the one show of a tier, whatever its status.
func entryCount(t testing.TB, tier string) any {
	t.Helper()
	shows := get(t, reader(t).token, "/events/shows?status=&tier="+tier).list(t)
	if len(shows) != 1 {
		t.Fatalf("%d shows of the tier %s", len(shows), tier)
	}
	return shows[0]["entryCount"]
}
