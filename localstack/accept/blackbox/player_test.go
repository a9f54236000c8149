package blackbox

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"sync"
	"testing"

	"github.com/ranch-game/ranch/localstack/kit/racetest"
	"github.com/ranch-game/ranch/shared/client"
)

// player is a registered user.
type player struct {
	api                                  string // of the stack that it plays with; "" is the suite's
	id, email, username, password, ranch string
	token, refresh                       string
	buck, bessie, millie                 string // animals
}

func (p *player) form() object {
	return object{"email": p.email, "username": p.username, "password": p.password, "ranchName": p.ranch}
}

// with returns the form with some fields changed; nil stands for null.
func (p *player) with(changes object) object {
	form := p.form()
	maps.Copy(form, changes)
	return form
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

// newPlayers registers players at the same time.
func newPlayers(t testing.TB, n int) []*player {
	t.Helper()
	players := make([]*player, n)
	racetest.AtOnce(n, func(i int) {
		players[i] = candidate()
		if err := players[i].register(t.Context()); err != nil {
			t.Error(err)
		}
	})
	if t.Failed() {
		t.FailNow()
	}
	return players
}

// newExternal is a user that an external sign-in has made: without a password, a ranch, animals and tokens.
func newExternal(t testing.TB) *player {
	t.Helper()
	p := candidate()
	p.id = set(t, "user", "create-external", "--email", p.email, "--username", p.username)["id"].(string)
	return p
}

func (p *player) register(ctx context.Context) error {
	var registered struct {
		client.Tokens
		User client.User
	}
	if err := try(ctx, p.registering()).read(201, &registered); err != nil {
		return err
	}
	p.id, p.token, p.refresh = registered.User.ID, registered.Token, registered.RefreshToken
	answer := try(ctx, p.reading("/animals"))
	var animals []client.Animal
	if err := answer.read(200, &animals); err != nil {
		return err
	}
	fields := map[string]*string{"Buck": &p.buck, "Bessie": &p.bessie, "Millie": &p.millie}
	for _, animal := range animals {
		if field := fields[animal.Name]; field != nil {
			*field = animal.ID
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

func (p *player) reading(path string) request {
	return request{api: p.api, method: "GET", path: path, token: p.token}
}

func (p *player) posting(path string, body any) request {
	return request{api: p.api, method: "POST", path: path, token: p.token, body: body}
}

func (p *player) registering() request { return p.anonymous().posting("/auth/register", p.form()) }

func (p *player) loggingIn() request {
	return p.anonymous().posting("/auth/login", object{"email": p.email, "password": p.password})
}

func (p *player) refreshing() request {
	return p.anonymous().posting("/auth/refresh", object{"refreshToken": p.refresh})
}

// anonymous is nobody yet, at the player's stack.
func (p *player) anonymous() *player { return &player{api: p.api} }

func (p *player) entering(show, animal string) request {
	return p.posting("/events/shows/"+show+"/enter", object{"animalId": animal})
}

func (p *player) judging(show string) request { return p.posting("/events/shows/"+show+"/judge", nil) }

func (p *player) claiming(show string) request {
	return p.posting(contracted.ByID("claimReward").At(show), nil)
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
	return send(t, p.loggingIn())
}

// account logs in and returns the user as it is then.
func (p *player) account(t testing.TB) object {
	t.Helper()
	return p.login(t).object(t, 200)["user"].(object)
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
