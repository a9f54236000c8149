package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ranch-game/ranch/localstack/accept/world"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/password"
)

// tokens is the number of refresh tokens in each list. A log-out deletes its token.
const tokens = 40

const secret = "a long password" // of all players

// scene is the data of a run of schemathesis: its player, other players, and shows in every state. write writes the
// lists into files, which schemathesis.toml names.
type scene struct {
	token         string // access token
	externalToken string // of an account without a password
	lists         map[string][]string

	*world.World
	now    game.Instant
	season game.ID
	ids    int // the number of ids that id has returned
}

func layOut(ctx context.Context, w *world.World) (*scene, error) {
	s := &scene{lists: map[string][]string{}, World: w, now: world.Now()}
	season, err := w.NewSeason(ctx, s.id())
	if err != nil {
		return nil, err
	}
	s.season = season.ID
	hash := password.Hash(secret)
	caller, err := s.player(ctx, "caller", hash)
	if err != nil {
		return nil, err
	}
	return s, errors.Join(s.addPlayers(ctx, caller, hash), s.addAnimals(ctx, caller), s.addShows(ctx, caller))
}

// id returns the next id of the scene. The ids are the same in each run, so that the requests are the same, too.
func (s *scene) id() game.ID {
	s.ids++
	return game.ID(fmt.Sprintf("%08x-0000-4000-8000-000000000000", s.ids))
}

func (s *scene) add(list string, values ...string) { s.lists[list] = append(s.lists[list], values...) }

// player registers a player as the endpoint does, with twelve animals.
func (s *scene) player(ctx context.Context, name, hash string) (world.Player, error) {
	p := world.NewPlayer(name, s.now)
	p.ID, p.Ranch.ID, p.Animals = s.id(), s.id(), nil
	for i := range 4 {
		p.Animals = append(p.Animals, game.Starters(rand.New(rand.NewPCG(uint64(i), 0)), p.ID, p.Ranch.ID, s.now)...)
	}
	for i := range p.Animals {
		p.Animals[i].ID = s.id()
	}
	return s.Register(ctx, p, hash)
}

// addPlayers creates a player for every outcome of log-ins and tokens, and issues the refresh tokens for the requests. The
// requests change the caller's address and password, so they log in as a friend.
func (s *scene) addPlayers(ctx context.Context, caller world.Player, hash string) (err error) {
	if s.token, err = s.Keys.IssueAccess(caller.User, s.now); err != nil {
		return err
	}
	friend, err := s.player(ctx, "friend", hash)
	if err != nil {
		return err
	}
	banned, err := s.player(ctx, "banned", hash)
	if err != nil {
		return err
	}
	external := game.NewExternalAccount("external@example.com", "external", s.now)
	if err := s.Operator().CreateExternalAccount(ctx, external); err != nil {
		return err
	}
	if s.externalToken, err = s.Keys.IssueAccess(external.User, s.now); err != nil {
		return err
	}
	s.add("passwords", secret)
	s.add("addresses", friend.Email, banned.Email, external.Email)
	for i := range tokens {
		list := []string{"refresh-tokens", "logout-tokens"}[i%2]
		for _, user := range []game.Account{friend.Account, banned.Account} {
			text, record, err := s.Keys.IssueRefresh(user.ID, s.now)
			if err != nil {
				return err
			}
			if _, err := s.Store.RecordLogin(ctx, user, record, game.Rehash{}, s.now); err != nil {
				return err
			}
			s.add(list, text)
		}
	}
	return s.Operator().Ban(ctx, banned.ID)
}

// addAnimals lists the caller's animals and an unknown id. It makes one animal dead, one a calf and one pregnant.
func (s *scene) addAnimals(ctx context.Context, caller world.Player) error {
	for _, a := range caller.Animals {
		s.add("animals", string(a.ID))
	}
	s.add("animals", string(s.id()))
	calf, pregnant := "calf", "pregnant"
	for i, change := range []operate.AnimalChange{{DiedAt: &s.now}, {Stage: &calf}, {Status: &pregnant}} {
		if err := s.Operator().ChangeAnimal(ctx, caller.ID, caller.Animals[len(caller.Animals)-1-i].ID, change); err != nil {
			return err
		}
	}
	return nil
}

// addShows creates shows that requests can enter, judge or claim from, and a cancelled show.
func (s *scene) addShows(ctx context.Context, caller world.Player) error {
	tiers := []string{game.TierRookie, game.TierPro, game.TierElite, "exhibition"}
	show := func(list string, i int, fee int64, entries int) (game.ID, error) {
		show, err := s.NewShow(ctx, game.Show{
			ID: s.id(), Name: fmt.Sprintf("Show %d of %s", i, list), Tier: tiers[i%len(tiers)], EntryFee: fee, SeasonID: s.season,
		}, 1)
		for _, a := range caller.Animals[:entries] {
			if err == nil {
				_, _, err = s.Store.Enter(ctx, caller.ID, show.ID, a.ID, s.now)
			}
		}
		s.add(list, string(show.ID))
		s.add("all-shows", string(show.ID))
		return show.ID, err
	}
	free, untouched := []int64{0}, func(game.ID) error { return nil }
	for _, of := range []struct {
		list    string
		n       int // of shows; many, because a show can be judged, and a prize claimed, only once
		fees    []int64
		entries []int
		finish  func(show game.ID) error
	}{
		{"open-shows", 12, []int64{0, 0, 20, 10_000}, []int{0}, untouched},
		{"judgeable-shows", 60, free, []int{0, 1, 2, 3, 4}, untouched},
		{"completed-shows", 20, free, []int{0, 1, 2, 3, 4}, func(show game.ID) error { _, err := s.Operator().JudgeShow(ctx, show); return err }},
		{"cancelled-shows", 1, free, []int{2}, func(show game.ID) error { return s.Operator().CancelShow(ctx, show) }},
	} {
		for i := range of.n {
			id, err := show(of.list, i, of.fees[i%len(of.fees)], of.entries[i%len(of.entries)])
			if err == nil {
				err = of.finish(id)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// changeExternal changes the account without a password, and deletes it. schemathesis has one access token, and would
// use a deleted player's from then on.
func (s *scene) changeExternal(ctx context.Context) error {
	for _, call := range [][]string{
		{http.MethodPut, "/me/password", `{"currentPassword": "", "newPassword": "a long password"}`},
		{http.MethodPut, "/me/email", `{"email": "another@example.com", "password": ""}`},
		{http.MethodDelete, "/me", ""},
	} {
		request, err := http.NewRequestWithContext(ctx, call[0], s.API+call[1], strings.NewReader(call[2]))
		if err != nil {
			return err
		}
		request.Header.Set("Authorization", "Bearer "+s.externalToken)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return err
		}
		if err := response.Body.Close(); err != nil {
			return err
		}
	}
	return nil
}

// write writes each list into its own file in dir, with one quoted value in each line.
func (s *scene) write(dir string) error {
	for name, values := range s.lists {
		var b strings.Builder
		for _, v := range values {
			b.WriteString(strconv.Quote(v) + "\n")
		}
		if err := os.WriteFile(filepath.Join(dir, name+".txt"), []byte(b.String()), 0o600); err != nil {
			return err
		}
	}
	return nil
}
