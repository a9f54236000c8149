package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// Enter enters an animal in a show and pays the show's fee. It is safe to call again: the fee is paid once. If the
// answer gets lost, Enter looks for the entry among the caller's entries. An entry that it finds there is Resolved and
// may be older than this call. A refusal is an *Error with the code NotFound, Invalid, InsufficientGold or Duplicate.
func (c *Client) Enter(ctx context.Context, show, animal string) (Entered, error) {
	var answer enteredAnswer
	request := Request{Method: http.MethodPost, Path: showPath(show) + "/enter", Body: map[string]string{"animalId": animal}}
	o := c.protected(ctx, request, c.timeout(defaultTimeout))
	err := resolve(ctx, "enter", o, http.StatusCreated, &answer, func() (bool, error) {
		for e, err := range c.EachOwnEntry(ctx, OwnFilter{Show: show, Limit: mostOwn, player: o.player}) {
			if err != nil || e.ShowStatus == "cancelled" { // a cancelled show returns the fee
				return false, err
			}
			if strings.EqualFold(e.AnimalID, animal) {
				answer.Entered = Entered{true, fmt.Sprintf("%s entered in %s!", e.AnimalName, e.ShowName), e.EntryFee, true}
				return true, nil
			}
		}
		return false, nil
	})
	if err != nil {
		return Entered{}, err
	}
	return answer.Entered, nil
}

// Judge judges a show, which ranks its entries. A large show takes up to 30 s. Any player may judge an open show. If
// the show has already been judged or cancelled, the error is an *Error with the code NotFound: read the show. If the
// answer gets lost, Judge reads the show. A judging that it finds is Resolved, and may be another player's.
func (c *Client) Judge(ctx context.Context, show string) (Judged, error) {
	var judged Judged
	request := Request{Method: http.MethodPost, Path: showPath(show) + "/judge"}
	o := c.protected(ctx, request, c.timeout(judgingTimeout))
	err := resolve(ctx, "judge", o, http.StatusOK, &judged, func() (bool, error) {
		detail, err := c.Show(ctx, show)
		if err != nil || detail.Status != "completed" {
			return false, err
		}
		judged = judgedAs(detail)
		return true, nil
	})
	if err != nil {
		return Judged{}, err
	}
	return judged, nil
}

// Claim claims the caller's prize in a judged show. It succeeds once for each show, with 0 gold if there is no prize,
// and is safe to call again: the prize is paid once. If the answer gets lost, Claim looks for a claim among the
// caller's entries. A claim that it finds there is Resolved and may be older than this call. A refusal is an *Error
// with the code NotFound or AlreadyClaimed.
func (c *Client) Claim(ctx context.Context, show string) (Claimed, error) {
	var answer claimedAnswer
	request := Request{Method: http.MethodPost, Path: showPath(show) + "/claim-reward"}
	o := c.protected(ctx, request, c.timeout(defaultTimeout))
	err := resolve(ctx, "claim", o, http.StatusOK, &answer, func() (bool, error) {
		best := Claimed{Success: true, Message: "No reward for this placement.", Resolved: true}
		claimed := false
		for e, err := range c.EachOwnEntry(ctx, OwnFilter{Show: show, Limit: mostOwn, player: o.player}) {
			if err != nil || !e.RewardClaimed {
				return false, err
			}
			claimed = true
			if e.Rank != nil && (best.Rank == nil || *e.Rank < *best.Rank) {
				best.Rank = e.Rank
			}
			if e.GoldReward != nil && *e.GoldReward > 0 {
				best.GoldReward = *e.GoldReward
				best.Message = fmt.Sprintf("You received %d gold for rank %d!", *e.GoldReward, *e.Rank)
			}
		}
		answer.Claimed = best
		return claimed, nil
	})
	if err != nil {
		return Claimed{}, err
	}
	return answer.Claimed, nil
}

// mostOwn is the largest number of the caller's entries on a page.
const mostOwn = 50

// judgedAs returns the answer to a judging, made from the judged show.
func judgedAs(detail ShowDetail) Judged {
	judged := Judged{Success: true, TopThree: []Winner{}, Resolved: true}
	ranked := 0
	for _, e := range detail.Entries {
		if e.Rank == nil {
			continue
		}
		ranked++
		if *e.Rank > 3 {
			continue
		}
		winner := Winner{Rank: *e.Rank, PlayerID: e.PlayerID, AnimalID: e.AnimalID}
		if e.Score != nil {
			winner.Score = *e.Score
		}
		judged.TopThree = append(judged.TopThree, winner)
	}
	judged.Message = fmt.Sprintf("Show judged. %d entries.", ranked)
	return judged
}

// resolve reads the answer to a change into v. If the change may have been made and no attempt confirmed it, resolve
// calls look. If the change is there, look returns true and fills in v.
func resolve(ctx context.Context, operation string, o outcome, status int, v any, look func() (bool, error)) error {
	err := o.read(status, v)
	refusal, refused := errors.AsType[*Error](err)
	if err == nil || !o.doubt && !(refused && refusal.isUnread()) {
		return err
	}
	if ctx.Err() != nil {
		return unknown(operation, givenUp(ctx.Err()))
	}
	if _, over := errors.AsType[*SessionEndedError](err); over { // look would be refused
		return unknown(operation, err)
	}
	there, lookErr := look()
	if CodeOf(lookErr) == NotFound { // without the show there is no entry
		lookErr = nil
	}
	switch {
	case lookErr != nil:
		return unknown(operation, lookErr)
	case there:
		return nil
	case refused && refusal.isRule():
		return err
	}
	return unknown(operation, err)
}
