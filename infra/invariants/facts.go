package invariants

import "github.com/ranch-game/ranch/shared/game"

// Facts is the part of a table's content that a caller can compare with the answers to its calls.
type Facts struct {
	Users   map[game.ID]string // e-mail addresses
	Shows   map[game.ID]Show
	Changes map[game.ID]string // actions of operators, by the changes' ids
}

// Show has the changes of a show by players.
type Show struct {
	JudgedBy string               // a player's id, or the name of another judge
	Entries  map[game.ID]game.ID  // players by animal
	Claims   map[game.ID]struct{} // players with a receipt
}

// facts returns the content of the books.
func (b *books) facts() Facts {
	f := Facts{Users: map[game.ID]string{}, Shows: map[game.ID]Show{}, Changes: b.changes}
	for id, u := range b.users {
		f.Users[id] = u.Email
	}
	for id, s := range b.shows {
		if s.item == nil {
			continue
		}
		show := Show{JudgedBy: s.item.JudgedBy, Entries: map[game.ID]game.ID{}, Claims: map[game.ID]struct{}{}}
		for animal, e := range s.entries {
			show.Entries[animal] = e.Player
		}
		for player := range s.receipts {
			show.Claims[player] = struct{}{}
		}
		f.Shows[id] = show
	}
	return f
}
