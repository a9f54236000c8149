// Package linearizability is a linearizability checker for short histories of the store's operations. A history is a
// list of calls, each with its request, its answer and their times; around it, what is stored before and after. It is
// valid if it is linearizable by the rules of package game: there is an order of all calls that explains every answer
// and what is stored in the end. Each call takes effect at an instant between its beginning and its end; a refused one
// has no effect; one without an answer takes effect at any time after its beginning, or never. Explain looks for such
// an order, by porcupine's search.
//
// The model carries the rules out on a World in memory, by operations that know neither table nor transaction. Package
// logcheck judges histories of any length; it has no model, and asks of each answer only whether it can be true.
//
// # Answers from several items
//
// A list, a detail and a season's score show several items of the table, and a log-in shows the account before it
// writes. Each part of such an answer is right at an instant within the call, and not all of them at one:
//
//   - Of a list, each show's row, there or not; and each count, at an instant at which the show has the status that the
//     row says. A show that is being moved, to another closing time or tier, may be missing meanwhile.
//   - Of a detail, the show's record; each entry, there or not; and what each player has claimed. A judging is shown
//     whole or not at all: the record, all entries, and their ranks and scores together.
//   - Of a season's score, each show: all points that the player has of it, or none.
//   - Of a log-in, the account with its gold.
//   - Of a refund, each fee, and the note that all have been given back.
//   - Of a deletion, the account, the name in each entry, and the number of entries.
//
// A change becomes visible item by item until its call has been answered. A part may show the state before a change
// whose call had not been answered when the reader's call began, even if another answer has shown the state after it.
// So a show that was judged by a call answered before counts in a season's score from then on, if the player's entry
// was answered before, too. Refusals and changes have no such leeway, with one exception: a log-in that begins before a
// registration has been answered may find no account.
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
	Called   int64 // by any clock that all calls share; below Never
	Returned int64 // not before Called; Never without an answer
	Answer   any   // of the type that the operation names; nil if it was refused, or not answered
	Err      error // nil: done; a *game.Refusal or one of the store's refusals: refused; any other: unknown
	// Over is by when a call without an answer has happened, for all to see, or never will; 0 if that is not known.
	Over int64
}

// Never is when a call has returned that has not.
const Never = math.MaxInt64

// Op is what was asked: one of the operations below, by value.
type Op interface {
	// steps returns the instants at which the call must be right, which may be in any order; none where it cannot be
	// wrong.
	steps(c *Call, h *history) []step
}

// What players ask. Now is the request's time, by which the rules go.
type (
	// Register is answered nil.
	Register struct {
		Account game.Account
		Animals []game.Animal
		Ledger  game.LedgerEntry
		Token   game.RefreshRecord
	}
	// Login, with the password of the hash, is answered with the game.Account as it was before.
	Login struct {
		Email string
		Hash  string
		Token game.RefreshRecord
		Now   game.Instant
	}
	// Refresh is answered with the game.Account that the access token names.
	Refresh struct {
		Digest string
		User   game.ID
		Now    game.Instant
	}
	// Logout is answered nil.
	Logout struct{ Digest string }
	// List is answered with a []game.ListedShow. Shows that the World does not have are not looked at.
	List struct {
		Status game.ShowStatus
		Tier   string
	}
	// Detail is answered with a Details.
	Detail struct{ Show game.ID }
	// Enter is answered with the fee, an int64.
	Enter struct {
		Caller, Show, Animal game.ID
		Now                  game.Instant
	}
	// Judge is answered with a []game.Contestant.
	Judge struct {
		Caller, Show game.ID
		Now          game.Instant
	}
	// Due judges a show whose closing time has come, without a caller. Its answer is a []game.Contestant.
	Due struct {
		Show game.ID
		Now  game.Instant
	}
	// Claim is answered with a Prize.
	Claim struct {
		Caller, Show game.ID
		Now          game.Instant
	}
	// Season is answered with the score, an int64. The World has all shows of the season that the user has entered.
	Season struct{ User, Season game.ID }
)

// What operators ask. All are answered nil, but for Delete and Rename.
type (
	Ban struct {
		Change store.Change
		User   game.ID
	}
	Unban struct {
		Change store.Change
		User   game.ID
	}
	Revoke struct {
		Change store.Change
		User   game.ID
	}
	// Reset gives the user's password another hash.
	Reset struct {
		Change store.Change
		User   game.ID
		Hash   string
	}
	// Rename is answered with how many entries show a new username, 0 if it sets none, or if another change of the
	// username came after. The World has all shows that the user has entered.
	Rename struct {
		Change store.Change
		User   game.ID
		To     store.UserChange
	}
	ChangeAnimal struct {
		Change        store.Change
		Owner, Animal game.ID
		To            store.AnimalChange
	}
	Cancel struct {
		Change store.Change
		Show   game.ID
	}
	Set struct {
		Change store.Change
		Show   game.ID
		To     store.ShowChange
	}
	Refund struct {
		Change store.Change
		Show   game.ID
	}
	// Adjust has the change's reason.
	Adjust struct {
		Change store.Change
		User   game.ID
		Amount int64
	}
	Activate struct {
		Change store.Change
		Season game.ID
		Active bool
	}
	// Delete is answered with how many entries the user has. The World has all shows that the user has entered.
	Delete struct {
		Change store.Change
		User   game.ID
	}
)

// Details are a show with its entries.
type Details struct {
	Show    game.Show
	Entries []game.Entry
}

// Prize is what a claim is answered with; rank 0 is unranked.
type Prize struct {
	Rank  int
	Prize int64
}
