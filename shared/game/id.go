package game

import (
	"crypto/sha256"

	"github.com/google/uuid"
)

// ID is the UUID of a user, ranch, animal, show, entry, season or ledger row. It has the canonical form of 36 bytes:
// lower-case hex digits in groups of 8-4-4-4-12. The empty ID means no record.
type ID string

// NewID returns a random (version 4) ID.
func NewID() ID { return ID(uuid.NewString()) }

// ParseID reads a UUID of any version, written as 8-4-4-4-12 hex digits in upper or lower case. It returns false for
// any other text, such as a UUID in braces, with "urn:uuid:" or without dashes.
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

// EntryID returns the id of the animal's entry in the show, or "" if animal is not a UUID. The table does not store
// entries' ids, because the ids of the show and the animal determine them. EntryID is its own inverse: EntryID(show,
// EntryID(show, animal)) is the animal. An entry's id has the same UUID version and variant as the animal's id.
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
