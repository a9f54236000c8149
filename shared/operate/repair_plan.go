package operate

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/table"
)

// plan is what is wrong with a show, and what would make it right.
type plan struct {
	*showRows
	now   game.Instant     // of the change
	fixes []fix            // that one change can make, or more changes if they are too many
	left  []Repair         // what cannot be repaired for certain
	show  records.ShowItem // the show's item as it is to be
	err   error            // an item cannot be decoded

	entered  map[game.ID]int              // the number of entries by player
	placings map[game.ID]records.Placings // by player; nil: not completed, or results are missing
}

// fix is a repair with its writes.
type fix struct {
	Repair
	writes []write
}

// write puts an item under a condition. If item is nil, it removes the key, or checks that it meets the condition.
type write struct {
	key       table.Key
	item      any
	removes   bool
	condition table.Condition
}

// creation returns the write of an item that must not exist.
func creation(item any) write { return write{item: item, condition: table.Absent} }

func (p *plan) fix(k table.Key, what string, writes ...write) {
	p.fixes = append(p.fixes, fix{Repair{k.String(), true, what}, writes})
}

// leave notes why a record is not repaired.
func (p *plan) leave(k table.Key, why string, args ...any) {
	p.left = append(p.left, Repair{Record: k.String(), What: fmt.Sprintf(why, args...)})
}

// at returns the item with this key, or nil if it is missing. If the item cannot be decoded, the plan is an error.
func at[Item any](p *plan, k table.Key) *Item {
	item, err := table.In[Item](p.found, k)
	if err != nil {
		p.err = errors.Join(p.err, err)
		return new(Item)
	}
	return item
}

// newPlan plans what to repair next: entries and participations, or if none of these can be restored, all the rest. It
// is a pure function but for the random ids of new records. It returns store.ErrUnknownShow if the show's item is
// missing and cannot be restored, and table.ErrDamaged if an item cannot be decoded.
func newPlan(rows *showRows, now game.Instant) (plan, error) {
	p := plan{showRows: rows, now: now, entered: map[game.ID]int{}}
	if rows.item == nil {
		if known := p.rebuild(); p.err == nil && !known {
			return p, store.ErrUnknownShow
		}
	} else {
		p.check()
	}
	if p.err != nil {
		return plan{}, p.err
	}
	return p, nil
}

func (p *plan) check() {
	p.show = *p.item
	for _, e := range p.entries {
		p.entered[e.Player]++
	}
	p.unpack()
	if p.checkEntries(); len(p.fixes) > 0 {
		return
	}
	p.checkResults()
	p.checkRefunds()
	p.checkBoards()
	p.checkGates()
	p.checkJudged()
}

// checkJudged plans to remove the note of a judging that the show's item does not have. It does not restore the note of a
// completed show: the standings may have the show (see Operator.RecountStandings).
func (p *plan) checkJudged() {
	k := records.JudgedKey(p.item.Season, p.item.ID)
	if p.item.Status != game.ShowCompleted && p.found[k] != nil {
		p.fix(k, "removed the note of a judging that the show does not have", write{key: k, removes: true, condition: table.Present})
	}
}

// unpack decodes the results of a completed show by player, unless an item of them is missing.
func (p *plan) unpack() {
	if p.item.Status != game.ShowCompleted || p.resultsMissing() {
		return
	}
	packed := []records.Sheet{p.item.Results}
	for _, k := range p.resultKeys() {
		packed = append(packed, at[records.SheetItem](p, k).Results) // a page has none
	}
	placings, err := records.ByPlayer(p.item.ID, packed)
	p.placings, p.err = placings, errors.Join(p.err, err)
}

// checkEntries plans to restore entries and participations from each other. A change has at most one repair of a
// user's entries and fees; the next change has the others.
func (p *plan) checkEntries() {
	players, busy := p.players(), map[game.ID]bool{}
	for _, k := range p.keysOf(isParticipation) {
		player, animal := records.IdIn(table.SK(k.PK)), records.IdIn(k.SK)
		if enters := players[animal]; enters != "" && enters != player {
			p.leave(k, "the animal's entry is user %s's", enters)
		} else if enters == "" && !busy[player] {
			busy[player] = p.restoreEntry(player, animal, k)
		}
	}
	for i := range p.entries {
		e := &p.entries[i]
		if k := p.participationKey(e); p.found[k] == nil && !busy[e.Player] {
			busy[e.Player] = p.restoreParticipation(e, k)
		}
	}
}

func (p *plan) restoreEntry(player, animal game.ID, participation table.Key) (busy bool) {
	k := records.EntryKey(p.item.ID, animal, p.item.Gates)
	part := at[records.ParticipationItem](p, participation)
	user := at[records.UserItem](p, records.UserKey(player)).Account()
	entrant := at[records.AnimalItem](p, records.AnimalKey(player, animal))
	switch {
	case p.placings != nil && len(p.placings[player]) <= p.entered[player]:
		p.leave(k, "the entry is missing, also in the results")
		return false
	case user == nil || entrant == nil:
		p.leave(k, "the entry is missing, and so is its user or its animal")
		return false
	}
	p.fix(k, "restored the entry from its participation", creation(records.EntryItem{
		Key: k, Call: game.NewID(), Player: player, PlayerUsername: user.ShownName(), AnimalName: part.AnimalName,
		Breed: entrant.Breed, RarityTier: entrant.RarityTier, CreatedAt: part.CreatedAt,
	}), write{key: records.UserKey(player), condition: records.UserAsRead(*user)})
	return true
}

