package invariants

import "github.com/ranch-game/ranch/shared/game"

// Facts is the part of a table's content that a checker can compare with the service's answers to calls.
type Facts struct {
	Users    map[game.ID]User
	Animals  map[game.ID]Animal
	Shows    map[game.ID]Show
	Changes  map[game.ID]string // actions of operators, by the changes' ids
	Sessions map[string]game.ID // users of refresh records, by digest
}

// User is an account with its whole ledger, in the order of the rows' numbers. The ledger includes the fees, although
// the table keeps them in the participations, the players' copies of entries.
type User struct {
	Email, Username string
	Ledger          []game.LedgerEntry
}

// Animal is an animal with the values that operators can change.
type Animal struct {
	Owner         game.ID
	Stage, Status string
	Dead          bool
	Changes       int // number of changes by operators
}

// Show is a show with its entries, results, receipts and refunds.
type Show struct {
	Status   game.ShowStatus
	Name     string
	Fee      int64
	ClosesAt game.Instant
	Terms    int // number of changes of the show's terms
	JudgedBy string
	Refunded bool                // the show's item says that all fees are refunded
	Entries  map[game.ID]Entry   // by animal
	Placings map[game.ID]Placing // by animal; nil if the show is not completed
	Receipts map[game.ID]Receipt // by player
}

// Entry is an animal's entry.
type Entry struct {
	Player   game.ID
	Refunded bool
}

// Placing is the result of an entry: its rank and score. Rank 0 means that the entry has no rank.
type Placing struct {
	Rank  int
	Score game.Fixed
}

// Receipt is the record of a player's claim in a show. Rank 0 means that the claim was for an entry without a rank.
type Receipt struct {
	Rank  int
	Prize int64
}

// facts returns the content of the books.
func (b *books) facts() Facts {
	f := Facts{
		Users: map[game.ID]User{}, Animals: map[game.ID]Animal{}, Shows: map[game.ID]Show{}, Changes: b.changes, Sessions: b.tokens,
	}
	for id, u := range b.users {
		f.Users[id] = User{u.Email, u.Username, b.ledgers[id]}
	}
	for id, a := range b.animals {
		f.Animals[id[1]] = Animal{id[0], a.Stage, a.Status, a.DiedAt != nil, a.Changes}
	}
	for id, s := range b.shows {
		if s.item == nil {
			continue
		}
		show := Show{
			Status: s.item.Status, Name: s.item.Name, Fee: s.item.Fee, ClosesAt: s.item.ClosesAt,
			Terms: int(s.item.Terms), JudgedBy: s.item.JudgedBy,
			Refunded: s.item.RefundedAt > 0, Entries: map[game.ID]Entry{}, Placings: s.placings, Receipts: map[game.ID]Receipt{},
		}
		for animal, e := range s.entries {
			part := b.parts[[3]game.ID{e.Player, id, animal}]
			show.Entries[animal] = Entry{Player: e.Player, Refunded: part.Refund > 0}
		}
		for player, r := range s.receipts {
			show.Receipts[player] = Receipt{r.Rank, r.Prize}
		}
		f.Shows[id] = show
	}
	return f
}
