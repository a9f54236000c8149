package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/loopback"
	"github.com/ranch-game/ranch/shared/client"
)

// checkAPI wants the service to be there, before anything is changed: it refuses a call without a token in its own
// words.
func checkAPI(ctx context.Context, api string) error {
	const another = "name another one: make tour API=https://..."
	const advice = "start the service with `make run`, or " + another
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	transport := client.Transport{API: api}
	answer, err := transport.Send(ctx, client.Request{Method: http.MethodGet, Path: "/events/season"})
	if err != nil {
		if wrapped, ok := errors.AsType[*url.Error](err); ok {
			err = wrapped.Err // without the URL, which is said here
		}
		return fmt.Errorf("nothing answers at %s (%w): %s", api, err, advice)
	}
	err = answer.Read(http.StatusOK, nil)
	switch client.CodeOf(err) {
	case client.Unauthorized:
		return nil
	case client.TooManyRequests, client.ServiceUnavailable, client.InternalError:
		return fmt.Errorf("nobody can play at %s now (%w): wait a little, or %s", api, err, another)
	}
	return fmt.Errorf("what answers at %s does not do so as this service does (GET /events/season without a token: %d): %s", api, answer.Status, advice)
}

// play plays the loop on the screen. Where no show can be entered it says how to make one, and plays the rest.
func play(ctx context.Context, api string, s screen) error {
	s.say("A tour of %s, as a new player. What it changes there stays.", api)
	c := client.New(api, client.Options{Trace: s.exchange})

	s.step("Registering makes a player with a ranch, gold and three animals. It logs in, too: the answer has the tokens.")
	name := "rider-" + strings.ToLower(rand.Text()[:12])
	r := client.Registration{Email: name + "@example.com", Username: name, Password: rand.Text(), RanchName: "Sunny Acres"}
	player, err := c.Register(ctx, r)
	if err != nil {
		return err
	}
	s.step("The animals have eight traits each. Every show weights these in its own way.")
	animals, err := c.Animals(ctx)
	if err != nil {
		return err
	}
	if len(animals) == 0 {
		return fmt.Errorf("%s has no animals", name)
	}
	s.step("These are the open shows for rookies, by closing time.")
	shows, err := c.Shows(ctx, client.ShowFilter{Tier: "rookie"})
	if err != nil {
		return err
	}
	result := "No show was entered."
	if show, found := choose(shows, player.GoldBalance, c.ServerTime()); found {
		if result, err = compete(ctx, c, s, player, animals[0], show); err != nil {
			return err
		}
	} else {
		s.step("No rookie show is open that %d gold can pay, so that nothing is entered, judged and claimed. %s", player.GoldBalance, howToMakeOne(api))
	}

	s.step("The season counts what the player's ranks are worth.")
	season, err := c.Season(ctx)
	if err != nil {
		return err
	}
	score := "No season is active."
	if season != nil {
		score = fmt.Sprintf("Season score: %d in %s.", season.MySeasonScore, season.Name)
	}
	s.step("Logging in again shows what is left, as the service has it.")
	account, err := c.Login(ctx, r.Email, r.Password)
	if err != nil {
		return err
	}
	s.step("Logging out ends the session: its refresh token is good for nothing any more.")
	if err := c.Logout(ctx); err != nil {
		return err
	}
	s.step("%s Gold: %d. %s", result, account.GoldBalance, score)
	return nil
}

// compete enters the animal in the show, judges it and claims the prize. It returns what came of it, for people.
func compete(ctx context.Context, c *client.Client, s screen, player client.User, animal client.Animal, show client.ListedShow) (string, error) {
	s.step("Entering %s in %s, for %d gold: of those that the player can pay, it closes last.", animal.Name, show.Name, show.EntryFee)
	if _, err := c.Enter(ctx, show.ID, animal.ID); err != nil {
		return "", err
	}
	s.step("Judging scores and ranks all entries, in one step. Any player may do it.")
	if _, err := c.Judge(ctx, show.ID); err != nil {
		return "", err
	}
	s.step("Claiming pays the prize, once.")
	claimed, err := c.Claim(ctx, show.ID)
	if err != nil {
		return "", err
	}
	s.step("The show has the results.")
	detail, err := c.Show(ctx, show.ID)
	if err != nil {
		return "", err
	}
	rank := "without a rank"
	if claimed.Rank != nil {
		rank = fmt.Sprintf("rank %d of %d", *claimed.Rank, len(detail.Entries))
	}
	return fmt.Sprintf("%s with %s in %s: %s, and %d gold as its prize.", player.Username, animal.Name, show.Name, rank, claimed.GoldReward), nil
}

// choose returns, of the shows that the gold pays, the one that closes last: the most time to try it in.
func choose(shows []client.ListedShow, gold int64, now time.Time) (chosen client.ListedShow, found bool) {
	for _, s := range shows {
		if s.EntryFee <= gold && s.EntryClosesAt.After(now) && (!found || s.EntryClosesAt.After(chosen.EntryClosesAt)) {
			chosen, found = s, true
		}
	}
	return chosen, found
}

// howToMakeOne says how there comes to be a show to enter, for whoever plays with the API.
func howToMakeOne(api string) string {
	if u, err := url.Parse(api); err == nil && loopback.IsLoopback(u.Host) {
		return "One more: go run ./infra/ranchctl show create --name Encore --tier rookie --fee 0 --closes-in 48h"
	}
	return "An operator of that service has to make one (ranchctl show create)."
}
