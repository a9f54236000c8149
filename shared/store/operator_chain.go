package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/ranch-game/ranch/shared/game"
)

// Records of operators' changes are a chain: each has a number without gaps, the digest of the record before it, and
// its own digest, which covers all of these. The head says the last number and digest. Each change writes it, so that
// two changes at once do not follow the same record: of two, one is made again after the other (errStale).
//
// Whoever deletes, alters or inserts a record breaks the chain. Whoever writes all records after that one anew, and the
// head, makes another chain in which nothing is wrong: an operator has the rights for that, except to delete. A head
// that was noted elsewhere shows it (AuditChain.Digests).

// AuditHead is the end of the chain.
type AuditHead struct {
	Number int64
	Digest string // of the last record
}

// Link is a record's place in the chain.
type Link struct {
	Number           int64
	Previous, Digest string
}

type auditHeadItem struct {
	key
	Number int64  `dynamodbav:"n"`
	Digest string `dynamodbav:"d"`
}

// head is what the item says; it is zero if there is none.
func (i *auditHeadItem) head() AuditHead {
	if i == nil {
		return AuditHead{}
	}
	return AuditHead{i.Number, i.Digest}
}

// AuditHead returns the end of the chain, which is zero before the first change. One round trip, 1 RCU.
func (s *Store) AuditHead(ctx context.Context) (AuditHead, error) {
	item, err := get[auditHeadItem](ctx, s, auditHeadKey())
	return item.head(), err
}

// chain adds the record that follows the head, and moves the head.
func (t *transaction) chain(record auditItem, head AuditHead) {
	record.Number, record.Previous = head.Number+1, head.Digest
	record.Digest = record.digest()
	t.create(record, errStale)
	condition, values := absent, attributes(nil)
	if head.Number > 0 {
		condition, values = "d = :digest", attributes{":digest": str(head.Digest)}
	}
	t.put(auditHeadItem{auditHeadKey(), record.Number, record.Digest}, condition, values, errStale)
}

// digest is the SHA-256 of all that the record says but its digest, in base64url: that of a JSON array of it.
func (i *auditItem) digest() string {
	text, err := json.Marshal([]any{i.SK, i.By, i.At, i.Written, i.Action, i.Subject, i.Before, i.After, i.Reason, i.Number, i.Previous})
	if err != nil {
		panic(err) // texts and numbers can always be marshalled
	}
	sum := sha256.Sum256(text)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// ChainProblem is what is wrong with the chain of records.
type ChainProblem struct {
	Number int64   `json:"number"`          // of the record that is missing or wrong; 0: it has none
	Change game.ID `json:"change,omitzero"` // its id; "": there is no record
	What   string  `json:"problem"`
}

// AuditChain is the chain of all records.
type AuditChain struct {
	Head     AuditHead
	Records  int
	Problems []ChainProblem
	Digests  map[int64]string // of the records, by number, for good: a head that was noted says what one has to be
}

const (
	// chainLooks is how often a chain that seems broken is read again: a change may have come in between.
	chainLooks = 5
	// firstAudit is the month of the earliest record that there can be.
	firstAudit = game.Instant(1_767_225_600_000) // 2026-01-01
)

// VerifyAudit reads all records up to a month from now, and the head, and returns what is wrong with the chain. It
// costs a round trip for each month, and 1 RCU for about 10 records.
func (s *Store) VerifyAudit(ctx context.Context, now game.Instant) (chain AuditChain, err error) {
	for look := 0; look <= chainLooks; look++ {
		if look > 0 {
			if err := pause(ctx, settling); err != nil {
				return chain, err
			}
		}
		items, err := s.auditItems(ctx, firstAudit, now.Add(31*24*time.Hour))
		if err != nil {
			return chain, err
		}
		head, err := s.AuditHead(ctx)
		if err != nil {
			return chain, err
		}
		if chain = checkChain(items, head); len(chain.Problems) == 0 {
			break
		}
	}
	return chain, nil
}

// checkChain holds the records against each other and the head.
func checkChain(items []*auditItem, head AuditHead) AuditChain {
	c := AuditChain{Head: head, Records: len(items), Digests: map[int64]string{}}
	report := func(i *auditItem, number int64, format string, args ...any) {
		p := ChainProblem{Number: number, What: fmt.Sprintf(format, args...)}
		if i != nil {
			p.Change = game.ID(i.SK)
		}
		c.Problems = append(c.Problems, p)
	}
	slices.SortStableFunc(items, func(a, b *auditItem) int { return cmp.Compare(a.Number, b.Number) })
	last, number := "", int64(0)
	for _, i := range items {
		if i.Number < 1 {
			report(i, i.Number, "the record is not of the chain: it was inserted")
			continue
		}
		c.Digests[i.Number] = i.Digest
		for number++; number < i.Number; number++ {
			report(nil, number, "the record is missing")
			last = ""
		}
		switch {
		case i.Number < number:
			report(i, i.Number, "another record has the same number: one of the two was inserted")
			number, last = i.Number, "" // the next one follows either
			continue
		case i.digest() != i.Digest:
			report(i, i.Number, "the record was altered: its digest is another one")
		case i.Number > head.Number:
			report(i, i.Number, "the record comes after the head, which is number %d: it was inserted, or the head was set back", head.Number)
		case last != "" && i.Previous != last, i.Number == 1 && i.Previous != "":
			report(i, i.Number, "the record does not follow the one before: one of the two was altered or inserted")
		}
		last = i.Digest
	}
	if last != "" && number == head.Number && last != head.Digest {
		report(nil, head.Number, "the head has another digest than the last record: one of the two was altered")
	}
	for number++; number <= head.Number; number++ {
		report(nil, number, "the record is missing")
	}
	return c
}
