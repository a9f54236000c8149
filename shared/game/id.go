package game

import (
	"crypto/sha256"

	"github.com/google/uuid"
)

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

// EntryID names the entry of an animal in a show. It is computed from the two and not stored. With the show it leads
// back to the animal: EntryID(show, EntryID(show, animal)) is the animal. The digits that say the animal's UUID version
// and variant stay.
func EntryID(show, animal ID) ID {
	id, err := uuid.Parse(string(animal))
	if err != nil {
		return ""
	}
	mask := sha256.Sum256([]byte("entry in " + show))
	mask[6] &= 0x0f
	mask[8] &= 0x3f
	for i := range id {
		id[i] ^= mask[i]
	}
	return ID(id.String())
}
