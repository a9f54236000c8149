package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/shared/boot"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/password"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/token"
)

// How much there is of what is used up: shows are judged once, prizes claimed once, tokens deleted once.
const (
	openShows      = 12
	judgeableShows = 60
	completedShows = 20
	tokens         = 40
)

const secret = "a long password" // of all players

// scene is what schemathesis finds: a player whom it is, others, and shows in every state. The lists go into files, by
// which schemathesis.toml calls them.
type scene struct {
	token string // access token
	lists map[string][]string

	store  *store.Store
	keys   *token.Keys
	now    game.Instant
	season game.ID
	ids    int // that there are
}

func layOut(ctx context.Context, e *engine.Engine) (*scene, error) {
	keys, err := boot.DevelopmentKeys()
	if err != nil {
		return nil, err
	}
	s := &scene{
		lists: map[string][]string{}, keys: keys, now: game.InstantOf(time.Now()),
		store: store.New(dynamodb.New(e.Client().Options(), store.ClientOptions), stack.TableName, time.Now),
	}
	season := game.Season{ID: s.id(), Name: "Contract", StartDate: s.now.Add(-time.Hour), EndDate: s.now.Add(24 * time.Hour), IsActive: true}
	if err := s.operator().CreateSeason(ctx, season); err != nil {
		return nil, err
	}
	s.season = season.ID
	hash := password.Hash(secret)
	caller, animals, err := s.player(ctx, "caller", hash)
	if err != nil {
		return nil, err
	}
	return s, errors.Join(s.addPlayers(ctx, caller, hash), s.addAnimals(ctx, caller, animals), s.addShows(ctx, caller, animals))
}

func (s *scene) operator() store.Operator {
	return s.store.Operator(store.NewChange("schemathesis", "", s.now))
}

// id returns the next id: the same in each run, so that the questions are.
func (s *scene) id() game.ID {
	s.ids++
	return game.ID(fmt.Sprintf("%08x-0000-4000-8000-000000000000", s.ids))
}

func (s *scene) add(list string, values ...string) { s.lists[list] = append(s.lists[list], values...) }

// player registers somebody as the endpoint does, with twelve animals.
func (s *scene) player(ctx context.Context, name, hash string) (game.Account, []game.Animal, error) {
	account := game.NewAccount(game.Registration{Email: name + "@example.com", Username: name, RanchName: "Ranch of " + name}, hash, s.now)
	account.ID, account.Ranch.ID = s.id(), s.id()
	session, err := s.keys.IssueSession(account.User, s.now)
	if err != nil {
		return account, nil, err
	}
	var animals []game.Animal
	for i := range 4 {
		animals = append(animals, game.Starters(rand.New(rand.NewPCG(uint64(i), 0)), account.ID, account.Ranch.ID, s.now)...)
	}
	for i := range animals {
		animals[i].ID = s.id()
	}
	return account, animals, s.store.CreateAccount(ctx, account, animals, game.StarterEntry(account.ID, s.now), session.Record)
}

// addPlayers makes everybody whom a log-in or a token can meet, and tokens.
func (s *scene) addPlayers(ctx context.Context, caller game.Account, hash string) (err error) {
	if s.token, err = s.keys.IssueAccess(caller.User, s.now); err != nil {
		return err
	}
	banned, _, err := s.player(ctx, "banned", hash)
	if err != nil {
		return err
	}
	external := game.NewExternalAccount("external@example.com", "external", s.now)
	if err := s.operator().CreateExternalAccount(ctx, external); err != nil {
		return err
	}
	s.add("passwords", secret)
	s.add("addresses", caller.Email, banned.Email, external.Email)
	for i := range tokens {
		list := []string{"refresh-tokens", "logout-tokens"}[i%2]
		for _, user := range []game.Account{caller, banned} {
			text, record, err := s.keys.IssueRefresh(user.ID, s.now)
			if err != nil {
				return err
			}
			if err := s.store.RecordLogin(ctx, user, record, game.Rehash{}, s.now); err != nil {
				return err
			}
			s.add(list, text)
		}
	}
	return s.operator().Ban(ctx, banned.ID)
}

// addAnimals makes one animal dead, one a calf and one pregnant; one id is nobody's.
func (s *scene) addAnimals(ctx context.Context, caller game.Account, animals []game.Animal) error {
	for _, a := range animals {
		s.add("animals", string(a.ID))
	}
	s.add("animals", string(s.id()))
	calf, pregnant := "calf", "pregnant"
	for i, change := range []store.AnimalChange{{DiedAt: &s.now}, {Stage: &calf}, {Status: &pregnant}} {
		if err := s.operator().ChangeAnimal(ctx, caller.ID, animals[len(animals)-1-i].ID, change); err != nil {
			return err
		}
	}
	return nil
}

// addShows makes shows to enter, to judge, to claim a prize of, and one that is cancelled.
func (s *scene) addShows(ctx context.Context, caller game.Account, animals []game.Animal) error {
	tiers := []string{game.TierRookie, game.TierPro, game.TierElite, "exhibition"}
	show := func(list string, i int, fee int64, entries int) (game.ID, error) {
		show := game.Show{
			ID: s.id(), Name: fmt.Sprintf("Show %d of %s", i, list), Tier: tiers[i%len(tiers)], EntryFee: fee,
			EntryClosesAt: s.now.Add(time.Hour), Status: game.ShowOpen, SeasonID: s.season,
		}
		if err := s.operator().CreateShow(ctx, show, 1); err != nil {
			return "", err
		}
		for _, a := range animals[:entries] {
			if _, _, err := s.store.Enter(ctx, caller.ID, show.ID, a.ID, s.now); err != nil {
				return "", err
			}
		}
		s.add(list, string(show.ID))
		s.add("all-shows", string(show.ID))
		return show.ID, nil
	}
	for i := range openShows {
		fee := []int64{0, 0, 20, 10_000}[i%4]
		if _, err := show("open-shows", i, fee, 0); err != nil {
			return err
		}
	}
	for i := range judgeableShows {
		if _, err := show("judgeable-shows", i, 0, i%5); err != nil {
			return err
		}
	}
	for i := range completedShows {
		id, err := show("completed-shows", i, 0, i%5)
		if err != nil {
			return err
		}
		if _, err := s.operator().JudgeShow(ctx, id); err != nil {
			return err
		}
	}
	cancelled, err := show("cancelled-shows", 0, 0, 2)
	if err != nil {
		return err
	}
	return s.operator().CancelShow(ctx, cancelled)
}

// write writes each list into a file of its own, a quoted value in each line.
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
