package game

import "github.com/google/uuid"

// ID names a user, ranch, animal, show, entry, season or ledger row: a UUID in its canonical form, 36 bytes, lower-case
// hex digits in groups of 8-4-4-4-12. The zero ID names nothing.
type ID string

// NewID returns a random (version 4) ID.
func NewID() ID { return ID(uuid.NewString()) }

// ParseID reads 8-4-4-4-12 hex digits of any case and any UUID version. Other spellings (braces, "urn:uuid:", no
// dashes) are no IDs.
func ParseID(s string) (ID, bool) {
	if len(s) != 36 {
		return "", false
	}
	u, err := uuid.Parse(s)
	if err != nil {
		return "", false
	}
	return ID(u.String()), true
}
