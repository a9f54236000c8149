package store

import (
	"context"
	"fmt"

	"github.com/ranch-game/ranch/shared/game"
)

const (
	// MaxGates is the most gates of a show: SetShow writes up to two items for each, in a transaction of 100 items.
	MaxGates = 40
	// DefaultGates lets 200 entries a second through, with fewer than 1.5 attempts each if a transaction takes 12 ms
	// (docs/adr/0005-gates.md).
	DefaultGates = 16
)

// CreateShow writes a new open show with its gates and its rows on the boards. The number of gates, from 1 to MaxGates,
// never changes. More gates serve a larger crowd, since entries through different gates do not wait for each other. It
// returns ErrUnknownSeason if the season does not exist, and ErrExists if any of these items does.
func (o Operator) CreateShow(ctx context.Context, show game.Show, gates int) error {
	if gates < 1 || gates > MaxGates {
		return fmt.Errorf("a show has 1 to %d gates, not %d", MaxGates, gates)
	}
	if err := show.Validate(); err != nil {
		return err
	}
	fields := newShowFields(show, gates, 0)
	o.same = making(show)
	return o.make(ctx, "create show", subjectShow(show.ID), func(_ context.Context, t *transaction) (before, after any, err error) {
		t.Check(seasonKey(show.SeasonID), "attribute_exists(PK)", nil, ErrUnknownSeason)
		t.Create(showItem{key: showKey(show.ID), showFields: fields}, ErrExists)
		for _, k := range gateKeys(show, gates) {
			t.Create(gateItem{key: k}, ErrExists)
		}
		for _, tier := range []string{"", show.Tier} {
			t.Create(boardItem{key: boardKey(game.ShowOpen, tier, show), showFields: fields}, ErrExists)
			t.Create(boardItem{key: boardKey("", tier, show), showFields: fields}, ErrExists)
		}
		return nil, show, nil
	})
}

// JudgeShow judges a show as Judge does, and records the operator as the judge. It returns the contestants from best to
// last, or nil if the change was made before, and game.ErrShowNotOpen if there is no such open show.
func (o Operator) JudgeShow(ctx context.Context, show game.ID) ([]game.Contestant, error) {
	j := o.desk.newJudging(show, o.change.By, o.change.At)
	err := o.make(ctx, "judge show", subjectShow(show), func(ctx context.Context, t *transaction) (before, after any, err error) {
		item, done, err := j.prepare(ctx, t)
		switch {
		case err != nil:
			return nil, nil, err
		case done: // a lost attempt was applied: the change's record becomes visible, too
			return nil, nil, errStale
		}
		judged := item.show()
		judged.Status, judged.JudgedAt = game.ShowCompleted, &j.now
		return item.show(), judged, nil
	})
	if err != nil {
		j.lease.giveUp(ctx)
		return nil, err
	}
	return j.ranked, nil
}

func subjectShow(id game.ID) string { return "show " + string(id) }

// ShowRecord is a show as operators see it.
type ShowRecord struct {
	game.ListedShow
	Gates      int           `json:"gates"`
	Terms      int64         `json:"terms"`      // how often they have been changed
	JudgedBy   string        `json:"judgedBy"`   // a player's id, or another judge's name; "" before the judging
	RefundedAt *game.Instant `json:"refundedAt"` // cancelled: when all fees were refunded; null before
}

// ShowRecord returns a show's record, or ErrUnknownShow if the show does not exist.
func (d Desk) ShowRecord(ctx context.Context, id game.ID) (ShowRecord, error) {
	var record ShowRecord
	err := d.table.Decide(ctx, "reading a show", func(ctx context.Context) error {
		item, err := d.showItem(ctx, id)
		switch {
		case err != nil:
			return err
		case item == nil:
			return ErrUnknownShow
		}
		record = ShowRecord{
			ListedShow: game.ListedShow{Show: item.show(), EntryCount: item.Count},
			Gates:      item.Gates, Terms: item.Terms, JudgedBy: item.JudgedBy,
		}
		if item.RefundedAt > 0 {
			record.RefundedAt = &item.RefundedAt
		}
		if item.Status != game.ShowOpen {
			return nil
		}
		gates, err := d.allGates(ctx, item)
		record.EntryCount = countOf(gates)
		return err
	})
	return record, err
}