// restoreParticipation plans to restore the participation of an entry. If the show has a fee, the participation is also
// the fee's ledger row. If exactly one row is missing in the user's ledger, and its amount is the fee, it is this row.
// Otherwise the plan leaves the participation: a repair moves no gold.
func (p *plan) restoreParticipation(e *records.EntryItem, k table.Key) (busy bool) {
	part := records.ParticipationItem{Key: k, AnimalName: e.AnimalName, CreatedAt: e.CreatedAt}
	if p.item.Show().Free() {
		p.fix(k, "restored the participation from its entry", creation(part))
		return false
	}
	left := func(why string, args ...any) (busy bool) {
		p.leave(k, "the participation is missing, and "+why, args...)
		return false
	}
	account := at[records.UserItem](p, records.UserKey(e.Player)).Account()
	if account == nil {
		return left("so is the user")
	}
	ledger, last := map[int64]game.LedgerEntry{}, int64(0)
	for _, row := range p.ledgers[e.Player] {
		ledger[row.Seq], last = row, max(last, row.Seq)
		if row.Category == game.CategoryRefund && *row.RefID == p.item.ID && part.Refund == 0 && !p.refunded(k.PK, row.Seq) {
			part.Refund = row.Seq
		}
	}
	var missing []int64
	for n := range account.LedgerSeq {
		if _, there := ledger[n+1]; !there {
			missing = append(missing, n+1)
		}
	}
	switch {
	case last > account.LedgerSeq:
		return left("the user's ledger has row %d although the user counts %d: the user is older than the ledger. "+
			"Decide what the user's gold is", last, account.LedgerSeq)
	case len(missing) == 0:
		return left("no row of the user's ledger is: the fee of %d gold is not paid. Let the entry be free, or take the fee "+
			"(gold adjust)", p.item.EntryFee)
	case len(missing) > 1:
		return left("the user's ledger lacks the rows %v", missing)
	}
	seq, after := missing[0], account.GoldBalance
	if next, there := ledger[seq+1]; there {
		after = next.BalanceAfter - next.Amount
	}
	account.LedgerSeq, account.GoldBalance = seq-1, ledger[seq-1].BalanceAfter
	fee := game.FeeEntry(*account, p.item.Show(), e.CreatedAt)
	if fee.BalanceAfter != after {
		return left("the missing row %d of the user's ledger has another amount than the fee", seq)
	}
	part.Charge(fee)
	p.fix(k, fmt.Sprintf("restored the participation with the fee of row %d", seq), creation(part))
	return true
}

// refunded reports whether a participation of the user names the ledger row as its refund.
func (p *plan) refunded(user table.PK, seq int64) bool {
	return slices.ContainsFunc(p.keysOf(isParticipation), func(k table.Key) bool {
		return k.PK == user && at[records.ParticipationItem](p, k).Refund == seq
	})
}

// checkResults plans to restore missing results of a completed show, and to correct its count of entries. It ignores
// results under other verdicts, to which no show leads.
func (p *plan) checkResults() {
	completed, count := p.item.Status == game.ShowCompleted, int64(len(p.entries))
	for _, k := range p.keysOf(isClaim) {
		if !completed {
			p.leave(k, "there is a receipt, but the show is %s", p.item.Status)
		} else if k != p.item.Verdict().ClaimKey(records.NumberIn(k.SK)) {
			p.leave(k, "the receipt belongs to other results than the show's")
		}
	}
	sameNumber := func(n int, theirs records.Placings) bool { return n == len(theirs) }
	switch {
	case completed && p.placings == nil && count != p.item.Count:
		p.leave(p.item.Key, "results are missing, and of the %d judged entries %d exist", p.item.Count, count)
	case completed && p.placings == nil:
		p.scoreAgain()
	case completed && !maps.EqualFunc(p.entered, p.placings, sameNumber):
		p.leave(p.item.Key, "the results have other entries than the show")
	case p.item.Status != game.ShowOpen && count != p.item.Count:
		p.fix(p.item.Key, fmt.Sprintf("counted %d entries in place of %d", count, p.item.Count))
		p.show.Count = count
	}
}

