package operate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/table"
)

// checkEntryOf plans to restore the entry of a participation if it is missing.
func (r *repairRun) checkEntryOf(ctx context.Context, participation table.Key) error {
	player, animal := records.IdIn(table.SK(participation.PK)), records.IdIn(participation.SK)
	k := records.EntryKey(r.id, animal, r.item.Gates)
	if e := r.byAnimal[animal]; e != nil {
		if e.Player != player {
			r.leave(participation, "the animal's entry is user %s's", e.Player)
		}
		return nil
	}
	switch {
	case r.busy[player]:
		return nil // its turn comes with the next change
	case r.placings != nil && len(r.placings[player]) <= r.entriesOf(player):
		r.leave(k, "the entry is missing, also in the results")
		return nil
	}
	found, err := r.desk.table.BatchGet(ctx, "", records.UserKey(player), records.AnimalKey(player, animal))
	if err != nil {
		return err
	}
	user, userErr := table.In[records.UserItem](found, records.UserKey(player))
	entrant, animalErr := table.In[records.AnimalItem](found, records.AnimalKey(player, animal))
	part, partErr := table.In[records.ParticipationItem](r.parts, participation)
	switch err := errors.Join(userErr, animalErr, partErr); {
	case err != nil:
		return err
	case user == nil || entrant == nil:
		r.leave(k, "the entry is missing, and so is its user or its animal")
		return nil
	}
	e := records.EntryItem{
		Key: k, Call: game.NewID(), Player: player, PlayerUsername: user.Username, AnimalName: part.AnimalName, Breed: entrant.Breed,
		RarityTier: entrant.RarityTier, CreatedAt: part.CreatedAt,
	}
	if user.Status == game.UserDeleted {
		e.PlayerUsername = game.DeletedPlayer
	}
	r.busy[player] = true
	r.fix(k, "restored the entry from its participation", func(t *table.Transaction) {
		t.Create(e, table.ErrStale)
		t.Check(records.UserKey(user.Account().ID), records.UserAsRead(*user.Account()), table.ErrStale)
	})
	return nil
}

func (r *repairRun) entriesOf(player game.ID) (n int) {
	for _, e := range r.entries {
		if e.Player == player {
			n++
		}
	}
	return n
}

// participate plans to restore the participation of an entry. If the show has a fee, the participation is also the
// fee's ledger row. If exactly one row is missing in the user's ledger, and its amount is the fee, it is this row.
// Otherwise it leaves the participation: a repair moves no gold.
func (r *repairRun) participate(ctx context.Context, e *records.EntryItem, part records.ParticipationItem) error {
	if r.show.Free() {
		r.fix(part.Key, "restored the participation from its entry", func(t *table.Transaction) { t.Create(part, table.ErrStale) })
		return nil
	}
	l, err := r.readLedger(ctx, e.Player)
	if err != nil {
		return err
	}
	switch {
	case l.account == nil:
		r.leave(part.Key, "the participation is missing, and so is the user")
		return nil
	case l.last > l.account.LedgerSeq:
		r.leave(part.Key, "the participation is missing, and the user's ledger has row %d although the user counts %d: "+
			"the user is older than the ledger. Decide what the user's gold is", l.last, l.account.LedgerSeq)
		return nil
	case len(l.missing) == 0:
		r.leave(part.Key, "the participation is missing, and no row of the user's ledger is: the fee of %d gold is not paid. "+
			"Let the entry be free, or take the fee (gold adjust)", r.show.EntryFee)
		return nil
	case len(l.missing) > 1:
		r.leave(part.Key, "the participation is missing, and the user's ledger lacks the rows %v", l.missing)
		return nil
	}
	row := game.FeeEntry(*l.before(l.missing[0]), r.show, e.CreatedAt)
	if row.BalanceAfter != l.balanceAfter(row.Seq) {
		r.leave(part.Key, "the participation is missing, and the missing row %d of the user's ledger has another amount than the fee", row.Seq)
		return nil
	}
	part.Charge(row)
	part.Refund, r.busy[e.Player] = l.refund, true
	r.fix(part.Key, fmt.Sprintf("restored the participation with the fee of row %d", row.Seq), func(t *table.Transaction) { t.Create(part, table.ErrStale) })
	return nil
}

