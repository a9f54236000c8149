package store

import (
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/table"
)

// Store reads and writes the table. It is safe for concurrent use.
type Store struct {
	Table *table.Table
	Clock func() time.Time
	most  int64 // the ceiling of a show's entries
}

// Ceiling is the most entries that a show accepts. On a new table, a judging of so many ends within the gateway's 30
// seconds, with a margin (docs/scale.md).
const Ceiling = 250_000

// New returns the store in the given table. The client must have been made with table.ClientOptions. The clock is for leases,
// verdicts, patience with lists, and operators' records. The rules use the time that a call passes.
func New(db *dynamodb.Client, name string, clock func() time.Time) *Store {
	return &Store{Table: table.New(db, name, game.ErrBusy), Clock: clock, most: Ceiling}
}

// WithChance returns the same store with waits that c determines; see table.Table.WithChance.
func (s *Store) WithChance(c table.Chance) *Store {
	other := *s
	other.Table = s.Table.WithChance(c)
	return &other
}

// WithCeiling returns the same store with another ceiling than Ceiling, for tests.
func (s *Store) WithCeiling(entries int) *Store {
	other := *s
	other.most = int64(entries)
	return &other
}