// scoreAgain plans to restore missing results from a new scoring, unless any existing result or receipt contradicts it.
func (p *plan) scoreAgain() {
	again, err := records.NewResults(p.item.Verdict(), p.entries, p.ranked)
	if err != nil {
		p.err = errors.Join(p.err, err)
		return
	}
	agrees := again.Sheets == p.item.Sheets && bytes.Equal(again.Own, p.item.Results)
	best := map[game.ID]int{}
	for _, c := range slices.Backward(p.ranked) {
		best[c.Player] = c.Rank
	}
	for _, k := range p.keysOf(isClaim) {
		receipt := at[records.ClaimItem](p, k)
		agrees = agrees && best[receipt.Player] == receipt.Rank
	}
	keys := p.item.Verdict().ResultKeys(again.Sheets, len(again.Items)-again.Sheets)
	for i, k := range keys {
		item, err := table.Marshal(again.Items[i])
		p.err = errors.Join(p.err, err)
		agrees = agrees && (p.found[k] == nil || reflect.DeepEqual(p.found[k], item))
	}
	for i, k := range keys {
		switch {
		case p.found[k] != nil:
		case agrees:
			p.fix(k, "restored the results by scoring the entries", creation(again.Items[i]))
		default:
			p.leave(k, "results are missing, and a new scoring contradicts existing receipts or results")
		}
	}
}

// checkRefunds plans to begin the refunds of a show again that counts as refunded, if a fee is not given back.
func (p *plan) checkRefunds() {
	for _, k := range p.keysOf(isParticipation) {
		if p.show.RefundedAt > 0 && at[records.ParticipationItem](p, k).Unsettled() {
			p.show.RefundedAt = 0
			p.noteRefunds()
		}
	}
}

// noteRefunds plans to write the note of pending refunds, by which FinishPending finds them.
func (p *plan) noteRefunds() {
	note := records.PendingItem{Key: records.PendingRefundsKey(p.traces.show), Since: p.now}
	p.fix(note.Key, "began the refunds again", write{item: note})
}

// rebuild plans to restore the missing item of a show that is open or cancelled from its rows on the boards, if they
// agree. If only gates are left of the show, it plans to remove them. Otherwise, and if there are receipts, it leaves
// all records, and returns false: what the item of a completed show had cannot be known.
func (p *plan) rebuild() (known bool) {
	item, gates, agree := records.ShowItem{Key: records.ShowKey(p.traces.show)}, p.keysOf(isGate), true
	for _, k := range gates {
		item.Terms = max(item.Terms, at[records.GateItem](p, k).Terms)
	}
	for i, k := range p.keysOf(isBoard) {
		row := at[records.BoardItem](p, k)
		agree = agree && (i == 0 || reflect.DeepEqual(row.ShowFields, item.ShowFields))
		item.ShowFields = row.ShowFields
	}
	switch {
	case len(p.traces.keys) > 0 && len(gates) == len(p.found): // all is to be removed, or is
		for i, k := range gates {
			writes := []write{{key: k, removes: true}}
			if i == 0 { // a transaction may check an item only once
				writes = append(writes, write{key: item.Key, condition: table.Absent})
			}
			p.fix(k, "removed a gate of a show that does not exist", writes...)
		}
		return true
	case !agree, item.Status == "", item.Status == game.ShowCompleted, len(p.keysOf(isClaim)) > 0:
		for _, k := range p.traces.keys {
			p.leave(k, "the show is missing")
		}
		return false
	}
	p.fix(item.Key, "restored the show from its rows on the boards", creation(item))
	if item.Status == game.ShowCancelled {
		p.noteRefunds()
	}
	return true
}

// checkBoards plans to correct the show's rows on the boards by its item, and to remove its rows from all other boards.
func (p *plan) checkBoards() {
	for _, k := range p.boardKeys() {
		becomes := write{item: records.BoardItem{Key: k, ShowFields: p.show.ShowFields}}
		if row := at[records.BoardItem](p, k); row == nil {
			p.fix(k, "restored the row of the board", becomes)
		} else if !reflect.DeepEqual(row.ShowFields, p.show.ShowFields) {
			p.fix(k, "corrected the row of the board", becomes)
		}
	}
	p.removeOthers(p.keysOf(isBoard), p.boardKeys(), "removed the row from the board")
}

// checkGates plans to correct the gates of an open show by its entries, and to remove all other gates of the show.
func (p *plan) checkGates() {
	var keys []table.Key
	if p.item.Status == game.ShowOpen {
		keys = records.GateKeys(p.item.Show(), p.item.Gates)
	}
	counts := make([]int64, p.item.Gates)
	for _, e := range p.entries {
		counts[records.GateOf(records.IdIn(e.SK), p.item.Gates)]++
	}
	for n, k := range keys {
		becomes := records.GateItem{Key: k, Count: counts[n], Terms: p.item.Terms}
		if gate := at[records.GateItem](p, k); gate == nil {
			p.fix(k, fmt.Sprintf("restored gate %d: %d entries", n, counts[n]), creation(becomes))
		} else if *gate != becomes {
			what := fmt.Sprintf("set the count of gate %d from %d to %d", n, gate.Count, counts[n])
			p.fix(k, what, write{item: becomes, condition: gate.AsRead()})
		}
	}
	p.removeOthers(p.keysOf(isGate), keys, "removed a gate that the show does not have")
}

// removeOthers plans to remove the found rows that are not the right ones.
func (p *plan) removeOthers(found, right []table.Key, what string) {
	for _, k := range found {
		if !slices.Contains(right, k) {
			p.fix(k, what, write{key: k, removes: true})
		}
	}
}
