package logcheck

import (
	"strings"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// Kind is the kind of a call. For players' calls and scheduled runs, it is the name of the function.
type Kind string

// These are the kinds of players' calls and of scheduled runs. Of lines in a log, Check compares only Register, Enter,
// Judge, JudgeDue and Claim with other calls, and successful ones of Login and Refresh. It only counts the others.
const (
	Register Kind = "register"
	Login    Kind = "login"
	Refresh  Kind = "refresh"
	Logout   Kind = "logout"
	Me       Kind = "get-me"
	Animals  Kind = "list-animals"
	List     Kind = "list-shows"
	Detail   Kind = "get-show"
	Enter    Kind = "enter-show"
	Judge    Kind = "judge-show"
	Claim    Kind = "claim-reward"
	Season   Kind = "get-season"
	JudgeDue Kind = "judge-due" // a log gives a Record for each judged show, a caller one for each run, without a show
)

// These are the kinds of operators' changes, as their records name them.
const (
	CreateShow   Kind = "create show"
	SetShow      Kind = "set show"
	Cancel       Kind = "cancel show"
	Refund       Kind = "refund"
	JudgeShow    Kind = "judge show"
	Ban          Kind = "ban"
	Unban        Kind = "unban"
	DeleteUser   Kind = "delete user"
	Revoke       Kind = "revoke sessions"
	ChangeAnimal Kind = "change animal"
	AdjustGold   Kind = "adjust gold"
	SetUser      Kind = "set user" // another username
	// ResetPassword gives a player another hash of the same password.
	ResetPassword Kind = "reset password"
)

// Outcome is what is known about the effect of a call.
type Outcome string

// These are the outcomes. An Unknown call may have happened, may not have happened, or may still happen.
const (
	Done    Outcome = "done"
	Refused Outcome = "refused"
	Unknown Outcome = "unknown"
)

// Record is one call, as a log, its caller or both describe it.
type Record struct {
	Kind    Kind
	Outcome Outcome
	Refusal string `json:",omitzero"` // the error's code, followed by ": " and its message if it has one

	User   game.ID `json:",omitzero"` // the caller; for an operator's change, the changed user
	Show   game.ID `json:",omitzero"`
	Animal game.ID `json:",omitzero"`

	Began, Ended game.Instant
	// At is the call's time by the function's clock. The records that it stores have the same time. 0: unknown.
	At game.Instant `json:",omitzero"`

	Paid, Charged int64 `json:",omitzero"` // gold
	Judged        int   `json:",omitzero"` // entries that the judging counted; -1: unknown

	Request string `json:",omitzero"` // the request's id

	Answer *Answer `json:",omitzero"` // what the caller has recorded; nil: the record comes from the log alone

	logged  bool // the log has a line of the call, too
	damaged bool // the line counts damaged shows, which the list lacks
}

// Answer is what a caller knows about a call and the log does not: details of the request and of the response.
type Answer struct {
	N      int    // the caller's number of the call
	Status int    `json:",omitzero"` // of HTTP; 0: no answer, or not a player's call
	Error  string `json:",omitzero"` // of the connection, or of an operator's change

	Email    string            `json:",omitzero"` // of a registration
	Username string            `json:",omitzero"` // of a registration, or set by a change
	Change   game.ID           `json:",omitzero"` // the id of an operator's change
	Session  string            `json:",omitzero"` // the digest of the refresh token in the request or the response
	Filter   game.ShowStatus   `json:",omitzero"` // of a list; "" is any
	Flaw     Flaw              `json:",omitzero"` // that a change of an animal sets; Fit removes all flaws
	Terms    *store.ShowChange `json:",omitzero"` // of a new show, or those that a change sets

	Account game.ID            `json:",omitzero"` // in the response to a registration or a log-in
	Gold    *int64             `json:",omitzero"` // the caller's balance; nil: not recorded
	Rank    int                `json:",omitzero"` // of a claim; 0: unranked
	Score   int64              `json:",omitzero"` // of a season
	State   game.ShowStatus    `json:",omitzero"` // of the show in the answer of get-show
	Placed  []Placed           `json:",omitzero"` // entries of one show, or the best of a judging
	Listed  []Listed           `json:",omitzero"` // a list, in its order
	Animals map[game.ID][]Flaw `json:",omitzero"` // of a player
}

// Placed is an entry in a response. Rank 0 and score "" mean null.
type Placed struct {
	Animal, Player game.ID
	Rank           int    `json:",omitzero"`
	Score          string `json:",omitzero"`
}

// Listed is a show in a list.
type Listed struct {
	ID     game.ID
	Status game.ShowStatus
	Count  int64
}

// Flaw keeps an animal from entering.
type Flaw string

// These are the flaws. Fit means that an animal has none of them.
const (
	Pregnant Flaw = "pregnant"
	Dead     Flaw = "dead"
	Calf     Flaw = "a calf"
	Fit      Flaw = "fit"
)

// Flaws are all flaws that an animal can have.
var Flaws = []Flaw{Pregnant, Dead, Calf}

// FlawsOf returns the flaws of an animal.
func FlawsOf(stage, status string, died bool) (flaws []Flaw) {
	if status == game.StatusPregnant {
		flaws = append(flaws, Pregnant)
	}
	if died {
		flaws = append(flaws, Dead)
	}
	if stage == game.StageCalf {
		flaws = append(flaws, Calf)
	}
	return flaws
}

// refusedAs reports whether the call was refused with this refusal. It compares the code and the message. If the
// refusal has no message, it compares only the code.
func (r *Record) refusedAs(refusal *game.Refusal) bool {
	code, _, _ := strings.Cut(r.Refusal, ": ")
	return r.Outcome == Refused && (r.Refusal == refusal.Error() || refusal.Message == "" && code == string(refusal.Code))
}

// may reports whether the call may have had an effect.
func (r *Record) may() bool { return r.Outcome != Refused }

// Answered reports whether a function, and not only the gateway, has answered the caller. Functions give a code to
// every refusal and failure, and the gateway gives none.
func (r *Record) Answered() bool {
	return r.Answer != nil && r.Request != "" && (r.Answer.Status >= 200 && r.Answer.Status < 500 || r.Refusal != "")
}
