package records

import (
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/table"
)

// Projections: the attributes that a read returns.
const (
	ProjectCount     = "PK" // to count items
	ProjectKeys      = "PK, SK"
	ProjectUsers     = "PK, SK, u" // of reservations and entries
	ProjectUsernames = "PK, SK, un"
	ProjectNames     = "PK, SK, un, st"
	ProjectTraits    = "PK, SK, co, he, ph"
	ProjectFees      = "PK, SK, fr, rr" // of participations
	ProjectClosing   = "PK, SK, cl"
	// ProjectAudit has what an audit of ledgers and results needs.
	ProjectAudit = "PK, SK, g, ls, seq, am, ba, fr.seq, fr.am, fr.ba, st, vd"
)

// Accounts selects the users.
func Accounts() table.Condition {
	return table.If("SK = :profile", table.Attributes{":profile": table.Str(UserKey("").SK)})
}

// AccountsAndLedgers selects the users and their ledger rows, with the participations.
func AccountsAndLedgers() table.Condition {
	return table.If("begins_with(PK, :user) AND NOT begins_with(SK, :animal)", table.Attributes{
		":user": table.Str(UserPK("")), ":animal": table.Str(AnimalPrefix),
	})
}

// ResultsAndTheirShows selects sheets and pages of results, and completed shows.
func ResultsAndTheirShows() table.Condition {
	return table.If("begins_with(PK, :show) AND (attribute_exists(vd) OR SK = :sheet OR begins_with(SK, :page))", table.Attributes{
		":show": table.Str("SHOW#"), ":sheet": table.Str(Verdict{}.SheetKey(0).SK), ":page": table.Str(PagePrefix),
	})
}

// TracesOf selects all records of a show but its note, and records that may be of another: gates with the text `gate` in
// their keys, and shows whose ids begin alike.
func TracesOf(show game.ID, gate string) table.Condition {
	return table.If("begins_with(PK, :own) OR begins_with(PK, :board) AND contains(SK, :show) OR begins_with(PK, :user) AND "+
		"contains(SK, :entry) OR begins_with(PK, :gates) AND contains(SK, :gate) OR begins_with(PK, :alike) AND SK = :item", table.Attributes{
		":own": table.Str(ShowKey(show).PK), ":board": table.Str("BOARD#"), ":show": table.Str(show), ":user": table.Str(UserPK("")),
		":entry": table.Str("#SHOW#" + show + "#"), ":gates": table.Str("G#"), ":gate": table.Str(gate),
		":alike": table.Str(ShowKey(show[:GateIDText]).PK), ":item": table.Str(ShowKey(show).SK),
	})
}
