package operate

import (
	"context"
	"math"
	"slices"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// Pending returns all work that is pending at this instant: judgings by closing time, refunds by closing time, then
// names, oldest first. It returns an error if a show with such names is damaged. It does not scan. It costs what
// DueShows, PendingRefunds and Unfinished do, and reads each user whose names are pending, with their entries.
func (d Desk) Pending(ctx context.Context, now game.Instant) ([]store.PendingWork, error) {
	all := []store.PendingWork{}
	due, err := d.DueShows(ctx, now, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	for _, show := range due {
		all = append(all, store.PendingWork{Work: store.WorkJudging, Show: show.ID, Since: show.ClosedAt})
	}
	refunds, err := d.PendingRefunds(ctx)
	if err != nil {
		return nil, err
	}
	all = append(all, refunds...)
	noted, err := d.Unfinished(ctx)
	if err != nil {
		return nil, err
	}
	for _, w := range noted {
		if w.Work == store.WorkRefunds {
			if i := slices.IndexFunc(all, func(p store.PendingWork) bool { return p.Show == w.Show }); i >= 0 {
				all[i].Since = w.Since
			}
			continue
		}
		account, err := d.Account(ctx, w.User)
		if account != nil { // only a damaged table lacks it
			w.Name = account.ShownName()
			w.Left, err = d.Misnamed(ctx, w.User, w.Name)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, w)
	}
	return all, nil
}

// Unrefunded returns the pending refunds of the cancelled shows among these. It leaves out shows whose fees have all
// been given back. It costs 1 RCU for each cancelled show. For a show with pending refunds, it also reads all entries,
// and their participations at 1 RCU each. A show can look torn while an entry becomes visible; Pending looks again.
func (d Desk) Unrefunded(ctx context.Context, shows []game.ListedShow) (map[game.ID]store.PendingRefunds, error) {
	return d.UnrefundedOf(ctx, shows, 1)
}
