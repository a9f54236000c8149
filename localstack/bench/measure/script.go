package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/ranch-game/ranch/shared/client"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

const (
	openShows = 50 // in the list of shows; players enter, judge and claim the first of them
	fee       = 10
	password  = "correct horse battery staple"
)

// amounts says how many players, shows and calls the script has.
type amounts struct {
	players  int // players in each show
	shows    int // shows that each player enters: at most openShows, and no more than 500 gold pays for
	repeated int // how often a repeatable call is made
}

// script plays with the functions as players do, from registering to logging out. Every call must succeed, with a
// response of the usual size. Each scene calls one function repeatedly, and prepares the data of the next scene.
type script struct {
	amounts
	api     string
	store   *store.Store
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
		s.riders[i].Client = client.New(s.api, client.Options{})
		s.riders[i].registration = client.Registration{Email: name + "@example.com", Username: name, Password: password, RanchName: "Ranch of " + name}
	}
	rider := func(i int) *rider { return &s.riders[i%len(s.riders)] }
	transport := client.Transport{API: s.api}
	send := func(path, token string, body any) error {
		answer, err := transport.Send(ctx, client.Request{Method: http.MethodPost, Path: path, Token: token, Body: body})
		if err == nil {
			err = answer.Read(http.StatusOK, nil)
		}
		return err
	}
	entries := s.players * s.amounts.shows
	none, prize := []func() error{}, []func() error{} // claims
	for _, scene := range []struct {
		name, program string
		calls         func() int
		call          func(i int) error
	}{
		{"empty", "empty", always(2 * s.repeated), func(int) error { // the same requests as for an entry
			return send("/empty/"+string(game.NewID()), fmt.Sprintf("%0300d", 0), map[string]game.ID{"animalId": game.NewID()})
		}},
		{"register", "register", always(len(s.riders)), func(i int) error {
			_, err := s.riders[i].Register(ctx, s.riders[i].registration)
			return err
		}},
		{"login", "login", always(len(s.riders)), func(i int) error {
			_, err := s.riders[i].Login(ctx, s.riders[i].registration.Email, password)
			return err
		}},
		{"refresh", "refresh", always(s.repeated), func(i int) error {
			session, _, err := rider(i).Session(ctx)
			return errors.Join(err, send("/auth/refresh", "", map[string]string{"refreshToken": session.RefreshToken}))
		}},
		{"me", "getme", always(s.repeated), func(i int) error {
			_, err := rider(i).Me(ctx)
			return err
		}},
		{"animals", "listanimals", always(s.repeated), func(i int) error {
			animals, err := rider(i).Animals(ctx)
			if err == nil && len(animals) > 0 {
				rider(i).animal = animals[0].ID
			}
			return err
		}},
		{"list (50 open)", "listshows", always(s.repeated / 2), func(i int) error {
			shows, err := rider(i).Shows(ctx, client.ShowFilter{Status: "open", Tier: game.TierRookie})
			if err == nil && len(shows) != openShows {
				err = fmt.Errorf("%d shows", len(shows))
			}
			return err
		}},
		{"enter (fee)", "entershow", always(entries), func(i int) error {
			r := s.riders[i%s.players]
			_, err := r.Enter(ctx, s.shows[i/s.players], r.animal)
			return err
		}},
		{fmt.Sprintf("show (%d entries)", s.players), "getshow", always(s.repeated / 2), func(i int) error {
			_, err := rider(i).Show(ctx, s.shows[0])
			return err
		}},
		{"page of 50 entries", "listshowentries", always(s.repeated / 2), func(i int) error {
			_, err := rider(i).ShowEntries(ctx, s.shows[0], client.EntriesAt{})
			return err
		}},
		{fmt.Sprintf("judge (%d entries)", s.players), "judgeshow", always(s.amounts.shows), func(i int) error {
			_, err := rider(i).Judge(ctx, s.shows[i])
			return err
		}},
		{"claim (none)", "claimreward", func() int {
			none, prize = s.claims(ctx)
			return min(len(none), s.repeated)
		}, func(i int) error { return none[i]() }},
		{"claim (prize)", "claimreward", func() int { return len(prize) }, func(i int) error { return prize[i]() }},
		{fmt.Sprintf("own entries (%d)", s.amounts.shows), "listownentries", always(s.repeated / 2), func(i int) error {
			_, err := rider(i).OwnEntries(ctx, client.OwnFilter{})
			return err
		}},
		{fmt.Sprintf("season (%d shows)", s.amounts.shows), "getseason", always(s.repeated / 2), func(i int) error {
			_, err := rider(i).Season(ctx)
			return err
		}},
		{"logout", "logout", always(len(s.riders)), func(i int) error { return s.riders[i].Logout(ctx) }},
	} {
		if err := s.observe(scene.name, scene.program, scene.calls(), scene.call); err != nil {
			return err
		}
	}
	return nil
}

func always(n int) func() int { return func() int { return n } }

// seed creates a season and its open shows, as operators do.
func (s *script) seed(ctx context.Context) error {
	now, aWhile := game.InstantOf(time.Now()), time.Hour
	season := game.Season{ID: game.NewID(), Name: "Autumn", StartDate: now.Add(-aWhile), EndDate: now.Add(aWhile), IsActive: true}
	if err := s.store.Operator(store.NewChange("measure", "", now)).CreateSeason(ctx, season); err != nil {
		return err
	}
	for i := range openShows {
		show := game.Show{
			ID: game.NewID(), Name: fmt.Sprintf("County Fair %d", i+1), Tier: game.TierRookie, EntryFee: fee,
			EntryClosesAt: now.Add(aWhile), Status: game.ShowOpen, SeasonID: season.ID,
		}
		if err := s.store.Operator(store.NewChange("measure", "", now)).CreateShow(ctx, show, store.DefaultGates); err != nil {
			return err
		}
		s.shows = append(s.shows, string(show.ID))
	}
	return nil
}

// claims returns a function for each entry that claims the prize of its show: in prize for entries that win gold, in
// none for the others. If it cannot read a show, both results are nil.
func (s *script) claims(ctx context.Context) (none, prize []func() error) {
	clients := map[string]*client.Client{}
	for _, r := range s.riders {
		if session, ok, err := r.Session(ctx); err == nil && ok {
			clients[session.UserID] = r.Client
		}
	}
	for _, show := range s.shows[:s.amounts.shows] {
		_, entries, err := s.store.ShowWithEntries(ctx, game.ID(show))
		if err != nil {
			return nil, nil
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
	return none, prize
}
