package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/ranch-game/ranch/shared/client"
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
	answered      func(i int, a client.Answer) error // sees each answer; nil: nobody does
}

// player is what the script knows of one.
type player struct {
	email      string
	tokens     client.Tokens
	id, animal game.ID
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
	c := post("/empty/"+string(game.NewID()), fmt.Sprintf("%0300d", 0), entry(game.NewID()), http.StatusOK)
	return p.observe(ctx, scene{name: emptyProgram, program: emptyProgram, calls: times(2*p.repeated, c)})
}

// accounts makes the players, each of whom registers and logs in.
func (p *script) accounts(ctx context.Context) error {
	p.riders = make([]player, p.players+p.players/10) // the first of a scene are not measured
	var registrations, logins []call
	for i := range p.riders {
		name := fmt.Sprintf("rider%05d", i)
		p.riders[i].email = name + "@example.com"
		registration := client.Registration{Email: p.riders[i].email, Username: name, Password: password, RanchName: "Ranch of " + name}
		registrations = append(registrations, post("/auth/register", "", registration, http.StatusCreated))
		logins = append(logins, post("/auth/login", "", map[string]string{"email": p.riders[i].email, "password": password}, http.StatusOK))
	}
	remember := func(i int, a client.Answer) error {
		var answer struct {
			client.Tokens
			User client.User
		}
		err := a.Read(a.Status, &answer)
		p.riders[i].id, p.riders[i].tokens = game.ID(answer.User.ID), answer.Tokens
		return err
	}
	if err := p.observe(ctx, scene{"register", "register", registrations, remember}); err != nil {
		return err
	}
	if err := p.observe(ctx, scene{"login", "login", logins, remember}); err != nil {
		return err
	}
	refresh := p.ofPlayers(p.repeated, func(p player) call {
		return post("/auth/refresh", "", map[string]string{"refreshToken": p.tokens.RefreshToken}, http.StatusOK)
	})
	if err := p.observe(ctx, scene{name: "refresh", program: "refresh", calls: refresh}); err != nil {
		return err
	}
	animals := p.ofPlayers(p.repeated, func(p player) call { return get("/animals", p) })
	return p.observe(ctx, scene{"animals", "listanimals", animals, func(i int, a client.Answer) error {
		var animals []client.Animal
		if err := a.Read(http.StatusOK, &animals); err != nil || len(animals) == 0 {
			return fmt.Errorf("%d animals: %w", len(animals), err)
		}
		p.riders[i%len(p.riders)].animal = game.ID(animals[0].ID)
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
	return p.observe(ctx, scene{"list (50 open)", "listshows", calls, func(_ int, a client.Answer) error {
		var list []client.ListedShow
		if err := a.Read(http.StatusOK, &list); err != nil || len(list) != openShows {
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
			calls = append(calls, post(showPath(show, "/enter"), player.tokens.Token, entry(player.animal), http.StatusCreated))
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
		calls = append(calls, post(showPath(show, "/judge"), p.riders[i].tokens.Token, nil, http.StatusOK))
	}
	return p.observe(ctx, scene{name: fmt.Sprintf("judge (%d entries)", p.players), program: "judgeshow", calls: calls})
}

// claim lets those without a prize come first.
func (p *script) claim(ctx context.Context) error {
	access := map[game.ID]string{}
	for _, player := range p.riders {
		access[player.id] = player.tokens.Token
	}
	var none, prize []call
	for _, show := range p.fairs[:p.shows] {
		_, entries, err := p.store.ShowWithEntries(ctx, show)
		if err != nil {
			return err
		}
		for _, entry := range entries {
			c := post(showPath(show, "/claim-reward"), access[entry.PlayerID], nil, http.StatusOK)
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
		return post("/auth/logout", "", map[string]string{"refreshToken": p.tokens.RefreshToken}, http.StatusOK)
	})
	return p.observe(ctx, scene{name: "logout", program: "logout", calls: calls})
}

func get(path string, p player) call {
	return call{client.Request{Method: http.MethodGet, Path: path, Token: p.tokens.Token}, http.StatusOK}
}

func post(path, token string, body any, status int) call {
	return call{client.Request{Method: http.MethodPost, Path: path, Token: token, Body: body}, status}
}

// entry is the body of an entry.
func entry(animal game.ID) any { return map[string]game.ID{"animalId": animal} }

func showPath(show game.ID, rest string) string { return "/events/shows/" + string(show) + rest }

func times(n int, c call) []call {
	calls := make([]call, n)
	for i := range calls {
		calls[i] = c
	}
	return calls
}
