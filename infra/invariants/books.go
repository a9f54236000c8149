package invariants

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/table"
)

// Problems returns all violations of invariants among the rows. The rows must be the whole table.
func Problems(rows []table.Attributes) []Problem {
	b := newBooks()
	for _, row := range rows {
		b.add(row)
	}
	return b.check()
}

// books holds the rows of a table, and what the checks look up in them.
type books struct {
	rows          map[table.Key]any // what records.Decode returns: an item or an error
	startersCount bool              // whether registered users must have three animals; tests also make players with fewer

	// Set by index:
	ledgers map[game.ID][]*game.LedgerEntry // by user, in the order of their numbers
	animals map[game.ID]int                 // the number of a user's animals
	shows   map[game.ID]*showBooks
	seasons map[game.ID]*standingsBooks
	newest  game.Instant // time of the newest ledger row

	// Set by the checks:
	gates    map[table.Key]bool // of open shows
	problems []Problem
}

func newBooks() *books { return &books{rows: map[table.Key]any{}} }

// add decodes a row and keeps it in the books.
func (b *books) add(row table.Attributes) {
	key, item, err := records.Decode(row)
	if err != nil {
		item = err
	}
	b.rows[key] = item
}

// get returns the item with the key, or nil if the books have no such item.
func get[Item any](b *books, key table.Key) *Item {
	item, _ := b.rows[key].(*Item)
	return item
}

// all calls visit with each item of a type.
func all[Item any](b *books, visit func(*Item)) {
	for _, row := range b.rows {
		if item, is := row.(*Item); is {
			visit(item)
		}
	}
}

// check returns the violations among the rows that were added, sorted by subject, record and text, each once.
func (b *books) check() []Problem {
	b.problems, b.gates = nil, map[table.Key]bool{}
	b.index()
	for key, row := range b.rows {
		if err, damaged := row.(error); damaged {
			b.report(b.subjectOf(key), key, "the row cannot be read: %v", err)
		}
	}
	all(b, b.checkReservation)
	all(b, b.checkAnimal)
	all(b, b.checkUser)
	all(b, b.checkSeason)
	all(b, func(r *records.RefreshItem) { b.mustExist(r.User, "a refresh record") })
	for user := range b.ledgers {
		b.mustExist(user, "a ledger row")
	}
	for _, s := range b.shows {
		b.checkShow(s)
	}
	all(b, b.checkJudged)
	for id, s := range b.seasons {
		b.checkStandings(id, s)
	}
	all(b, func(g *records.GateItem) {
		if !b.gates[g.Key] {
			b.report(b.subjectOf(g.Key), g.Key, "it is a gate of no open show")
		}
	})
	slices.SortFunc(b.problems, compareProblems)
	return slices.CompactFunc(b.problems, func(x, y Problem) bool { return compareProblems(x, y) == 0 })
}

// index groups the rows by user and show.
func (b *books) index() {
	b.ledgers, b.animals = map[game.ID][]*game.LedgerEntry{}, map[game.ID]int{}
	b.shows, b.seasons, b.newest = map[game.ID]*showBooks{}, map[game.ID]*standingsBooks{}, 0
	for key, row := range b.rows {
		switch item := row.(type) {
		case *records.UserItem:
			b.mustBe(key, records.UserKey(ownerOf(key)))
		case *records.AnimalItem:
			b.mustBe(key, records.AnimalKey(ownerOf(key), records.IdIn(key.SK)))
			b.animals[ownerOf(key)]++
		case *records.LedgerItem:
			b.mustBe(key, records.LedgerKey(ownerOf(key), item.Seq))
			if item.Currency != game.Currency || item.Category == game.CategoryFee {
				b.report(aboutUser(ownerOf(key)), key, "the row is a %s in %s", item.Category, item.Currency)
			}
			b.enter(item.Row())
		case *records.ParticipationItem:
			b.mustExist(ownerOf(key), "a participation")
			b.show(item.Show()).parts = append(b.show(item.Show()).parts, item)
			if fee, paid := item.Row(); paid {
				b.enter(fee)
			}
		case *records.ShowItem:
			b.mustBe(key, records.ShowKey(b.show(records.ShowIn(key.PK)).id))
		case *records.EntryItem:
			s := b.show(records.ShowIn(key.PK))
			s.entries = append(s.entries, item)
		case *records.BoardItem:
			s := b.show(records.IdIn(key.SK))
			s.boards = append(s.boards, item)
		case *records.SheetItem, *records.PageItem, *records.ClaimItem:
			s, verdict := b.show(records.ShowIn(key.PK)), records.VerdictIn(key.PK)
			s.results[verdict] = append(s.results[verdict], key)
		case *records.PendingItem:
			b.indexPending(item)
		case *records.StandingsItem:
			b.season(item.Season())
		case *records.FoldedItem:
			b.indexFolded(item)
		case *records.JudgedItem:
			b.show(item.Show())
		case *records.AuditItem:
			b.indexChange(item)
		}
	}
	for _, rows := range b.ledgers {
		slices.SortFunc(rows, func(x, y *game.LedgerEntry) int { return cmp.Compare(x.Seq, y.Seq) })
	}
}

// mustBe reports a row that has another key than its content requires.
func (b *books) mustBe(key, want table.Key) {
	if key != want {
		b.report(b.subjectOf(key), key, "the row should be %s", want)
	}
}

func ownerOf(key table.Key) game.ID { return records.IdIn(table.SK(key.PK)) }

// enter keeps a row of a ledger, and leads from its show to it.
func (b *books) enter(row game.LedgerEntry) {
	b.ledgers[row.UserID] = append(b.ledgers[row.UserID], &row)
	b.newest = max(b.newest, row.CreatedAt)
	if row.RefID != nil {
		s := b.show(*row.RefID)
		s.moves = append(s.moves, &row)
	}
}

// indexPending leads from a note of pending refunds to its show, and checks that the user of any other note exists. A
// note of a user's names may stay after the work, until the next run of Finish.
func (b *books) indexPending(note *records.PendingItem) {
	switch id := records.IdIn(note.SK); {
	case note.Key == records.PendingRefundsKey(id):
		b.show(id)
	case get[records.UserItem](b, records.UserKey(id)) == nil:
		b.report(aboutUser(id), note.Key, "a change of names is pending of a user who does not exist")
	}
}

// indexChange keeps the earlier name of a show that an operator has changed: the fees' rows of before have it.
func (b *books) indexChange(change *records.AuditItem) {
	show, is := strings.CutPrefix(change.Subject, "show ")
	if !is || change.Action != "set show" {
		return
	}
	var before game.Show
	if err := json.Unmarshal([]byte(change.Before), &before); err != nil {
		b.report(aboutShow(game.ID(show)), change.Key, "the record has no earlier state of the show: %v", err)
	}
	s := b.show(game.ID(show))
	s.names = append(s.names, before.Name)
}
