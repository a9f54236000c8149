// Package linearizability is a linearizability checker for short histories of the store's operations. A history has the
// stored state before and after, and calls with their requests, answers and times. The history is valid (linearizable)
// if some order of all calls explains every answer and the final state by the rules of package game. Each call takes
// effect at an instant between its beginning and its end. A refused call has no effect. A call without an answer takes
// effect at any time after its beginning, or never. Explain looks for such an order with the library porcupine.
//
// The model applies the rules to a World in memory, without tables or transactions. Package logcheck checks histories
// of any length. It looks for no order, and only checks whether each answer is possible.
//
// # Answers from several items
//
// Some calls read or change several items of the table. Each part of such a call must be right at an instant within the
// call, but different parts may have different instants:
//
//   - Of a list of shows: each show's row, present or not, and the number of its entries, at an instant at which the
//     show has the row's status. While a show gets another closing time or tier, it may be missing.
//   - Of a detail, a show with its entries: the show's record; each entry, present or not; and each player's claim. For
//     a judged show, the record, all entries, and their ranks and scores are one part.
//   - Of a player's score in a season: for each show, all of the player's points in it, or none.
//   - Of a log-in: the account with its gold, as answered; and the log-in itself.
//   - Of an operator's refund: each fee, and the note that all are refunded.
//   - Of a deletion or renaming: the account, the name in each entry, and the number of entries.
//
// A change becomes visible item by item until its call is answered. If the change had no answer when a reading call
// began, a part may show the state before the change, even if another answer has shown the state after it. So a judging
// counts in every season's score whose call begins after the answers to the judging and to the player's entry. Refusals
// and changes must follow from the newest state. The one exception is a log-in: if it begins before the answer to the
// registration, it may find no account.
//
// A judging may score each animal as it was at any instant of the judging's call.
package linearizability

import (
	"math"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// Call is one call of a history.
type Call struct {
	Op       Op
	Called   int64 // when the call began, by a clock that all calls share; below Never
	Returned int64 // when the answer came, not before Called; Never without an answer
	Answer   any   // of the type that the operation names; nil if the call was refused or got no answer
	Err      error // nil: done; a refusal of package game or store: refused; any other: unknown
	// Over is the latest time at which a call without an answer can take effect, or 0 if that time is unknown.
	Over int64
}

// Never is the return time of a call whose outcome is unknown, for example because no answer came.
const Never = math.MaxInt64

// Op is a request: Operation or one of the types below, by value.
type Op interface {
	// steps returns the instants at which the rules must explain the call, in any order; none for an unanswered read.
	steps(c *Call, h *history) []step
}

// These are the players' operations. Now is the time of the request, for the rules.
type (
	// Register has the answer nil.
	Register struct {
		Account game.Account
		Animals []game.Animal
		Ledger  game.LedgerEntry
		Token   game.RefreshRecord
	}
	// Login has the account before the log-in as its answer, a game.Account. Hash is of the request's password.
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
	// List reads the shows with a status and a tier; "" means any. Its answer is a []game.ListedShow. The checker
	// ignores listed shows that the World does not have.
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
	// Due is the schedule's judging of a show after its closing time. Its answer is a []game.Contestant.
	Due struct {
		Show game.ID
		Now  game.Instant
	}
	// Claim has a Prize as its answer.
	Claim struct {
		Caller, Show game.ID
		Now          game.Instant
	}
	// Season reads a user's score in a season. Its answer is an int64. All shows of the World must be of the season,
	// and the World must have all shows of the season that the user has entered.
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

// Prize is the answer to a claim. Rank 0 means unranked.
type Prize struct {
	Rank  int
	Prize int64
}
