package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/ranch-game/ranch/localstack/accept/world"
	"github.com/ranch-game/ranch/shared/client"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

const (
	openShows = 50 // in the list of shows; players enter, judge and claim the first of them
	fee       = 10
	password  = "correct horse battery staple"
)

// amounts has the numbers of players, shows and calls of the script.
type amounts struct {
	players  int // players in each show
	shows    int // shows that each player enters: at most openShows, and with fees of at most 500 gold in all
	repeated int // the number of calls in a scene whose calls can be repeated
}

// script plays with the functions as players do, from registering to logging out. Every call must succeed, with a
// response of the usual size. Each scene calls one function repeatedly, and prepares the data of the next scene.
type script struct {
	amounts
	*world.World
	observe func(scene, program string, n int, call func(i int) error) error

	riders []rider
	shows  []string // their ids
}

// rider is a player with a client and the animal that the player enters in shows.
type rider struct {
	*client.Client
	registration client.Registration
	animal       string
}

// play plays all scenes.
func (s *script) play(ctx context.Context) error {
	if err := s.seed(ctx); err != nil {
		return err
	}
	s.riders = make([]rider, s.players+s.players/10) // the first calls of a scene are not measured
	for i := range s.riders {
		name := fmt.Sprintf("rider%05d", i)
		s.riders[i].Client = client.New(s.API, client.Options{})
		s.riders[i].registration = client.Registration{Email: name + "@example.com", Username: name, Password: password, RanchName: "Ranch of " + name}
	}
	rider := func(i int) *rider { return &s.riders[i%len(s.riders)] }
	transport := client.Transport{API: s.API}
	send := func(path, token string, body any) error {
		answer, err := transport.Send(ctx, client.Request{Method: http.MethodPost, Path: path, Token: token, Body: body})
		if err == nil {
			err = answer.Read(http.StatusOK, nil)
		}
		return err
	}
	entries, winners := s.players*s.amounts.shows, 3*s.amounts.shows
	var none, prize []func() error // claims
	for _, scene := range []struct {
		name, program string
		calls         int
		call          func(i int) error
	}{
		{"empty", "empty", 2 * s.repeated, func(int) error { // the same requests as for an entry
			return send("/empty/"+string(game.NewID()), fmt.Sprintf("%0300d", 0), map[string]game.ID{"animalId": game.NewID()})
		}},
		{"register", "register", len(s.riders), func(i int) error {
			_, err := s.riders[i].Register(ctx, s.riders[i].registration)
			return err
		}},
		{"login", "login", len(s.riders), func(i int) error {
			_, err := s.riders[i].Login(ctx, s.riders[i].registration.Email, password)
			return err
		}},
		{"refresh", "refresh", s.repeated, func(i int) error {
			session, _, err := rider(i).Session(ctx)
			return errors.Join(err, send("/auth/refresh", "", map[string]string{"refreshToken": session.RefreshToken}))
		}},
		{"me", "getme", s.repeated, func(i int) error {
			_, err := rider(i).Me(ctx)
			return err
		}},
		{"animals", "listanimals", s.repeated, func(i int) error {
			animals, err := rider(i).Animals(ctx)
			if err == nil && len(animals) > 0 {
				rider(i).animal = animals[0].ID
			}
			return err
		}},
		{"list (50 open)", "listshows", s.repeated / 2, func(i int) error {
			shows, err := rider(i).Shows(ctx, client.ShowFilter{Status: "open", Tier: game.TierRookie})
			if err == nil && len(shows) != openShows {
				err = fmt.Errorf("%d shows", len(shows))
			}
			return err
		}},
		{"enter (fee)", "entershow", entries, func(i int) error {
			r := s.riders[i%s.players]
			_, err := r.Enter(ctx, s.shows[i/s.players], r.animal)
			return err
		}},
		{fmt.Sprintf("show (%d entries)", s.players), "getshow", s.repeated / 2, func(i int) error {
			_, err := rider(i).Show(ctx, s.shows[0])
			return err
		}},
		{"page of 50 entries", "listshowentries", s.repeated / 2, func(i int) error {
			_, err := rider(i).ShowEntries(ctx, s.shows[0], client.EntriesAt{})
			return err
		}},
		{fmt.Sprintf("judge (%d entries)", s.players), "judgeshow", s.amounts.shows, func(i int) error {
			_, err := rider(i).Judge(ctx, s.shows[i])
			return err
		}},
		{"claim (none)", "claimreward", min(entries-winners, s.repeated), func(i int) (err error) {
			if i == 0 {
				none, prize, err = s.claims(ctx)
				if err == nil && len(prize) != winners {
					err = fmt.Errorf("%d claims win gold, want %d", len(prize), winners)
				}
				if err != nil {
					return err
				}
			}
			return none[i]()
		}},
		{"claim (prize)", "claimreward", winners, func(i int) error { return prize[i]() }},
		{fmt.Sprintf("own entries (%d)", s.amounts.shows), "listownentries", s.repeated / 2, func(i int) error {
			_, err := rider(i).OwnEntries(ctx, client.OwnFilter{})
			return err
		}},
		{fmt.Sprintf("season (%d shows)", s.amounts.shows), "getseason", s.repeated / 2, func(i int) error {
			_, err := rider(i).Season(ctx)
			return err
		}},
		{"logout", "logout", len(s.riders), func(i int) error { return s.riders[i].Logout(ctx) }},
	} {
		if err := s.observe(scene.name, scene.program, scene.calls, scene.call); err != nil {
			return err
		}
	}
	return nil
}

// seed creates a season and its open shows, as operators do.
func (s *script) seed(ctx context.Context) error {
	season, err := s.NewSeason(ctx, game.NewID())
	for i := 0; err == nil && i < openShows; i++ {
		var show game.Show
		show, err = s.NewShow(ctx, game.Show{Name: fmt.Sprintf("County Fair %d", i+1), Tier: game.TierRookie, EntryFee: fee, SeasonID: season.ID}, store.DefaultGates)
		s.shows = append(s.shows, string(show.ID))
	}
	return err
}

// claims returns a function for each entry, which claims the prize of the entry's show. The functions of entries that
// win gold are in prize, the others in none.
func (s *script) claims(ctx context.Context) (none, prize []func() error, err error) {
	clients := map[string]*client.Client{}
	for _, r := range s.riders {
		session, _, err := r.Session(ctx)
		if err != nil {
			return nil, nil, err
		}
		clients[session.UserID] = r.Client
	}
	for _, show := range s.shows[:s.amounts.shows] {
		_, entries, err := s.Store.ShowWithEntries(ctx, game.ID(show))
		if err != nil {
			return nil, nil, err
		}
		for _, entry := range entries {
			claim := func() error {
				_, err := clients[string(entry.PlayerID)].Claim(ctx, show)
				return err
			}
			if entry.Rank != nil && game.Prize(game.TierRookie, *entry.Rank) > 0 {
				prize = append(prize, claim)
			} else {
				none = append(none, claim)
			}
		}
	}
	return none, prize, nil
}
