package operate

import (
	"context"
	"fmt"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/table"
)

// CreateShow writes a new open show with its gates and its rows on the boards. The number of gates, from 1 to records.MaxGates,
// never changes. More gates serve a larger crowd, since entries through different gates do not wait for each other. It
// returns ErrUnknownSeason if the season does not exist, and ErrExists if any of these items does.
func (o Operator) CreateShow(ctx context.Context, show game.Show, gates int) error {
	if gates < 1 || gates > records.MaxGates {
		return fmt.Errorf("a show has 1 to %d gates, not %d", records.MaxGates, gates)
	}
	if err := show.Validate(); err != nil {
		return err
	}
	fields := records.NewShowFields(show, gates, 0)
	o.same = making(show)
	return o.make(ctx, "create show", subjectShow(show.ID), func(_ context.Context, t *table.Transaction) (before, after any, err error) {
		t.Check(records.SeasonKey(show.SeasonID), table.Present, ErrUnknownSeason)
		t.Create(records.ShowItem{Key: records.ShowKey(show.ID), ShowFields: fields}, ErrExists)
		for _, k := range records.GateKeys(show, gates) {
			t.Create(records.GateItem{Key: k}, ErrExists)
		}
		for _, tier := range []string{"", show.Tier} {
			t.Create(records.BoardItem{Key: records.BoardKey(game.ShowOpen, tier, show), ShowFields: fields}, ErrExists)
			t.Create(records.BoardItem{Key: records.BoardKey("", tier, show), ShowFields: fields}, ErrExists)
		}
		return nil, show, nil
	})
}

// JudgeShow judges a show as Judge does, and records the operator as the judge. It returns the contestants from best to
// last, or nil if the change was made before, and game.ErrShowNotOpen if there is no such open show.
func (o Operator) JudgeShow(ctx context.Context, show game.ID) ([]game.Contestant, error) {
	j := o.desk.NewJudgement(show, o.change.By, o.change.At)
	err := o.make(ctx, "judge show", subjectShow(show), func(ctx context.Context, t *table.Transaction) (before, after any, err error) {
		item, done, err := j.Prepare(ctx, t)
		switch {
		case err != nil:
			return nil, nil, err
		case done: // a lost attempt was applied: the change's record becomes visible, too
			return nil, nil, table.ErrStale
		}
		judged := item.Show()
		judged.Status, judged.JudgedAt = game.ShowCompleted, &j.Now
		return item.Show(), judged, nil
	})
	if err != nil {
		j.Lease.GiveUp(ctx)
		return nil, err
	}
	return j.Ranked, nil
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
		item, err := d.ShowItem(ctx, id)
		switch {
		case err != nil:
			return err
		case item == nil:
			return store.ErrUnknownShow
		}
		record = ShowRecord{
			ListedShow: game.ListedShow{Show: item.Show(), EntryCount: item.Count},
			Gates:      item.Gates, Terms: item.Terms, JudgedBy: item.JudgedBy,
		}
		if item.RefundedAt > 0 {
			record.RefundedAt = &item.RefundedAt
		}
		if item.Status != game.ShowOpen {
			return nil
		}
		gates, err := d.AllGates(ctx, item)
		record.EntryCount = store.CountOf(gates)
		return err
	})
	return record, err
}
