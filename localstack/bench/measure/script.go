package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/ranch-game/ranch/localstack/accept/world"
	"github.com/ranch-game/ranch/shared/client"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/password"
	"github.com/ranch-game/ranch/shared/records"
)

const (
	openShows = 50 // in the list of shows; players enter, judge and claim the first of them
	fee       = 10
	secret    = "correct horse battery staple"
)

// amounts has the numbers of players, shows and calls of the script.
type amounts struct {
	players  int // players in each show
	shows    int // shows that each player enters: at most openShows, and with fees of at most 500 gold in all
	repeated int // the number of calls in a scene whose calls can be repeated
}

// script calls the functions as players do, from registering to logging out. Every call must succeed. Each scene calls
// one function repeatedly, and prepares the data of the next scene.
type script struct {
	amounts
	*world.World
	observe func(scene, program string, n int, call func(i int) error) error

	players []world.Player
	shows   []game.ID
}

// scene has calls of one function. request returns the i-th call.
type scene struct {
	name, program string
	calls         int
	request       func(i int) client.Request
}

// play plays all scenes.
func (s *script) play(ctx context.Context) error {
	if err := s.seed(ctx); err != nil {
		return err
	}
	transport := client.Transport{API: s.API}
	for _, one := range s.scenes() {
		if err := s.Fold(ctx); err != nil { // as a scheduled function does
			return err
		}
		if err := s.observe(one.name, one.program, one.calls, func(i int) error {
			answer, err := transport.Send(ctx, one.request(i))
			if err == nil && answer.Status/100 != 2 {
				err = fmt.Errorf("the status is %d: %s", answer.Status, answer.Body)
			}
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// seed creates a season, its open shows and the players, as operators and registrations do.
func (s *script) seed(ctx context.Context) error {
	season, err := s.NewSeason(ctx, game.NewID())
	for i := 0; err == nil && i < openShows; i++ {
		show := game.Show{Name: fmt.Sprintf("County Fair %d", i+1), Tier: game.TierRookie, EntryFee: fee, SeasonID: season.ID}
		show, err = s.NewShow(ctx, show, records.DefaultGates)
		s.shows = append(s.shows, show.ID)
	}
	hash := password.Hash(secret)
	for i := 0; err == nil && i < s.amounts.players; i++ {
		var p world.Player
		p, err = s.Register(ctx, world.NewPlayer(world.NewName(), world.Now()), hash)
		s.players = append(s.players, p)
	}
	return err
}

func (s *script) scenes() []scene {
	registration := func(i int) client.Registration {
		name := fmt.Sprintf("rider%05d", i)
		return client.Registration{Email: name + "@example.com", Username: name, Password: secret, RanchName: "Ranch of " + name}
	}
	inEach := func(change string) func(i int) client.Request { // the players in the first show, then in the next
		return func(i int) client.Request {
			return post(s.players[i%len(s.players)], s.shows[i/len(s.players)], change)
		}
	}
	first := "/events/shows/" + string(s.shows[0])
	return []scene{
		{"register", "register", len(s.players), func(i int) client.Request {
			return client.Request{Method: http.MethodPost, Path: "/auth/register", Body: registration(i)}
		}},
		{"login", "login", len(s.players), func(i int) client.Request {
			body := map[string]string{"email": registration(i).Email, "password": secret}
			return client.Request{Method: http.MethodPost, Path: "/auth/login", Body: body}
		}},
		{"refresh", "refresh", s.repeated, s.ofToken("refresh")},
		{"me", "getme", s.repeated, s.read("/me")},
		{"animals", "listanimals", s.repeated, s.read("/animals")},
		{"list (50 open)", "listshows", s.repeated / 2, s.read("/events/shows?tier=rookie")},
		{"enter (fee)", "entershow", len(s.players) * s.amounts.shows, inEach("enter")},
		{fmt.Sprintf("show (%d entries)", len(s.players)), "getshow", s.repeated / 2, s.read(first)},
		{"page of 50 entries", "listshowentries", s.repeated / 2, s.read(first + "/entries")},
		{fmt.Sprintf("judge (%d entries)", len(s.players)), "judgeshow", s.amounts.shows, func(i int) client.Request {
			return post(s.players[0], s.shows[i], "judge")
		}},
		{"claim", "claimreward", min(s.repeated, len(s.players)*s.amounts.shows), inEach("claim-reward")},
		{fmt.Sprintf("own entries (%d)", s.amounts.shows), "listownentries", s.repeated / 2, s.read("/me/entries")},
		{fmt.Sprintf("season (%d shows)", s.amounts.shows), "getseason", s.repeated / 2, s.read("/events/season")},
		{"seasons (1)", "listseasons", s.repeated, s.read("/events/seasons")},
		{fmt.Sprintf("standings (%d players)", len(s.players)), "getstandings", s.repeated / 2, s.read("/events/season/standings")},
		{"password", "changepassword", len(s.players), s.ofAccount(http.MethodPut, "/me/password", func(int) any {
			return map[string]string{game.FieldCurrentPassword: secret, game.FieldNewPassword: secret}
		})},
		{"e-mail address", "changeemail", len(s.players), s.ofAccount(http.MethodPut, "/me/email", func(i int) any {
			return map[string]string{game.FieldEmail: fmt.Sprintf("moved%05d@example.com", i), game.FieldPassword: secret}
		})},
		{"logout", "logout", len(s.players), s.ofToken("logout")},
		{fmt.Sprintf("deletion (%d entries)", s.amounts.shows), "deleteaccount", len(s.players), s.ofAccount(http.MethodDelete, "/me", func(int) any {
			return map[string]string{game.FieldPassword: secret}
		})},
	}
}

// read returns requests that read the path, as one player after the other.
func (s *script) read(path string) func(i int) client.Request {
	return func(i int) client.Request {
		return client.Request{Method: http.MethodGet, Path: path, Token: s.players[i%len(s.players)].Access}
	}
}

// ofToken returns calls of /auth/refresh or /auth/logout.
func (s *script) ofToken(name string) func(i int) client.Request {
	return func(i int) client.Request {
		body := map[string]string{"refreshToken": s.players[i%len(s.players)].Refresh}
		return client.Request{Method: http.MethodPost, Path: "/auth/" + name, Body: body}
	}
}

// ofAccount returns changes of the players' own accounts, one by each player.
func (s *script) ofAccount(method, path string, body func(i int) any) func(i int) client.Request {
	return func(i int) client.Request {
		return client.Request{Method: method, Path: path, Token: s.players[i].Access, Body: body(i)}
	}
}

// post returns a change of a show. If it is an entry, the player's first animal enters.
func post(p world.Player, show game.ID, change string) client.Request {
	path := "/events/shows/" + string(show) + "/" + change
	body := map[string]game.ID{"animalId": p.Animals[0].ID}
	return client.Request{Method: http.MethodPost, Path: path, Token: p.Access, Body: body}
}
