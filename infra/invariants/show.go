package invariants

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/table"
)

// showBooks holds all rows of one show except its gates, the counter shards.
type showBooks struct {
	id      game.ID
	item    *records.ShowItem // nil: missing or damaged
	entries []*records.EntryItem
	parts   []*records.ParticipationItem
	boards  []*records.BoardItem
	results map[records.Verdict][]table.Key // sheets, pages and receipts
	moves   []*game.LedgerEntry             // rows of ledgers about the show
	names   []string                        // earlier ones

	// Set by checkShow:
	due    map[move]payment // what moves must be
	list   []game.Entry     // of all pages
	places map[game.ID]records.Placings
}

// move is a kind of ledger rows about a show.
type move struct {
	user     game.ID
	category game.Category
}

// payment is what the rows of a move must be: n rows, each with the amount and the description of one of like.
type payment struct {
	n    int
	like []game.LedgerEntry
}

func (b *books) show(id game.ID) *showBooks {
	if b.shows[id] == nil {
		b.shows[id] = &showBooks{
			id: id, item: get[records.ShowItem](b, records.ShowKey(id)),
			results: map[records.Verdict][]table.Key{},
		}
	}
	return b.shows[id]
}

// owe notes that there must be one more row like one of these.
func (s *showBooks) owe(like ...game.LedgerEntry) {
	m := move{like[0].UserID, like[0].Category}
	s.due[m] = payment{s.due[m].n + 1, like}
}

// account returns an account with the id, for rows about it.
func account(user game.ID) game.Account { return game.Account{User: game.User{ID: user}} }

// sound reports whether the show's own item exists and has an id and gates, on which the keys of other rows depend.
func (s *showBooks) sound() bool {
	_, isID := game.ParseID(string(s.id))
	return isID && s.item != nil && s.item.ID == s.id && s.item.Gates >= 1 && s.item.Gates <= records.MaxGates
}

func (b *books) checkShow(s *showBooks) {
	switch {
	case s.item == nil:
		b.report(aboutShow(s.id), records.ShowKey(s.id), "the show does not exist, and has rows")
		return
	case !s.sound():
		b.report(aboutShow(s.id), s.item.Key, "the show's id is %q, and it has %d gates", s.item.ID, s.item.Gates)
		return
	}
	if get[records.SeasonItem](b, records.SeasonKey(s.item.Season)) == nil {
		b.report(aboutSeason(s.item.Season), records.SeasonKey(s.item.Season),
			"the show %s is of a season that does not exist", s.id)
	}
	s.due, s.places = map[move]payment{}, map[game.ID]records.Placings{}
	b.checkEntries(s)
	b.checkParticipations(s)
	b.checkBoards(s)
	b.checkRefunds(s)
	b.checkLeftovers(s)
	if s.item.Status == game.ShowCompleted {
		b.checkResults(s)
		b.addResults(s)
	} else {
		b.checkUnjudged(s)
	}
	b.checkMoves(s)
	b.checkGates(s)
	s.due, s.list, s.places = nil, nil, nil // to save memory
}

func (b *books) checkUnjudged(s *showBooks) {
	if s.item.JudgedAt != nil || s.item.JudgedBy+s.item.VerdictID != "" || s.item.Sheets > 0 || len(s.item.Results) > 0 {
		b.report(aboutShow(s.id), s.item.Key, "the show is %s, and has signs of a judging", s.item.Status)
	}
	count := 0
	if s.item.Status == game.ShowCancelled {
		count = len(s.entries)
	}
	if s.item.Count != int64(count) {
		b.report(aboutShow(s.id), s.item.Key, "the show is %s with %d entries, and says %d",
			s.item.Status, len(s.entries), s.item.Count)
	}
}

// traits are those of an animal, which its entries copy.
type traits struct {
	Condition game.Fixed
	Health    int
	Phenotype *game.Phenotype
}

