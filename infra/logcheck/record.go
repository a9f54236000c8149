package logcheck

import (
	"strings"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// Kind is what was asked: of a player's call and a scheduled run, the name of the function that answers it.
type Kind string

// What players and schedules ask. Of a log, Check looks at those that leave traces, and counts the others.
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
	JudgeDue Kind = "judge-due" // one Record a show; of a caller one a run, without a show
)

// What operators ask, as their records call it.
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
	// ResetPassword gives a player another hash, of the same password.
	ResetPassword Kind = "reset password"
)

// Outcome is what is known of a call.
type Outcome string

// The outcomes. An Unknown call may have happened, or not, or may yet happen.
const (
	Done    Outcome = "done"
	Refused Outcome = "refused"
	Unknown Outcome = "unknown"
)

// Record is one call.
type Record struct {
	Kind    Kind
	Outcome Outcome
	Refusal string `json:",omitzero"` // the code of an error, and behind ": " its message, if it has one

	User   game.ID `json:",omitzero"` // who asks; of an operator's change, whom it is about
	Show   game.ID `json:",omitzero"`
	Animal game.ID `json:",omitzero"`

	Began, Ended game.Instant
	// At is the call's own time by the function's clock, which what it stores has; 0: not known.
	At game.Instant `json:",omitzero"`

	Paid, Charged int64 `json:",omitzero"` // gold
	Judged        int   `json:",omitzero"` // entries of the show that a judging has counted; -1: not known

	Request string `json:",omitzero"` // its id

	Answer *Answer `json:",omitzero"` // to the caller who recorded it; nil: the record comes from the log alone

	damaged bool // a list that the function itself says is not whole
}

// Answer is what a caller knows of a call, beyond what the log says of it: what was asked, and how it was answered.
type Answer struct {
	N      int    // the caller's number for it
	Status int    `json:",omitzero"` // of HTTP; 0: no answer, or no player's call
	Error  string `json:",omitzero"` // of the connection, or of an operator's change

	Email    string            `json:",omitzero"` // of a registration
	Username string            `json:",omitzero"` // of a registration, or that a change gave
	Change   game.ID           `json:",omitzero"` // of an operator
	Session  string            `json:",omitzero"` // digest of the refresh token that was sent, or answered
	Filter   game.ShowStatus   `json:",omitzero"` // of a list; "" is any
	Flaw     Flaw              `json:",omitzero"` // that a change gave to an animal; Fit: it took all of them
	Terms    *store.ShowChange `json:",omitzero"` // of a new show, or of a change of one

	Account game.ID            `json:",omitzero"` // that a registration or a log-in was answered with
	Gold    *int64             `json:",omitzero"` // of the player who asks for themselves; nil: not recorded
	Rank    int                `json:",omitzero"` // of a claim; 0: unranked
	Score   int64              `json:",omitzero"` // of a season
	State   game.ShowStatus    `json:",omitzero"` // of a detail
	Placed  []Placed           `json:",omitzero"` // entries of a detail, or the best of a judging
	Listed  []Listed           `json:",omitzero"` // a list, in its order
	Animals map[game.ID][]Flaw `json:",omitzero"` // of a player
}

// Placed is an entry as it was answered; rank 0 and score "" are null.
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

// The flaws, and what an animal without any of them is.
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
	has := map[Flaw]bool{Pregnant: status == game.StatusPregnant, Dead: died, Calf: stage == game.StageCalf}
	for _, flaw := range Flaws {
		if has[flaw] {
			flaws = append(flaws, flaw)
		}
	}
	return flaws
}

// refusedAs reports whether the call was refused for that: by its code and message, or if the refusal has no message,
// by its code.
func (r *Record) refusedAs(refusal *game.Refusal) bool {
	code, _, _ := strings.Cut(r.Refusal, ": ")
	return r.Outcome == Refused && (r.Refusal == refusal.Error() || refusal.Message == "" && code == string(refusal.Code))
}

// may reports whether the call may have had an effect.
func (r *Record) may() bool { return r.Outcome != Refused }

// Answered reports whether the caller was answered by a function: its refusals and its failures have codes, those of
// the gateway have none.
func (r *Record) Answered() bool {
	return r.Answer != nil && r.Request != "" && (r.Answer.Status >= 200 && r.Answer.Status < 500 || r.Refusal != "")
}
