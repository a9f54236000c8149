package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ranch-game/ranch/infra/logcheck"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// Kinds of calls: what players ask over HTTP, and what operators do.
const (
	kindRegister = "register"
	kindLogin    = "login"
	kindRefresh  = "refresh"
	kindLogout   = "logout"
	kindAnimals  = "animals"
	kindList     = "list"
	kindDetail   = "detail"
	kindEnter    = "enter"
	kindJudge    = "judge"
	kindClaim    = "claim"
	kindSeason   = "season"

	kindJudgeDue     = "judge due" // the scheduled function
	kindCreateShow   = "create show"
	kindSetShow      = "set show"
	kindCancel       = "cancel show"
	kindRefund       = "refund"
	kindJudgeShow    = "judge show"
	kindBan          = "ban"
	kindUnban        = "unban"
	kindRevoke       = "revoke"
	kindChangeAnimal = "change animal"
	kindAdjustGold   = "adjust gold"
)

// endpoints are what answers players, by the kinds of their calls.
var endpoints = map[string]struct {
	function string        // that answers them
	kind     logcheck.Kind // what the judge of logs calls them; "": it does not look at them
	refusals []game.Code   // that they may meet
}{
	kindRegister: {"Register", logcheck.Register, []game.Code{game.CodeConflict}},
	kindLogin:    {"Login", logcheck.Login, []game.Code{game.CodeBanned}},
	kindRefresh:  {"Refresh", logcheck.Refresh, []game.Code{game.CodeUnauthorized, game.CodeInvalidToken}},
	kindLogout:   {"Logout", "", nil},
	kindAnimals:  {"ListAnimals", "", nil},
	kindList:     {"ListShows", "", nil},
	kindDetail:   {"GetShow", "", []game.Code{game.CodeNotFound}},
	kindEnter: {"EnterShow", logcheck.Enter, []game.Code{
		game.CodeUnauthorized, game.CodeNotFound, game.CodeInvalid, game.CodeDuplicate, game.CodeInsufficientGold,
	}},
	kindJudge:  {"JudgeShow", logcheck.Judge, []game.Code{game.CodeUnauthorized, game.CodeNotFound}},
	kindClaim:  {"ClaimReward", logcheck.Claim, []game.Code{game.CodeUnauthorized, game.CodeNotFound, game.CodeAlreadyClaimed}},
	kindSeason: {"GetSeason", "", nil},
}

// call is a call with what it was answered. Times are since the beginning of its round.
type call struct {
	N       int           `json:"n"` // of the operation in its round
	Kind    string        `json:"kind"`
	User    game.ID       `json:"user,omitempty"` // who asks; of an operator's call, whom it is about
	Show    game.ID       `json:"show,omitempty"`
	Animal  game.ID       `json:"animal,omitempty"`
	Email   string        `json:"email,omitempty"`    // of a registration
	Name    string        `json:"username,omitempty"` // of a registration
	Change  game.ID       `json:"change,omitempty"`   // of an operator
	Session string        `json:"session,omitempty"`  // digest of the refresh token that is sent, or answered
	Filter  string        `json:"filter,omitempty"`   // of a list: the status that is asked for; "" is any
	Becomes string        `json:"becomes,omitempty"`  // of a change of an animal: one of its flaws, or fit
	Terms   *terms        `json:"terms,omitempty"`    // of a new show, or of a change of one
	Began   time.Duration `json:"began"`
	Ended   time.Duration `json:"ended"`
	Status  int           `json:"status"`            // of HTTP; 0 where there is none
	Code    string        `json:"code,omitempty"`    // of a refusal; of an operator's call, which one it was
	Message string        `json:"message,omitempty"` // of a refusal
	Request string        `json:"request,omitempty"` // by which the functions' log knows it
	Error   string        `json:"error,omitempty"`   // of the connection, or what an operator was told
	Got     got           `json:"got,omitzero"`

	outcome outcome // as the caller was told, and the log says where nobody told the caller
	cause   string  // what of the faults explains that it failed; "": nothing has yet, or it has not
}

// terms are what operators set of a show; what is nil stays as it is.
type terms = store.ShowChange

// What an animal that may not enter is, and what it is again that may: changes of animals make it one of these.
const (
	pregnant = "pregnant"
	dead     = "dead"
	calf     = "a calf"
	fit      = "fit"
)

// flaws are all that keeps an animal from entering.
var flaws = []string{pregnant, dead, calf}