func (b *books) checkEntries(s *showBooks) {
	for _, e := range s.entries {
		animal := records.IdIn(e.SK)
		b.mustBe(e.Key, records.EntryKey(s.id, animal, s.item.Gates))
		if at := records.ParticipationKey(e.Player, s.item.Season, s.id, animal); b.rows[at] == nil {
			b.report(aboutShow(s.id), at, "%s entered %s and does not take part", e.Player, animal)
		}
		if name := b.nameOf(e.Player); e.PlayerUsername != name {
			b.reportOf(e.Player, aboutShow(s.id), e.Key, "the entry is under the name %q, want %q", e.PlayerUsername, name)
		}
		a := get[records.AnimalItem](b, records.AnimalKey(e.Player, animal))
		if a == nil {
			b.report(aboutShow(s.id), records.AnimalKey(e.Player, animal), "%s entered %s, and has no such animal",
				e.Player, animal)
		} else if a.Changes == 0 && e.Phenotype != nil {
			is, want := traits{e.Condition, e.Health, e.Phenotype}, traits{a.Condition, a.Health, a.Phenotype}
			if differences := differing(is, want); differences != "" {
				b.reportOf(e.Player, aboutShow(s.id), e.Key, "the entry differs from the animal: %s", differences)
			}
		}
		if s.item.EntryFee > 0 {
			var fees []game.LedgerEntry
			for _, name := range append(s.names, s.item.Name) {
				show := s.item.Show()
				show.Name = name
				fees = append(fees, game.FeeEntry(account(e.Player), show, 0))
			}
			s.owe(fees...)
		}
	}
}

// nameOf returns the username that entries of the user must have.
func (b *books) nameOf(user game.ID) string {
	if u := b.user(user); u != nil {
		return u.Account().ShownName()
	}
	return ""
}

// checkParticipations compares every participation, the player's copy of an entry, with the entry. It also compares the
// participation's fee with the show's.
func (b *books) checkParticipations(s *showBooks) {
	for _, part := range s.parts {
		user, animal := ownerOf(part.Key), records.IdIn(part.SK)
		b.mustBe(part.Key, records.ParticipationKey(user, s.item.Season, s.id, animal))
		at := records.EntryKey(s.id, animal, s.item.Gates)
		entry := get[records.EntryItem](b, at)
		switch {
		case entry == nil:
			b.report(aboutShow(s.id), at, "user %s takes part with the animal %s, and the entry is missing", user, animal)
		case entry.Player != user:
			b.report(aboutShow(s.id), at, "the entry is of %s, the participation of %s", entry.Player, user)
		case part.CreatedAt != entry.CreatedAt || part.AnimalName != entry.AnimalName:
			b.report(aboutShow(s.id), part.Key, "the participation is of %q at %v, the entry of %q at %v",
				part.AnimalName, part.CreatedAt, entry.AnimalName, entry.CreatedAt)
		}
		if paid := part.Fee != nil; paid != (s.item.EntryFee > 0) {
			b.report(aboutShow(s.id), part.Key, "the participation has a fee: %t; the show's fee is %d gold",
				paid, s.item.EntryFee)
		}
	}
}

// checkGates compares the gates of an open show, its counter shards, with its entries.
func (b *books) checkGates(s *showBooks) {
	if s.item.Status != game.ShowOpen {
		return
	}
	counts := make([]int64, s.item.Gates)
	for _, e := range s.entries {
		counts[records.GateOf(records.IdIn(e.SK), s.item.Gates)]++
	}
	for k, at := range records.GateKeys(s.item.Show(), s.item.Gates) {
		b.gates[at] = true
		switch gate := get[records.GateItem](b, at); {
		case gate == nil:
			b.report(aboutShow(s.id), at, "gate %d of the open show is missing; %d entries came through it", k, counts[k])
		case gate.Count != counts[k]:
			b.report(aboutShow(s.id), at, "gate %d counts %d entries, and there are %d", k, gate.Count, counts[k])
		case gate.Terms != s.item.Terms:
			b.report(aboutShow(s.id), at, "gate %d has the terms %d, and the show %d", k, gate.Terms, s.item.Terms)
		}
	}
}

// boardKeys returns the keys of the show's rows on the boards, the lists of shows, if the show has the status.
func (s *showBooks) boardKeys(status game.ShowStatus) (keys []table.Key) {
	for _, tier := range []string{"", s.item.Tier} {
		keys = append(keys, records.BoardKey("", tier, s.item.Show()), records.BoardKey(status, tier, s.item.Show()))
	}
	return keys
}

func (b *books) checkBoards(s *showBooks) {
	want := s.boardKeys(s.item.Status)
	for _, at := range want {
		if get[records.BoardItem](b, at) == nil {
			b.report(aboutShow(s.id), at, "the show is not on this board")
		}
	}
	for _, row := range s.boards {
		if !slices.Contains(want, row.Key) {
			b.report(aboutShow(s.id), row.Key, "the show should not be on this board")
		} else if differences := differing(row.ShowFields, s.item.ShowFields); differences != "" {
			b.report(aboutShow(s.id), row.Key, "the row differs from the show: %s", differences)
		}
	}
}