// ledger is what a repair needs of a user's ledger.
type ledger struct {
	account *game.Account // nil: missing
	rows    map[int64]game.LedgerEntry
	last    int64   // the highest number of a row
	missing []int64 // numbers up to the account's
	refund  int64   // the number of a refund for the show that no participation has; 0: none
}

// readLedger reads an account and, 0.3 s later, its ledger: all rows that the account counts are then visible.
func (r *repairRun) readLedger(ctx context.Context, user game.ID) (l ledger, err error) {
	if l.account, err = r.desk.Account(ctx, user); err != nil || l.account == nil {
		return l, err
	}
	if err := table.Pause(ctx, table.Settling); err != nil {
		return l, err
	}
	items, err := r.desk.table.QueryAll(ctx, records.LedgerSpan(user))
	if err != nil {
		return l, err
	}
	l.rows = map[int64]game.LedgerEntry{}
	refunded := map[int64]bool{}
	for _, av := range items {
		part, err := table.Unmarshal[records.ParticipationItem](av)
		if err != nil {
			return l, err
		}
		refunded[part.Refund] = strings.HasPrefix(string(part.SK), string(records.SeasonPrefix))
		row, is, err := store.LedgerRow(part.SK, av)
		if err != nil {
			return l, err
		}
		if is {
			l.rows[row.Seq], l.last = row, max(l.last, row.Seq)
		}
	}
	for seq := l.account.LedgerSeq; seq > 0; seq-- {
		row, there := l.rows[seq]
		switch {
		case !there:
			l.missing = append(l.missing, seq)
		case row.Category == game.CategoryRefund && *row.RefID == r.id && !refunded[seq]:
			l.refund = seq
		}
	}
	slices.Sort(l.missing)
	return l, nil
}

// before returns the account as it was before the row with this number.
func (l ledger) before(seq int64) *game.Account {
	account := *l.account
	account.LedgerSeq, account.GoldBalance = seq-1, l.rows[seq-1].BalanceAfter
	return &account
}

// balanceAfter returns the balance after the row with this number, computed from the next row or the account.
func (l ledger) balanceAfter(seq int64) int64 {
	if next, there := l.rows[seq+1]; there {
		return next.BalanceAfter - next.Amount
	}
	return l.account.GoldBalance
}

// unpack decodes the results of a completed show by player. If any item of them is missing, placings is nil.
func (r *repairRun) unpack() error {
	r.placings = nil
	if r.show.Status != game.ShowCompleted {
		return nil
	}
	packed := []records.Sheet{r.item.Results}
	for _, k := range r.resultKeys() {
		item, err := table.In[records.SheetItem](r.found, k) // without results if it is a page
		if item == nil || err != nil {
			return err
		}
		packed = append(packed, item.Results)
	}
	var err error
	r.placings, err = records.ByPlayer(r.id, packed)
	return err
}

// checkResults plans to restore missing results of a completed show, and to correct its count of entries. It ignores
// results under other verdicts, to which no show leads.
func (r *repairRun) checkResults(ctx context.Context) error {
	for _, claim := range r.claims {
		if r.show.Status != game.ShowCompleted {
			r.leave(claim.Key, "there is a receipt, but the show is %s", r.show.Status)
		} else if claim.Key != r.item.Verdict().ClaimKey(records.NumberIn(claim.SK)) {
			r.leave(claim.Key, "the receipt belongs to other results than the show's")
		}
	}
	switch {
	case r.show.Status == game.ShowCompleted && r.placings == nil:
		if err := r.scoreAgain(ctx); err != nil {
			return err
		}
	case r.show.Status == game.ShowCompleted && !r.placesAll():
		r.leave(r.item.Key, "the results have other entries than the show")
		return nil
	}
	if counted := int64(len(r.entries)); counted != r.count && (r.show.Status == game.ShowCancelled || r.placings != nil) {
		r.fix(r.item.Key, fmt.Sprintf("counted %d entries in place of %d", counted, r.count), func(*table.Transaction) {})
		r.count = counted
	}
	return nil
}

