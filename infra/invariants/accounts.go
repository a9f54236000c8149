package invariants

import (
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/table"
)

func (b *books) user(id game.ID) *records.UserItem {
	return get[records.UserItem](b, records.UserKey(id))
}

func (b *books) mustExist(user game.ID, what string) {
	if b.user(user) == nil {
		b.report(aboutUser(user), records.UserKey(user), "there is %s, and no account", what)
	}
}

func (b *books) checkReservation(r *records.ReservationItem) {
	u := b.user(r.User)
	if u == nil || r.Key != records.EmailKey(u.Email) && r.Key != records.UsernameKey(u.Username) {
		b.report(aboutUser(r.User), r.Key, "the reservation is for %s, who has another name", r.User)
		return
	}
	switch isEmail := r.Key == records.EmailKey(u.Email); {
	case !isEmail && r.PasswordHash != "":
		b.report(aboutUser(r.User), r.Key, "it has the hash of a password")
	case isEmail && r.PasswordHash == "" && u.Ranch != nil:
		b.report(aboutUser(r.User), r.Key, "it lacks the hash of the password")
	case isEmail && r.PasswordChanges != u.PasswordChanges:
		b.report(aboutUser(r.User), r.Key, "it has the hash of password %d, and the user has password %d: no log-in succeeds",
			r.PasswordChanges, u.PasswordChanges)
	}
}

func (b *books) checkAnimal(a *records.AnimalItem) {
	b.mustExist(ownerOf(a.Key), "an animal")
	note := records.ChangedAnimalKey(records.IdIn(a.SK))
	if noted := b.rows[note] != nil; (a.Changes > 0) != noted {
		b.report(aboutUser(ownerOf(a.Key)), note, "operators have changed the animal %d times; there is a note of it: %t",
			a.Changes, noted)
	}
}

// starters is the number of animals that a registration creates. No operation removes an animal.
const starters = 3

func (b *books) checkUser(u *records.UserItem) {
	id := ownerOf(u.Key)
	if u.Status == game.UserDeleted {
		if u.Email+u.Username != "" || u.LastLoginAt != nil || u.Ranch != nil {
			b.report(aboutUser(id), u.Key, "the user is deleted, and still has a name, a ranch or a log-in")
		}
	} else {
		for _, at := range []table.Key{records.EmailKey(u.Email), records.UsernameKey(u.Username)} {
			if r := get[records.ReservationItem](b, at); r == nil || r.User != id {
				b.report(aboutUser(id), at, "the reservation is missing, or of another user")
			}
		}
	}
	rows := b.ledgers[id]
	registered := len(rows) > 0 && rows[0].Category == game.CategoryStarter
	if n := b.animals[id]; b.startersCount && registered && n < starters {
		b.report(aboutUser(id), records.AnimalKey(id, ""), "the user has %d animals, and has begun with %d", n, starters)
	}
	if b.lacksRows(id, u.LedgerSeq) {
		return // the missing row makes the checks of the other rows fail, too
	}
	var ledger []game.LedgerEntry
	for _, row := range rows {
		ledger = append(ledger, *row)
	}
	for _, difference := range game.AuditLedger(*u.Account(), ledger) {
		b.report(aboutUser(id), u.Key, "%s", difference)
	}
	for i, row := range rows {
		at := records.LedgerKey(id, row.Seq)
		first, adjusted := row.Category == game.CategoryStarter, row.Category == game.CategoryAdjustment
		// An adjustment may also be the first row, if the account began without gold.
		if first != (i == 0) && !adjusted || (first || adjusted) != (row.RefID == nil) {
			b.report(aboutUser(id), at, "row %d of %d is of the category %q; it names a show: %t",
				i+1, len(rows), row.Category, row.RefID != nil)
		}
		if adjusted && !b.isRecorded(row) {
			b.report(aboutUser(id), at, "it is an adjustment, and no record says who has made it")
		}
	}
}

// lacksRows reports each missing row of a user's ledger, and returns whether one is missing. The last number is last.
func (b *books) lacksRows(user game.ID, last int64) (lacks bool) {
	there := map[int64]bool{}
	for _, row := range b.ledgers[user] {
		there[row.Seq] = true
	}
	for seq := range last {
		if !there[seq+1] {
			b.report(aboutUser(user), records.LedgerKey(user, seq+1),
				"the row is missing, or the participation that has it if it is a fee")
			lacks = true
		}
	}
	return lacks
}

// isRecorded reports whether the record of an operator's change explains the adjustment of a user's gold.
func (b *books) isRecorded(adjustment *game.LedgerEntry) bool {
	change, ok := operate.ParseChange(string(adjustment.ID))
	if !ok {
		return false
	}
	record := get[records.AuditItem](b, records.AuditKey(change.ID))
	return record != nil && operate.Adjusts(record, adjustment.UserID, adjustment.Amount)
}

// checkSeason compares a season's own row with the second one that the table has while the season is active.
func (b *books) checkSeason(s *records.SeasonItem) {
	own := get[records.SeasonItem](b, records.SeasonKey(s.ID))
	switch {
	case own == nil:
		b.report(aboutSeason(s.ID), records.SeasonKey(s.ID), "the season is active, and its own row is missing")
	case s.Key == own.Key && s.IsActive:
		at := records.ActiveSeasonKey(s.Season())
		if other := get[records.SeasonItem](b, at); other == nil || other.Season() != s.Season() {
			b.report(aboutSeason(s.ID), at, "the season is active: this row is missing, or other than the season's own")
		}
	case s.Key != own.Key && (!own.IsActive || s.Key != records.ActiveSeasonKey(own.Season())):
		b.report(aboutSeason(s.ID), s.Key, "the season is not active")
	}
}
