// Package linearizability is a linearizability checker for short histories of the store's operations. A history is a
// list of calls, each with its request, its answer and their times, and the stored state before and after. It is valid
// if it is linearizable by the rules of package game: some order of all calls explains every answer and the final
// state. Each call takes effect at an instant between its beginning and its end. A refused call has no effect. A call
// without an answer takes effect at any time after its beginning, or never. Explain looks for such an order with
// porcupine's search.
//
// The model applies the rules to a World in memory, without tables or transactions. Package logcheck checks histories
// of any length. It has no model, and only checks whether each answer is possible.
//
// # Answers from several items
//
// A list, a detail and a season's score show several items of the table, and a log-in shows the account before it
// writes. Each part of such an answer is right at an instant within the call, but different parts may have different
// instants:
//
//   - Of a list: each show's row, present or not, and each count, at an instant at which the show has the row's
//     status. A show that moves to another closing time or tier may be missing meanwhile.
//   - Of a detail: the show's record; each entry, present or not; and each player's claim. A judging is shown whole
//     or not at all: the record, all entries, and their ranks and scores together.
//   - Of a season's score: each show, with all points of the player in it, or none.
//   - Of a log-in: the account with its gold.
//   - Of a refund: each fee, and the note that all are refunded.
//   - Of a deletion: the account, the name in each entry, and the number of entries.
//
// A change becomes visible item by item until its call is answered. A part may show the state before a change if its
// call had no answer when the reader's call began, even if another answer has shown the state after it. So a judging
// that was answered before counts in a season's score from then on, if the player's entry was answered before, too.
// Refusals and changes have no such leeway. The one exception is a log-in: if it begins before a registration is
// answered, it may find no account.
//
// A judging scores each animal as it was at some instant of its call.
package linearizability

import (
	"math"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// Call is one call of a history.
type Call struct {
	Op       Op
	Called   int64 // by a clock that all calls share; below Never
	Returned int64 // not before Called; Never without an answer
	Answer   any   // has the type that the operation names; nil if the call was refused or got no answer
	Err      error // nil: done; a refusal of package game or store: refused; any other: unknown
	// Over is the latest time at which a call without an answer can have taken effect; 0 if unknown.
	Over int64
}

// Never is the return time of a call whose outcome is unknown, for example because no answer came.
const Never = math.MaxInt64

// Op is a request: Operation or one of the types below, by value.
type Op interface {
	// steps returns the instants at which the rules must explain the call, in any order. A call that cannot contradict
	// them has none.
	steps(c *Call, h *history) []step
}

// These are the players' operations. Now is the time of the request, which the rules use.
type (
	// Register has the answer nil.
	Register struct {
		Account game.Account
		Animals []game.Animal
		Ledger  game.LedgerEntry
		Token   game.RefreshRecord
	}
	// Login has the account before the log-in as its answer, a game.Account. Hash is the hash of the sent password.
	Login struct {
		Email string
		Hash  string
		Token game.RefreshRecord
		Now   game.Instant
	}
	// Refresh has the game.Account in the access token as its answer.
	Refresh struct {
		Digest string
		User   game.ID
		Now    game.Instant
	}
	// Logout has the answer nil.
	Logout struct{ Digest string }
	// List asks for the shows with a status and a tier. Its answer is a []game.ListedShow. The checker ignores listed
	// shows that the World lacks.
	List struct {
		Status game.ShowStatus
		Tier   string
	}
	// Detail has a Details as its answer.
	Detail struct{ Show game.ID }
	// Enter has the fee as its answer, an int64.
	Enter struct {
		Caller, Show, Animal game.ID
		Now                  game.Instant
	}
	// Judge has a []game.Contestant as its answer.
	Judge struct {
		Caller, Show game.ID
		Now          game.Instant
	}
	// Due judges a show after its closing time; no player asks for it. Its answer is a []game.Contestant.
	Due struct {
		Show game.ID
		Now  game.Instant
	}
	// Claim has a Prize as its answer.
	Claim struct {
		Caller, Show game.ID
		Now          game.Instant
	}
	// Season asks for a user's score in a season. Its answer is an int64. The World must have all shows of the season
	// that the user has entered.
	Season struct{ User, Season game.ID }
)

// Refund is an operator's change without an audit record. Its answer is nil.
type Refund struct {
	Change store.Change
	Show   game.ID
}

// Details are a show with its entries.
type Details struct {
	Show    game.Show
	Entries []game.Entry
}

// Prize is the answer to a claim; rank 0 is unranked.
type Prize struct {
	Rank  int
	Prize int64
}
