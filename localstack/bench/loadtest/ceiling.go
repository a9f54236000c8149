package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
	"github.com/ranch-game/ranch/shared/game"
)

// A small ceiling, gates that share it evenly, and a crowd that fills every gate.
const (
	smallCeiling  = 40
	smallGates    = 4
	ceilingCrowd  = 120
	crowdTogether = 24 // concurrent calls
)

// ceiling lets a crowd fill a show to its ceiling. A full show can be judged, claimed from and cancelled like any
// other. The scene does not depend on the table's units, so that it is the same at any scale.
func ceiling(ctx context.Context, b *bench, _ float64) (found findings, err error) {
	found.table.header = []string{"Afterwards", "#Ceiling", "#entrants", "Answers", "to those who come again", "#in the list", "#in the show", "Gold", "afterwards"}
	for _, end := range []struct {
		name string
		do   func(*filled, context.Context) (string, error)
	}{{"judged and claimed from", (*filled).judgeAndClaim}, {"cancelled and refunded", (*filled).cancel}} {
		f, err := b.fill(ctx, smallCeiling, smallGates, ceilingCrowd)
		if err != nil {
			return found, err
		}
		after, err := end.do(f, ctx)
		f.close()
		if err != nil {
			return found, err
		}
		found.table.add(end.name, smallCeiling, ceilingCrowd, &f.crowd, &f.again, f.inList, f.inShow, f.gold, after)
		found.goals = append(found.goals, goal{
			fmt.Sprintf("A show with a ceiling of %d is filled by %d players, then %s", smallCeiling, ceilingCrowd, end.name),
			fmt.Sprintf("%d × 201, 404 to the others whenever they come; every counter and all gold exact", smallCeiling),
			fmt.Sprintf("%s, then %s; %d in the list, gold %s, then %s", &f.crowd, &f.again, f.inList, f.gold, after),
			f.crowd.count(entered) == smallCeiling && f.again.count(http.StatusNotFound) == ceilingCrowd-smallCeiling &&
				f.inList == smallCeiling && f.inShow == smallCeiling && f.gold == exact && after == exact,
		})
	}
	return found, nil
}

// filled is a fair whose show a crowd has filled.
type filled struct {
	*fair
	crowd, again   answers // of the crowd, and of the refused ones, who try once more
	in, out        []player
	inList, inShow int
	gold           string // whether it is exact
}

const exact = "exact"

// fill lets all players enter a show with a ceiling, and the refused ones once more.
func (b *bench) fill(ctx context.Context, ceiling, gates, players int) (*filled, error) {
	fair, err := b.fair(ctx, plan{
		scale: 1, ceiling: ceiling, processes: crowdTogether, gates: gates, players: players, warm: map[string]int{"POST /enter": crowdTogether},
	})
	if err != nil {
		return nil, err
	}
	f := &filled{fair: fair}
	if err := f.enterTwice(ctx); err != nil {
		fair.close()
		return nil, err
	}
	return f, nil
}

func (f *filled) enterTwice(ctx context.Context) error {
	var mu sync.Mutex
	if err := f.together(ctx, &f.crowd, f.players, func(ctx context.Context, p player) (answer, error) {
		a, err := f.enter(ctx, p)
		mu.Lock()
		defer mu.Unlock()
		if a.Status == entered {
			f.in = append(f.in, p)
		} else {
			f.out = append(f.out, p)
		}
		return a, err
	}); err != nil {
		return err
	}
	if err := f.together(ctx, &f.again, f.out, f.enter); err != nil {
		return err
	}
	var err error
	if f.inList, f.inShow, _, err = f.entries(ctx); err != nil {
		return err
	}
	f.gold, err = f.goldIs(ctx, -int64(len(f.in))*f.show.EntryFee)
	return err
}

// together makes a call as each of the players, as many concurrently as there are processes.
func (f *filled) together(ctx context.Context, to *answers, players []player, call func(context.Context, player) (answer, error)) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(crowdTogether)
	to.each(ctx, group, players, call)
	return group.Wait()
}

// judgeAndClaim judges the show, and every player in it claims.
func (f *filled) judgeAndClaim(ctx context.Context) (string, error) {
	var judging, claims, views answers
	for _, step := range []struct {
		to      *answers
		players []player
		call    func(context.Context, player) (answer, error)
	}{
		{&judging, f.players[:1], f.judge},
		{&claims, f.in, func(ctx context.Context, p player) (answer, error) {
			return f.call(ctx, "claimer", p, "POST", "/events/shows/"+string(f.show.ID)+"/claim-reward", nil)
		}},
		{&views, f.players[:1], f.detail},
	} {
		if err := f.together(ctx, step.to, step.players, step.call); err != nil {
			return "", err
		}
	}
	inList, inShow, ranked, err := f.entries(ctx)
	if err != nil {
		return "", err
	}
	for what, answers := range map[string]*answers{"judging": &judging, "claims": &claims, "views": &views} {
		if answers.count(http.StatusOK) != len(answers.took) {
			return fmt.Sprintf("%s: %s", what, answers), nil
		}
	}
	if n := len(f.in); inList != n || inShow != n || ranked != n {
		return fmt.Sprintf("%d in the list, %d in the show, %d ranked", inList, inShow, ranked), nil
	}
	moved := -int64(len(f.in)) * f.show.EntryFee
	for rank := range len(f.in) {
		moved += game.Prize(f.show.Tier, rank+1)
	}
	return f.goldIs(ctx, moved)
}

// cancel cancels the show as an operator does, and refunds all fees.
func (f *filled) cancel(ctx context.Context) (string, error) {
	err := errors.Join(f.operator().CancelShow(ctx, f.show.ID), f.operator().Refund(ctx, f.show.ID, func(int, int) {}))
	if err != nil {
		return "", err
	}
	return f.goldIs(ctx, 0)
}

// goldIs says whether the players' gold together has changed by so much since they registered.
func (f *fair) goldIs(ctx context.Context, moved int64) (string, error) {
	gold := -int64(len(f.players)) * game.StartingGold
	err := f.store.EachAccount(ctx, func(a game.Account) error {
		gold += a.GoldBalance
		return nil
	})
	if gold != moved {
		return fmt.Sprintf("%d too much", gold-moved), err
	}
	return exact, err
}

// withCeiling returns the template with a ceiling for the entering function; 0 stands for store.Ceiling.
func withCeiling(t *samtemplate.Template, ceiling int) *samtemplate.Template {
	if ceiling == 0 {
		return t
	}
	with := *t
	with.Functions = slices.Clone(t.Functions)
	for i, f := range with.Functions {
		if f.LogicalID == "EnterShow" {
			with.Functions[i].Environment = maps.Clone(f.Environment)
			with.Functions[i].Environment["CEILING"] = samtemplate.Value{Literal: strconv.Itoa(ceiling)}
		}
	}
	return &with
}
