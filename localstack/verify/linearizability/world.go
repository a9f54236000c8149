package linearizability

import (
	"maps"
	"slices"

	"github.com/ranch-game/ranch/shared/game"
)

// World is the stored state in the model, with only the records that an Extent selects. A World is immutable: an
// operation returns a new World. The fields by have the call that made a value; nil: it is older than the history.
type World struct {
	Users   map[game.ID]User
	Animals map[game.ID]Animal
	Shows   map[game.ID]Show
	Seasons map[game.ID]game.Season
	Tokens  map[string]game.RefreshRecord // by digest
	Changes map[game.ID]Record            // of operators' changes

	sums map[*Call]sum // for each call for a season's score: the sum so far
}

// User is an account with its ledger, the numbered changes of its gold.
type User struct {
	game.Account
	Hash   string // of the password
	Ledger []Row  // by number, from 1
}

// Row is a row of a ledger without its id.
type Row struct {
	Amount       int64
	Category     game.Category
	BalanceAfter int64
	Description  string
	Ref          game.ID // the show of the row, or ""
	CreatedAt    game.Instant

	by *Call // nil: from before the history
}

// Animal is an animal, with its earlier state.
type Animal struct {
	game.Animal

	by  *Call   // the call that last changed the animal
	was *Animal // before that change
}

// Show is a show with its entries, results and receipts.
type Show struct {
	game.Show
	Terms      int64 // how often operators have changed the show's terms, such as its fee
	JudgedBy   string
	RefundedAt *game.Instant
	Entries    map[game.ID]Entry   // by animal
	Results    map[game.ID]Placing // by animal; unranked entries have none
	Receipts   map[game.ID]Receipt // by player

	by  *Call // the call that last changed the record
	was *Show // before that change
}

// Entry is an animal's entry in a show, without its id.
type Entry struct {
	Player     game.ID
	Username   string
	AnimalName string
	Breed      string
	RarityTier string
	CreatedAt  game.Instant

	by *Call // nil: from before the history
}

// Placing is an entry's result.
type Placing struct {
	Rank  int // from 1
	Score game.Fixed
}

// Receipt is the record of a player's claim in a show.
type Receipt struct {
	Rank      int // 0: unranked
	Prize     int64
	ClaimedAt game.Instant

	by *Call // nil: from before the history
}

// Record is the audit record of an operator's change, without the values before and after the change.
type Record struct {
	Action, Subject, By string
	At                  game.Instant
	Reason              string
}

// user returns a user's account, or nil if there is no such user.
func (w World) user(id game.ID) *game.Account {
	if u, ok := w.Users[id]; ok {
		return &u.Account
	}
	return nil
}

// byEmail returns the account with an e-mail address, or nil. It ignores deleted users.
func (w World) byEmail(email string) *game.Account {
	for _, u := range w.Users {
		if u.Email == email && u.Status != game.UserDeleted {
			return &u.Account
		}
	}
	return nil
}

// with returns a copy of a map with one value added or replaced.
func with[M ~map[K]V, K comparable, V any](m M, k K, v V) M {
	m = maps.Clone(m)
	if m == nil {
		m = M{}
	}
	m[k] = v
	return m
}

// withAccount returns the world with a changed account.
func (w World) withAccount(a game.Account) World {
	u := w.Users[a.ID]
	u.Account = a
	w.Users = with(w.Users, a.ID, u)
	return w
}

// withGold returns the world after the call by has added a row to a user's ledger.
func (w World) withGold(entry game.LedgerEntry, by *Call) World {
	u := w.Users[entry.UserID]
	u.add(entry, by)
	w.Users = with(w.Users, entry.UserID, u)
	return w
}

func (u *User) add(entry game.LedgerEntry, by *Call) {
	row := newRow(entry)
	row.by = by
	u.GoldBalance, u.LedgerSeq = entry.BalanceAfter, entry.Seq
	u.Ledger = append(slices.Clip(u.Ledger), row)
}

func newRow(e game.LedgerEntry) Row {
	row := Row{Amount: e.Amount, Category: e.Category, BalanceAfter: e.BalanceAfter, Description: e.Description, CreatedAt: e.CreatedAt}
	if e.RefID != nil {
		row.Ref = *e.RefID
	}
	return row
}

// withShow returns the world with s in place of the show with its id.
func (w World) withShow(s Show) World {
	w.Shows = with(w.Shows, s.ID, s)
	return w
}

// withRecord returns the world after the call by has changed a show's record.
func (w World) withRecord(s Show, by *Call) World {
	s.by, s.was = by, new(w.Shows[s.ID])
	return w.withShow(s)
}

// underWay reports whether a change could still be invisible, at least in part, to a reading call: when reader began,
// the change had not certainly ended (end).
func underWay(change, reader *Call) bool { return change != nil && change.end() >= reader.Called }

// end returns the latest time at which a call can take effect, or Never if that time is unknown.
func (c *Call) end() int64 {
	if c.Returned == Never && c.Over > 0 {
		return c.Over
	}
	return c.Returned
}

// records returns every version of the show that the reading call could have seen: the newest, and the versions before
// changes that were still under way (underWay).
func (s Show) records(reader *Call) []Show {
	records := []Show{s}
	for s.was != nil && underWay(s.by, reader) {
		s = *s.was
		records = append(records, s)
	}
	return records
}
