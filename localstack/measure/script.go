package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

const (
	openShows = 50 // on the list; the first of them are entered, judged and claimed
	fee       = 10
	aWhile    = time.Hour // that the season and the shows are open
)

// amounts are of how much the script is made.
type amounts struct {
	players  int // who enter each show
	shows    int // that are entered, at most openShows, and as many as the gold that players begin with pays for
	repeated int // how often a call is made that can be repeated
}

// scene is calls of one function, one after the other. The first tenth of them, or the first one, is not measured.
type scene struct {
	name, program string
	calls         []call
	answered      func(i int, body []byte) error // sees each answer; nil: nobody does
}

// player is what the script knows of one.
type player struct {
	email, access, refresh string
	id, animal             game.ID
}

// script plays with the functions as players do, from registering to logging out. Every call succeeds, with an answer
// of the usual size.
type script struct {
	amounts
	store   *store.Store
	observe func(ctx context.Context, s scene) error

	riders []player
	fairs  []game.ID
}

const password = "correct horse battery staple"

// play lets the scenes follow one another, since each makes what the next one needs.
func (p *script) play(ctx context.Context) error {
	if err := p.seed(ctx); err != nil {
		return err
	}
	for _, part := range []func(context.Context) error{p.empty, p.accounts, p.lists, p.enter, p.judge, p.claim, p.season, p.logout} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

// seed makes a season and its open shows, as operators make them.
func (p *script) seed(ctx context.Context) error {
	now := game.InstantOf(time.Now())
	season := game.Season{ID: game.NewID(), Name: "Autumn", StartDate: now.Add(-aWhile), EndDate: now.Add(aWhile), IsActive: true}
	if err := p.store.Operator(store.NewChange("measure", "", now)).CreateSeason(ctx, season); err != nil {
		return err
	}
	for i := range openShows {
		show := game.Show{
			ID: game.NewID(), Name: fmt.Sprintf("County Fair %d", i+1), Tier: game.TierRookie, EntryFee: fee,
			EntryClosesAt: now.Add(aWhile), Status: game.ShowOpen, SeasonID: season.ID,
		}
		if err := p.store.Operator(store.NewChange("measure", "", now)).CreateShow(ctx, show, store.DefaultGates); err != nil {
			return err
		}
		p.fairs = append(p.fairs, show.ID)
	}
	return nil
}

// empty gets what an entry gets.
func (p *script) empty(ctx context.Context) error {
	c := call{
		method: http.MethodPost, path: "/empty/" + string(game.NewID()), token: fmt.Sprintf("%0300d", 0),
		body: asJSON(map[string]game.ID{"animalId": game.NewID()}), status: http.StatusOK,
	}
	return p.observe(ctx, scene{name: emptyProgram, program: emptyProgram, calls: times(2*p.repeated, c)})
}

// accounts makes the players, each of whom registers and logs in.
func (p *script) accounts(ctx context.Context) error {
	p.riders = make([]player, p.players+p.players/10) // the first of a scene are not measured
	var registrations, logins []call
	for i := range p.riders {
		name := fmt.Sprintf("rider%05d", i)
		p.riders[i].email = name + "@example.com"
		registrations = append(registrations, call{
			method: http.MethodPost, path: "/auth/register", status: http.StatusCreated,
			body: asJSON(map[string]string{"email": p.riders[i].email, "username": name, "password": password, "ranchName": "Ranch of " + name}),
		})
		logins = append(logins, call{
			method: http.MethodPost, path: "/auth/login", status: http.StatusOK,
			body: asJSON(map[string]string{"email": p.riders[i].email, "password": password}),
		})
	}
	remember := func(i int, body []byte) error {
		var answer struct {
			Token, RefreshToken string
			User                struct{ ID game.ID }
		}
		err := json.Unmarshal(body, &answer)
		p.riders[i].id, p.riders[i].access, p.riders[i].refresh = answer.User.ID, answer.Token, answer.RefreshToken
		return err
	}
	if err := p.observe(ctx, scene{"register", "register", registrations, remember}); err != nil {
		return err
	}
	if err := p.observe(ctx, scene{"login", "login", logins, remember}); err != nil {
		return err
	}
	refresh := p.ofPlayers(p.repeated, func(p player) call {
		return call{method: http.MethodPost, path: "/auth/refresh", status: http.StatusOK, body: asJSON(map[string]string{"refreshToken": p.refresh})}
	})
	if err := p.observe(ctx, scene{name: "refresh", program: "refresh", calls: refresh}); err != nil {
		return err
	}
	animals := p.ofPlayers(p.repeated, func(p player) call { return get("/animals", p) })
	return p.observe(ctx, scene{"animals", "listanimals", animals, func(i int, body []byte) error {
		var animals []struct{ ID game.ID }
		if err := json.Unmarshal(body, &animals); err != nil || len(animals) == 0 {
			return fmt.Errorf("%d animals: %w", len(animals), err)
		}
		p.riders[i%len(p.riders)].animal = animals[0].ID
		return nil
	}})
}

// ofPlayers is n calls, of one player after the other.
func (p *script) ofPlayers(n int, of func(player) call) []call {
	calls := make([]call, n)
	for i := range calls {
		calls[i] = of(p.riders[i%len(p.riders)])
	}
	return calls
}

func (p *script) lists(ctx context.Context) error {
	calls := p.ofPlayers(p.repeated/2, func(p player) call { return get("/events/shows?status=open&tier=rookie", p) })
	return p.observe(ctx, scene{"list (50 open)", "listshows", calls, func(_ int, body []byte) error {
		var list []json.RawMessage
		if err := json.Unmarshal(body, &list); err != nil || len(list) != openShows {
			return fmt.Errorf("%d shows: %w", len(list), err)
		}
		return nil
	}})
}

// enter fills the shows, and looks at one of them.
func (p *script) enter(ctx context.Context) error {
	var calls []call
	for _, show := range p.fairs[:p.shows] {
		for _, player := range p.riders[:p.players] {
			calls = append(calls, call{
				method: http.MethodPost, path: showPath(show, "/enter"), token: player.access, status: http.StatusCreated,
				body: asJSON(map[string]game.ID{"animalId": player.animal}),
			})
		}
	}
	if err := p.observe(ctx, scene{name: "enter (fee)", program: "entershow", calls: calls}); err != nil {
		return err
	}
	calls = p.ofPlayers(p.repeated/2, func(player player) call { return get(showPath(p.fairs[0], ""), player) })
	return p.observe(ctx, scene{name: fmt.Sprintf("show (%d entries)", p.players), program: "getshow", calls: calls})
}

func (p *script) judge(ctx context.Context) error {
	var calls []call
	for i, show := range p.fairs[:p.shows] {
		calls = append(calls, call{method: http.MethodPost, path: showPath(show, "/judge"), token: p.riders[i].access, status: http.StatusOK})
	}
	return p.observe(ctx, scene{name: fmt.Sprintf("judge (%d entries)", p.players), program: "judgeshow", calls: calls})
}

// claim lets those without a prize come first.
func (p *script) claim(ctx context.Context) error {
	access := map[game.ID]string{}
	for _, player := range p.riders {
		access[player.id] = player.access
	}
	var none, prize []call
	for _, show := range p.fairs[:p.shows] {
		_, entries, err := p.store.ShowWithEntries(ctx, show)
		if err != nil {
			return err
		}
		for _, entry := range entries {
			c := call{method: http.MethodPost, path: showPath(show, "/claim-reward"), token: access[entry.PlayerID], status: http.StatusOK}
			if entry.Rank != nil && game.Prize(game.TierRookie, *entry.Rank) > 0 {
				prize = append(prize, c)
			} else {
				none = append(none, c)
			}
		}
	}
	if err := p.observe(ctx, scene{name: "claim (none)", program: "claimreward", calls: none[:min(len(none), p.repeated)]}); err != nil {
		return err
	}
	return p.observe(ctx, scene{name: "claim (prize)", program: "claimreward", calls: prize})
}

func (p *script) season(ctx context.Context) error {
	calls := p.ofPlayers(p.repeated/2, func(p player) call { return get("/events/season", p) })
	return p.observe(ctx, scene{name: fmt.Sprintf("season (%d shows)", p.shows), program: "getseason", calls: calls})
}

func (p *script) logout(ctx context.Context) error {
	calls := p.ofPlayers(len(p.riders), func(p player) call {
		return call{method: http.MethodPost, path: "/auth/logout", status: http.StatusOK, body: asJSON(map[string]string{"refreshToken": p.refresh})}
	})
	return p.observe(ctx, scene{name: "logout", program: "logout", calls: calls})
}

func get(path string, p player) call {
	return call{method: http.MethodGet, path: path, token: p.access, status: http.StatusOK}
}

func showPath(show game.ID, rest string) string { return "/events/shows/" + string(show) + rest }

func times(n int, c call) []call {
	calls := make([]call, n)
	for i := range calls {
		calls[i] = c
	}
	return calls
}

// asJSON renders what can always be rendered.
func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}