// got is what of an answer is compared with the table.
type got struct {
	User    game.ID              `json:"user,omitempty"`
	Fee     int64                `json:"fee,omitempty"`
	Rank    int                  `json:"rank,omitempty"`
	Prize   int64                `json:"prize,omitempty"`
	Score   int64                `json:"score,omitempty"`
	Status  game.ShowStatus      `json:"status,omitempty"`
	Placed  []placed             `json:"placed,omitempty"`  // entries of a show, or the best of a judging
	Listed  []listed             `json:"listed,omitempty"`  // shows of a list, in its order
	Animals map[game.ID][]string `json:"animals,omitempty"` // with their flaws
}

// placed is an entry as it was answered; rank 0 and no score are null.
type placed struct {
	Animal game.ID `json:"animal"`
	Player game.ID `json:"player"`
	Rank   int     `json:"rank,omitempty"`
	Score  string  `json:"score,omitempty"`
}

// listed is a show in a list.
type listed struct {
	ID     game.ID         `json:"id"`
	Status game.ShowStatus `json:"status"`
	Count  int64           `json:"count"`
}

// outcome is what is known of a call.
type outcome int

const (
	unknown outcome = iota // it may have happened, or not
	done
	refused // it has not happened, and will not
)

func (o outcome) String() string { return [...]string{"nobody knows", "done", "refused"}[o] }

// told returns the outcome by an answer's status.
func told(status int) outcome {
	switch {
	case status >= 200 && status < 300:
		return done
	case status >= 400 && status < 500:
		return refused
	}
	return unknown
}

// toldOperator returns the outcome by what a change returned: its error is its answer, unless it says that nobody
// knows.
func toldOperator(err error) outcome {
	switch {
	case err == nil:
		return done
	case errors.Is(err, store.ErrUnclear):
		return unknown
	}
	return refused
}

// refusals are the store's answers to operators that are no failures.
var refusals = []error{
	store.ErrUnknownShow, store.ErrNotOpen, store.ErrHasEntries, store.ErrNotCancelled, game.ErrShowNotOpen,
}

// refusalIn returns which of the refusals an error is, "" where it is none.
func refusalIn(err error) string {
	for _, r := range refusals {
		if errors.Is(err, r) {
			return r.Error()
		}
	}
	return ""
}

// possible reports whether the call may have happened.
func (c *call) possible() bool { return c.outcome != refused }

// tells reports whether the call belongs into a story: it may have changed something, or its caller was refused what
// nobody else was.
func (c *call) tells() bool {
	switch c.Kind {
	case kindAnimals, kindList, kindDetail, kindSeason, kindRefresh:
		return false
	case kindEnter, kindClaim, kindJudge, kindRegister, kindLogin:
		return true
	}
	return c.possible()
}

// before reports whether the call had ended when the other one began.
func (c *call) before(other *call) bool { return c.Ended < other.Began }

// String is the call in one line of a story. Of ids it has the first 8 digits.
func (c *call) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%8.3f to %8.3f s  #%d %s", c.Began.Seconds(), c.Ended.Seconds(), c.N, c.Kind)
	for _, part := range []struct {
		name string
		id   game.ID
	}{{"user", c.User}, {"show", c.Show}, {"animal", c.Animal}} {
		if part.id != "" {
			fmt.Fprintf(&b, " %s %.8s", part.name, part.id)
		}
	}
	if c.Name != "" {
		fmt.Fprintf(&b, " as %s, %s", c.Name, c.Email)
	}
	fmt.Fprintf(&b, ": %s", c.outcome)
	switch {
	case c.Error != "":
		fmt.Fprintf(&b, " (%.120s)", c.Error)
	case c.Code != "":
		fmt.Fprintf(&b, " (%d %s)", c.Status, c.Code)
	case c.Status != 0:
		fmt.Fprintf(&b, " (%d)", c.Status)
	}
	if c.outcome != done {
		return b.String()
	}
	switch g := c.Got; c.Kind {
	case kindEnter:
		fmt.Fprintf(&b, ", fee %d", g.Fee)
	case kindClaim:
		fmt.Fprintf(&b, ", rank %d, %d gold", g.Rank, g.Prize)
	case kindSeason:
		fmt.Fprintf(&b, ", score %d", g.Score)
	case kindDetail:
		fmt.Fprintf(&b, ", %s with %d entries", g.Status, len(g.Placed))
	}
	return b.String()
}