// checkRefunds compares a show's refunds with its participations. A participation has its fee's ledger row, and the
// number of the refund's row. Only a cancelled show may have refunds. It has a note until all are made.
func (b *books) checkRefunds(s *showBooks) {
	refunds, cancelled := 0, s.item.Status == game.ShowCancelled
	for _, part := range s.parts {
		user, animal := ownerOf(part.Key), records.IdIn(part.SK)
		if part.Refund > 0 {
			refunds++
			s.owe(game.RefundEntry(account(user), s.item.Show(), s.item.EntryFee, 0))
			at := records.LedgerKey(user, part.Refund)
			row := get[records.LedgerItem](b, at)
			if row == nil || row.Category != game.CategoryRefund || row.RefID == nil || *row.RefID != s.id {
				b.report(aboutShow(s.id), at, "row %d of %s is not the refund for %s", part.Refund, user, animal)
			}
		} else if part.Unsettled() && s.item.RefundedAt > 0 {
			b.report(aboutShow(s.id), part.Key, "the show says that all fees are refunded, that of %s with %s is not",
				user, animal)
		}
	}
	refunded, note := s.item.RefundedAt > 0, records.PendingRefundsKey(s.id)
	if !cancelled && (refunds > 0 || refunded) {
		b.report(aboutShow(s.id), s.item.Key, "the show is %s, and has %d refunds; it says that all are made: %t",
			s.item.Status, refunds, refunded)
	}
	if noted := b.rows[note] != nil; noted != (cancelled && !refunded) {
		b.report(aboutShow(s.id), note, "the show is %s; it says that all refunds are made: %t; "+
			"there is a note that refunds are pending: %t", s.item.Status, refunded, noted)
	}
}

// checkMoves compares the ledger rows about the show with those that are due.
func (b *books) checkMoves(s *showBooks) {
	count := map[move]int{}
	for _, row := range s.moves {
		m := move{row.UserID, row.Category}
		count[m]++
		like := s.due[m].like
		if len(like) > 0 && !slices.ContainsFunc(like, func(want game.LedgerEntry) bool {
			return row.Amount == want.Amount && row.Description == want.Description
		}) {
			b.report(aboutShow(s.id), records.LedgerKey(m.user, row.Seq), "%s has a row of %d gold for %q, want %d gold for %q",
				m.user, row.Amount, row.Description, like[0].Amount, like[len(like)-1].Description)
		}
	}
	for m := range s.due {
		count[m] += 0
	}
	for m, n := range count {
		if want := s.due[m].n; n != want {
			b.reportOf(m.user, aboutShow(s.id), b.moveKey(s, m), "%s has %d rows of the category %s about the show, want %d",
				m.user, n, m.category, want)
		}
	}
}

// moveKey returns the key to report if the user's ledger rows about a show are wrong. It is the key of the first
// missing row or, if none is missing, of the next row. For a reward without a receipt it is the receipt's key.
func (b *books) moveKey(s *showBooks, m move) table.Key {
	if places := s.places[m.user]; m.category == game.CategoryReward && s.due[m].n == 0 && len(places) > 0 {
		return s.item.Verdict().ClaimKey(places[0].Place)
	}
	seq := int64(1) // the first number without a row
	for _, row := range b.ledgers[m.user] {
		if row.Seq == seq {
			seq++
		}
	}
	return records.LedgerKey(m.user, seq)
}

// differing names the fields in which is differs from want: "Fee is 25 instead of 20". Both are structs of the same
// type. It returns "" if they are equal.
func differing[Fields any](is, want Fields) string {
	var all []string
	was, wanted := reflect.ValueOf(is), reflect.ValueOf(want)
	for i := range was.NumField() {
		if !reflect.DeepEqual(was.Field(i).Interface(), wanted.Field(i).Interface()) {
			all = append(all, fmt.Sprintf("%s is %v instead of %v",
				was.Type().Field(i).Name, value(was.Field(i)), value(wanted.Field(i))))
		}
	}
	return strings.Join(all, ", ")
}

// value returns a field's value for an operator: nil and "" become "missing", and a pointer becomes its target.
func value(v reflect.Value) any {
	if v.Kind() == reflect.Pointer && v.IsNil() || v.IsZero() && v.Kind() == reflect.String {
		return "missing"
	}
	return reflect.Indirect(v).Interface()
}
