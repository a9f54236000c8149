package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/table"
)

// PublicKeys are the keys that verify tokens, as a process with the private keys has published them.
type PublicKeys struct {
	Secret  string            // the ARN of the secret with the private keys, or another name
	Written game.Instant      // when the secret's version with these keys was written
	Keys    map[string]string // by kid, as token.NewPublicKeys accepts them
}

// PublicKeys returns the published keys by their kid, as base64 texts, or nil if none is published. The read is
// strongly consistent: one round trip, 1 RCU.
func (s *Store) PublicKeys(ctx context.Context) (map[string]string, error) {
	item, err := table.Get[records.PublicKeysItem](ctx, s.Table, records.PublicKeysKey())
	if err != nil || item == nil {
		return nil, err
	}
	return item.Keys, nil
}

// PublishKeys writes the public keys of a version of the secret. If the table has a later version of the same secret,
// it writes nothing and returns nil. So a process that read the secret long ago, or a late attempt, does not bring back
// a retired key. The call is idempotent. One round trip, 1 WCU.
func (s *Store) PublishKeys(ctx context.Context, p PublicKeys) error {
	item := records.PublicKeysItem{Key: records.PublicKeysKey(), Secret: p.Secret, Written: int64(p.Written), Keys: p.Keys}
	err := s.Table.Put(ctx, item, item.NoLaterKeys())
	if err == nil || errors.Is(err, table.ErrRefused) {
		return nil
	}
	return fmt.Errorf("publish the keys: %w", err)
}