// placesAll reports whether the results have as many places for each player as the player has entries.
func (r *repairRun) placesAll() bool {
	entries := map[game.ID]int{}
	for _, e := range r.entries {
		entries[e.Player]++
	}
	return maps.EqualFunc(entries, r.placings, func(n int, theirs records.Placings) bool { return n == len(theirs) })
}

// scoreAgain scores and ranks a completed show once more, as its judging did, to restore missing results. It restores
// none if an entry is missing, or if any existing result or receipt contradicts the new ones.
func (r *repairRun) scoreAgain(ctx context.Context) error {
	if int64(len(r.entries)) != r.item.Count {
		r.leave(r.item.Key, "results are missing, and of the %d judged entries %d exist", r.item.Count, len(r.entries))
		return nil
	}
	traits := r.desk.NewTraitReader(r.id)
	if err := traits.ReadNotes(ctx); err != nil {
		return err
	}
	ranked, err := traits.Contestants(ctx, r.entries)
	if err != nil {
		return err
	}
	game.Rank(ranked)
	again, err := records.NewResults(r.item.Verdict(), r.entries, ranked)
	if err != nil {
		return err
	}
	best := map[game.ID]int{}
	for _, c := range slices.Backward(ranked) {
		best[c.Player] = c.Rank
	}
	agrees := again.Sheets == r.item.Sheets && bytes.Equal(again.Own, r.item.Results) &&
		!slices.ContainsFunc(r.claims, func(c records.ClaimItem) bool { return best[c.Player] != c.Rank })
	missing := map[table.Key]any{}
	for _, item := range again.Items {
		av, err := table.Marshal(item)
		if err != nil {
			return err
		}
		k, err := table.Unmarshal[table.Key](av)
		if err != nil {
			return err
		}
		if there := r.found[*k]; there == nil {
			missing[*k] = item
		} else if !reflect.DeepEqual(there, av) {
			agrees = false
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(missing), compareKeys) {
		if agrees {
			r.fix(k, "restored the results by scoring the entries", func(t *table.Transaction) { t.Create(missing[k], table.ErrStale) })
		} else {
			r.leave(k, "results are missing, and a new scoring contradicts existing receipts or results")
		}
	}
	return nil
}

// checkRefunds plans to begin the refunds of a show again that counts as refunded, if a fee is not given back.
func (r *repairRun) checkRefunds() error {
	for _, k := range slices.SortedFunc(maps.Keys(r.parts), compareKeys) {
		part, err := table.In[records.ParticipationItem](r.parts, k)
		if err != nil {
			return err
		}
		if r.item.RefundedAt > 0 && part.Unsettled() {
			r.refunding = true
			r.noteRefunds()
			return nil
		}
	}
	return nil
}

// rebuild plans to restore the missing item of a show that is open or cancelled from its rows on the boards, if they
// agree. If only gates are left of the show, rebuild plans to remove them. Otherwise, and if the show has receipts of
// claims, it returns ErrUnknownShow: what the item of a completed show had cannot be known.
func (r *repairRun) rebuild(ctx context.Context) error {
	found, err := r.desk.table.BatchGet(ctx, "", r.traces...)
	if err != nil || len(r.traces) > 0 && len(found) == 0 { // all is removed
		return err
	}
	var rows []*records.BoardItem
	gatesAlone, terms := len(r.traces) > 0, int64(0)
	for _, k := range r.traces {
		switch kind, _, _ := strings.Cut(string(k.PK), "#"); kind {
		case "BOARD":
			row, err := table.In[records.BoardItem](found, k)
			if err != nil {
				return err
			}
			if row != nil {
				rows = append(rows, row)
			}
		case "G":
			gate, err := table.In[records.GateItem](found, k)
			if err != nil {
				return err
			}
			if gate != nil {
				terms = max(terms, gate.Terms)
			}
		default:
			if strings.HasPrefix(string(k.SK), string(records.ClaimPrefix)) {
				return store.ErrUnknownShow // it was completed, whatever the boards say
			}
			gatesAlone = false
		}
	}
	switch {
	case len(rows) == 0 && gatesAlone:
		for i, k := range r.traces {
			r.fix(k, "removed a gate of a show that does not exist", func(t *table.Transaction) {
				if i == 0 {
					t.Check(records.ShowKey(r.id), table.Absent, table.ErrStale)
				}
				t.Remove(k)
			})
		}
		return nil
	case len(rows) == 0 || rows[0].Status == game.ShowCompleted:
		return store.ErrUnknownShow
	}
	for _, row := range rows {
		if !reflect.DeepEqual(row.ShowFields, rows[0].ShowFields) {
			return store.ErrUnknownShow
		}
	}
	item := records.ShowItem{Key: records.ShowKey(r.id), ShowFields: rows[0].ShowFields, Terms: terms}
	r.fix(item.Key, "restored the show from its rows on the boards", func(t *table.Transaction) { t.Create(item, table.ErrStale) })
	if item.Status == game.ShowCancelled {
		r.noteRefunds()
	}
	return nil
}

// noteRefunds plans to write the note of pending refunds, by which FinishPending finds them.
func (r *repairRun) noteRefunds() {
	note := records.PendingRefundsKey(r.id)
	r.fix(note, "began the refunds again", func(t *table.Transaction) {
		t.Replace(records.PendingItem{Key: note, Since: r.now, Renamed: 0})
	})
}

// checkBoards plans to correct the show's rows on the boards by its item, and to remove its rows from all other boards.
func (r *repairRun) checkBoards() error {
	fields := r.item.ShowFields
	fields.Count = r.count
	keys := r.boardKeys()
	for _, k := range keys {
		row, err := table.In[records.BoardItem](r.found, k)
		if err != nil {
			return err
		}
		switch {
		case row == nil:
			r.fix(k, "restored the row of the board", func(t *table.Transaction) { t.Create(records.BoardItem{Key: k, ShowFields: fields}, table.ErrStale) })
		case !reflect.DeepEqual(row.ShowFields, fields):
			r.fix(k, "corrected the row of the board", func(t *table.Transaction) { t.Replace(records.BoardItem{Key: k, ShowFields: fields}) })
		}
	}
	for _, k := range r.foundUnder("BOARD#") {
		if !slices.Contains(keys, k) {
			r.fix(k, "removed the row from the board", func(t *table.Transaction) { t.Remove(k) })
		}
	}
	return nil
}

// checkGates plans to correct the gates of an open show by its entries, and to remove all other gates of the show.
func (r *repairRun) checkGates() error {
	var keys []table.Key
	if r.show.Status == game.ShowOpen {
		keys = records.GateKeys(r.show, r.item.Gates)
	}
	counts := make([]int64, r.item.Gates)
	for _, e := range r.entries {
		counts[records.GateOf(records.IdIn(e.SK), r.item.Gates)]++
	}
	for n, k := range keys {
		gate, err := table.In[records.GateItem](r.found, k)
		if err != nil {
			return err
		}
		becomes := records.GateItem{Key: k, Count: counts[n], Terms: r.item.Terms}
		switch {
		case gate == nil:
			r.fix(k, fmt.Sprintf("restored gate %d: %d entries", n, becomes.Count), func(t *table.Transaction) { t.Create(becomes, table.ErrStale) })
		case gate.Count != becomes.Count || gate.Terms != becomes.Terms:
			r.fix(k, fmt.Sprintf("set the count of gate %d from %d to %d", n, gate.Count, becomes.Count), func(t *table.Transaction) {
				t.Put(becomes, gate.AsRead().And(gate.TermsAsRead()), table.ErrStale)
			})
		}
	}
	for _, k := range r.foundUnder("G#") {
		if !slices.Contains(keys, k) {
			r.fix(k, "removed a gate that the show does not have", func(t *table.Transaction) { t.Remove(k) })
		}
	}
	return nil
}

// foundUnder returns the found keys in partitions with this prefix.
func (r *repairRun) foundUnder(prefix table.PK) (keys []table.Key) {
	for _, k := range slices.SortedFunc(maps.Keys(r.found), compareKeys) {
		if strings.HasPrefix(string(k.PK), string(prefix)) {
			keys = append(keys, k)
		}
	}
	return keys
}
