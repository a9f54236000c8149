package invariants

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/ranch-game/ranch/shared/game"
)

// addChange keeps the action of the operator's change with the id. It also keeps the amount if the change adjusted
// gold, and the show's earlier name if it changed a show.
func (b *books) addChange(id game.ID, av Row) error {
	row, err := decode[struct {
		Action  string `dynamodbav:"ac"`
		Subject string `dynamodbav:"sb"`
		Before  string `dynamodbav:"be"`
		After   string `dynamodbav:"af"`
	}](av)
	b.changes[id] = row.Action
	if row.Action == "adjust gold" {
		b.adjustments[id] = adjustment{game.ID(strings.TrimPrefix(row.Subject, "user ")), goldOf(row.After) - goldOf(row.Before)}
	}
	if err != nil || row.Action != "set show" {
		return err
	}
	var before game.Show
	err = json.Unmarshal([]byte(row.Before), &before)
	show := game.ID(strings.TrimPrefix(row.Subject, "show "))
	b.names[show] = append(b.names[show], before.Name)
	return err
}

// adjustment is an operator's change of a user's gold, from the record of the change.
type adjustment struct {
	user   game.ID
	amount int64
}

// goldOf returns the balance in gold from a text of an adjustment's record. It returns 0 if the text has no balance.
func goldOf(state string) int64 {
	var read struct{ GoldBalance int64 }
	if json.Unmarshal([]byte(state), &read) != nil {
		return 0 // then the amount differs from the row's, which is a problem
	}
	return read.GoldBalance
}

// checkRefunds compares a show's refunds with its participations, the players' copies of entries. A participation has
// its fee's ledger row, and the number of the refund's row. Only a cancelled show may have refunds.
func (b *books) checkRefunds(id game.ID, s *showBooks) {
	refunds := map[game.ID]int{} // by user
	for at, part := range b.parts {
		if at[1] != id {
			continue
		}
		if part.Refund > 0 {
			refunds[at[0]]++
			if !slices.ContainsFunc(b.moved(at[0], id, game.CategoryRefund), func(row game.LedgerEntry) bool { return row.Seq == part.Refund }) {
				b.report(aboutShow(id), ledgerKey(at[0], part.Refund), "row %d of %s is not the refund for %s", part.Refund, at[0], at[2])
			}
		} else if part.Fee != nil && s.item.RefundedAt > 0 {
			b.report(aboutShow(id), part.key(at), "the show says that all fees are refunded, that of %s with %s is not", at[0], at[2])
		}
	}
	if s.item.Status != game.ShowCancelled && (len(refunds) > 0 || s.item.RefundedAt > 0) {
		b.report(aboutShow(id), showKey(id), "the show is %s, and has refunds of %d users; it says that all are made: %t", s.item.Status, len(refunds), s.item.RefundedAt > 0)
	}
	for user := range b.ledgers {
		b.checkMoves(id, user, game.CategoryRefund, refunds[user], s.item.Fee, "Show cancelled: "+s.item.Name)
	}
}

// addPending keeps a note that work of an operator's change is pending.
func (b *books) addPending(key Key, av Row) error {
	if !strings.HasPrefix(key.SK, "REFUNDS#") && !strings.HasPrefix(key.SK, "NAMES#") {
		return errUnknownKind
	}
	b.pending[key] = true
	_, err := decode[struct {
		Since game.Instant `dynamodbav:"si"`
	}](av)
	return err
}

// checkPending compares the notes of pending work with their shows and users. A note of refunds must stay until all
// refunds are made. A note of a user's names may also stay after the work, until the next run of FinishPending.
func (b *books) checkPending() {
	for id, s := range b.shows {
		k := refundsKey(id)
		if s.item != nil && (s.item.Status == game.ShowCancelled && s.item.RefundedAt == 0) != b.pending[k] {
			b.report(aboutShow(id), k, "the show is %s; it says that all refunds are made: %t; there is a note that refunds are pending: %t", s.item.Status, s.item.RefundedAt > 0, b.pending[k])
		}
	}
	for k := range b.pending {
		user, isName := strings.CutPrefix(k.SK, "NAMES#")
		if show, ok := strings.CutPrefix(k.SK, "REFUNDS#"); ok && b.shows[game.ID(show)] == nil {
			b.report(aboutShow(game.ID(show)), k, "refunds are pending of a show that does not exist")
		}
		if isName && b.users[game.ID(user)] == nil {
			b.report(aboutUser(game.ID(user)), k, "a change of names is pending of a user who does not exist")
		}
	}
}
