package invariants

import "github.com/ranch-game/ranch/shared/game"

// Facts are what a table says, as far as what was answered can be held against it.
type Facts struct {
	Users    map[game.ID]User
	Animals  map[game.ID]Animal
	Shows    map[game.ID]Show
	Changes  map[game.ID]string // what operators did, by the changes' ids
	Sessions map[string]game.ID // users of refresh records, by digest
}

// User is an account with its ledger, fees among the other rows, in the order of their numbers.
type User struct {
	Email, Username string
	Ledger          []game.LedgerEntry
}

// Animal is an animal as operators have left it.
type Animal struct {
	Owner         game.ID
	Stage, Status string
	Dead          bool
	Changes       int // how many operators have made
}

// Show is a show with all that belongs to it.
type Show struct {
	Status   game.ShowStatus
	Name     string
	Fee      int64
	ClosesAt game.Instant
	Terms    int // how often they have been changed
	JudgedBy string
	Refunded bool                // it says that all fees are given back
	Entries  map[game.ID]Entry   // by animal
	Placings map[game.ID]Placing // by animal; none of a show that is not completed
	Receipts map[game.ID]Receipt // by player
}

// Entry is an animal's entry.
type Entry struct {
	Player   game.ID
	Refunded bool
}

// Placing is what a judging gave to an entry; rank 0 is unranked.
type Placing struct {
	Rank  int
	Score game.Fixed
}

// Receipt says what a player has claimed; rank 0 is unranked.
type Receipt struct {
	Rank  int
	Prize int64
}

// facts returns what the books say.
func (b *Books) facts() Facts {
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
