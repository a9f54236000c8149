// Package history judges what the service did by the rules alone. A history is a list of calls, each with what was
// asked, when it was asked and answered, and the answer; around it, what is stored before and after. It is right where
// there is an order of all calls that explains every answer and what is stored in the end: each call between its
// beginning and its end, one that was refused without effect, and one that nobody was told about at any time after its
// beginning, or never.
//
// The rules are those of package game, carried out on a World in memory by operations that know neither table nor
// transaction.
package history

import (
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// Call is one call of a history.
type Call struct {
	Op       Op
	Called   int64 // by any clock that all calls share
	Returned int64 // not before Called; Never where nobody was told
	Answer   any   // of the type that the operation names; nil where it was refused, or nobody was told
	Err      error // nil: done; a *game.Refusal or one of the store's refusals: refused; any other: nobody knows
}

// Op is what was asked: one of the operations below, by value.
type Op interface{}

// What players ask. Now is the request's time, by which the rules go.
type (
	// Register is answered nil.
	Register struct {
		Account game.Account
		Animals []game.Animal
		Ledger  game.LedgerEntry
		Token   game.RefreshRecord
	}
	// Login is answered with the game.Account.
	Login struct {
		Email string
		Token game.RefreshRecord
		Now   game.Instant
	}
	// Refresh is answered with the game.Account.
	Refresh struct {
		Digest string
		User   game.ID
		Now    game.Instant
	}
	// Logout is answered nil.
	Logout struct{ Digest string }
	// List is answered with a []game.ListedShow.
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
	// Claim is answered with a Prize.
	Claim struct {
		Caller, Show game.ID
		Now          game.Instant
	}
	// Season is answered with the score, an int64.
	Season struct{ User, Season game.ID }
)

// What operators ask. All are answered nil.
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
