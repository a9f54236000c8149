package store

import (
	"fmt"

	"github.com/ranch-game/ranch/shared/game"
)

// DamagedShow is the error for records of a show that are missing or contradict each other. If that lasts, the table is
// damaged (see table.Torn). RepairShow repairs most of these shows.
type DamagedShow struct {
	Show game.ID
	What string // names the records, or their numbers
}

func (d DamagedShow) Error() string { return d.What }

// Torn makes the error a table.Torn.
func (DamagedShow) Torn() {}

// miscounted returns the error for a show that counts another number of entries than it has.
func miscounted(show game.ID, counted, entries int64) DamagedShow {
	return DamagedShow{show, fmt.Sprintf("the show counts %d entries, and %d are there", counted, entries)}
}
