package blackbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/accept/world"
	"github.com/ranch-game/ranch/shared/client"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
)

// unique returns an unused name of 16 letters and digits.
func unique() string { return "bb" + strings.ReplaceAll(string(game.NewID()), "-", "")[:14] }

func newID() string { return string(game.NewID()) }

// exhibit is a created show.
type exhibit struct {
	id string
	game.Show
}

// newShow creates a show with one gate (counter of entries) in the suite's season, and fills in a missing name or tier.
func newShow(t testing.TB, show game.Show) exhibit {
	t.Helper()
	show.Name, show.Tier, show.SeasonID = cmp.Or(show.Name, "Show "+unique()), cmp.Or(show.Tier, unique()), suite.season.ID
	made, err := suite.NewShow(t.Context(), show, 1)
	require.NoError(t, err)
	return exhibit{string(made.ID), made}
}

// entries returns the entries of a show from the API.
func entries(t testing.TB, show string) (all []object) {
	t.Helper()
	for _, entry := range reader(t).get(t, "/events/shows/"+show).object(t, 200)["entries"].(list) {
		all = append(all, entry.(object))
	}
	return all
}

// player is a registered user.
type player struct {
	api                                  string // of the world in which the player plays; "" is the suite's
	id, email, username, password, ranch string
	token, refresh                       string
	animals                              []string // Buck, Bessie and Millie
}

// candidate is a player who has not registered.
func candidate() *player {
	name := unique()
	return &player{email: name + "@example.com", username: name, password: "pass-" + name, ranch: "Ranch of " + name}
}

// newPlayer registers a player with the suite's service, or with another service if one is given.
func newPlayer(t testing.TB, elsewhere ...*world.World) *player {
	t.Helper()
	p := candidate()
	for _, w := range elsewhere {
		p.api = w.API
	}
	require.NoError(t, p.register(t.Context()))
	return p
}

// reader returns a player of the suite whom all tests share, and whom no test may change.
func reader(t testing.TB) *player {
	t.Helper()
	p, err := sharedReader()
	require.NoError(t, err)
	return p
}

var sharedReader = sync.OnceValues(func() (*player, error) {
	p := candidate()
	return p, p.register(context.Background())
})

// newPlayers registers players at the same time.
func newPlayers(t testing.TB, n int) []*player {
	t.Helper()
	players, errs := make([]*player, n), make([]error, n)
	atOnce(n, func(i int) {
		players[i] = candidate()
		errs[i] = players[i].register(t.Context())
	})
	require.NoError(t, errors.Join(errs...))
	return players
}

func (p *player) register(ctx context.Context) error {
	var registered struct {
		client.Tokens
		User client.Account
	}
	if err := try(ctx, p.anonymously("/auth/register", p.form())).read(201, &registered); err != nil {
		return err
	}
	p.id, p.token, p.refresh = registered.User.ID, registered.Token, registered.RefreshToken
	var animals []client.Animal
	if err := try(ctx, p.reading("/animals")).read(200, &animals); err != nil {
		return err
	}
	ids := map[string]string{}
	for _, animal := range animals {
		ids[animal.Name] = animal.ID
	}
	p.animals = []string{ids["Buck"], ids["Bessie"], ids["Millie"]}
	if len(animals) != 3 || len(ids) != 3 || p.animals[0] == "" || p.animals[1] == "" || p.animals[2] == "" {
		return fmt.Errorf("%s: not the three animals: %v", p.username, animals)
	}
	return nil
}

func (p *player) form() object {
	return object{"email": p.email, "username": p.username, "password": p.password, "ranchName": p.ranch}
}

func (p *player) reading(path string) request {
	return request{api: p.api, method: "GET", path: path, token: p.token}
}

func (p *player) posting(path string, body any) request {
	return request{api: p.api, method: "POST", path: path, token: p.token, body: body}
}

// anonymously is a POST without a log-in.
func (p *player) anonymously(path string, body any) request {
	return request{api: p.api, method: "POST", path: path, body: body}
}

func (p *player) loggingIn() request {
	return p.anonymously("/auth/login", object{"email": p.email, "password": p.password})
}

func (p *player) refreshing(token any) request {
	return p.anonymously("/auth/refresh", object{"refreshToken": token})
}

func (p *player) entering(show, animal string) request {
	return p.posting(suite.ByID("enterShow").At(show), object{"animalId": animal})
}

func (p *player) judging(show string) request {
	return p.posting(suite.ByID("judgeShow").At(show), nil)
}

func (p *player) claiming(show string) request {
	return p.posting(suite.ByID("claimReward").At(show), nil)
}

func (p *player) get(t testing.TB, path string) reply { t.Helper(); return send(t, p.reading(path)) }

// renew sends a refresh token, and returns the response.
func (p *player) renew(t testing.TB, token any) reply {
	t.Helper()
	return send(t, p.refreshing(token))
}

// enters enters animals in a show. Each entry must succeed.
func (p *player) enters(t testing.TB, show string, animals ...string) {
	t.Helper()
	for _, animal := range animals {
		send(t, p.entering(show, animal)).object(t, 201)
	}
}

// judges judges a show as the player. The call must succeed and rank the given number of entries.
func (p *player) judges(t testing.TB, show string, ranked int) {
	t.Helper()
	send(t, p.judging(show)).is(t, 200, object{"success": true, "message": fmt.Sprintf("Show judged. %d entries.", ranked)})
}

// claims claims the player's prize. The response must have this rank and this amount of gold.
func (p *player) claims(t testing.TB, show string, rank, gold int) {
	t.Helper()
	send(t, p.claiming(show)).is(t, 200, object{"success": true, "rank": rank, "goldReward": gold})
}

// has checks that the player's balance is gold, and that the sum of the ledger is the same.
func (p *player) has(t testing.TB, gold int64) {
	t.Helper()
	got, err := suite.Gold(t.Context(), game.ID(p.id))
	assert.True(t, err == nil && got == gold, "%s has %d gold, not %d: %v", p.username, got, gold, err)
}

// operated changes the player as an operator.
func (p *player) operated(t testing.TB, change func(operate.Operator, context.Context, game.ID) error) {
	t.Helper()
	require.NoError(t, change(suite.Operator(), t.Context(), game.ID(p.id)))
}
