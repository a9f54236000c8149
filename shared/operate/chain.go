package operate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/table"
)

// The audit records form a hash chain. They are numbered from 1 without gaps. Each record has the digest of the record
// before it, and a digest of its own, which covers all its other fields. The head is an item with the number and digest
// of the last record. Each change writes the head on condition that it is as read. So of two simultaneous changes, only
// one can follow the last record: the other one fails (table.ErrStale) and tries again.
//
// Deleting, altering or inserting a record breaks the chain. An operator who also rewrites the head and all later
// records makes another valid chain. Operators have the rights to write all of these, but not to delete records. A copy
// of the head that was noted elsewhere reveals the rewriting (see AuditChain.Digests).

// AuditHead has the number and digest of the last record of the chain. It is zero before the first change.
type AuditHead struct {
	Number int64
	Digest string       // of the last record
	Latest game.Instant // At of the record with the latest; 0: unknown
}

// Link is a record's place in the chain.
type Link struct {
	Number           int64
	Previous, Digest string
}

// headOf returns the item's head; zero if the item is nil.
func headOf(i *records.AuditHeadItem) AuditHead {
	if i == nil {
		return AuditHead{}
	}
	return AuditHead{i.Number, i.Digest, i.Latest}
}

// AuditHead returns the head of the chain. One round trip, 1 RCU.
func (d Desk) AuditHead(ctx context.Context) (AuditHead, error) {
	item, err := table.Get[records.AuditHeadItem](ctx, d.table, records.AuditHeadKey())
	return headOf(item), err
}

// chain adds two writes to the transaction: the record, as the successor of the head, and the new head. The transaction
// fails with table.ErrStale if the record exists or the head is not as read.
func chain(t *table.Transaction, record records.AuditItem, head AuditHead) {
	record.Number, record.Previous = head.Number+1, head.Digest
	record.Digest = record.Sum()
	t.Create(record, table.ErrStale)
	next := records.AuditHeadItem{Key: records.AuditHeadKey(), Number: record.Number, Digest: record.Digest, Latest: max(head.Latest, record.At)}
	t.Put(next, records.HeadAsRead(head.Digest), table.ErrStale)
}

// ChainProblem is a problem that VerifyAudit has found in the chain.
type ChainProblem struct {
	Number int64   `json:"number"`          // of the record, or of the head; 0: the record has no number
	Change game.ID `json:"change,omitzero"` // the record's id; "": the record is missing, or the head is wrong
	What   string  `json:"problem"`
}

// AuditChain is the result of checking the chain of all records.
type AuditChain struct {
	Head     AuditHead
	Records  int
	Problems []ChainProblem
	Digests  map[int64]string // of the records, by number, to compare with a noted head: they never change
}

const (
	// chainLooks is how often VerifyAudit rereads a chain that seems broken, since a change may come between its reads.
	chainLooks = 5
	// firstAudit is the start of the month of the earliest possible record.
	firstAudit = game.Instant(1_767_225_600_000) // 2026-01-01
	// mostAhead is how far ahead of the reader's clock the clock of a record's operator may be.
	mostAhead = 2 * time.Minute
)

// end returns the end of the time in which records may be: after the latest record and, in case the head is too old to
// name it, 31 days after now.
func (h AuditHead) end(now game.Instant) game.Instant {
	return max(h.Latest+1, now.Add(31*24*time.Hour))
}

// VerifyAudit reads all records, also of the future, and the head, and checks the chain. Problems is empty if the chain
// is valid and no record is more than two minutes ahead of now. It costs a round trip for each month from January 2026
// to the latest record and one for the head, and 1 RCU for about 10 records. It rereads a chain that seems broken up to
// five times, 0.3 s apart.
func (d Desk) VerifyAudit(ctx context.Context, now game.Instant) (chain AuditChain, err error) {
	var items []*records.AuditItem
	_, err = table.Settled(ctx, 1+chainLooks, func() (bool, error) {
		head, err := d.AuditHead(ctx)
		if err != nil {
			return false, err
		}
		if items, err = d.auditItems(ctx, firstAudit, head.end(now)); err != nil {
			return false, err
		}
		chain = checkChain(items, head)
		return len(chain.Problems) == 0, nil
	})
	for _, i := range items {
		if i.At > now.Add(mostAhead) {
			what := fmt.Sprintf("the record is of the future, %v: the clock of its operator was wrong", i.At)
			chain.Problems = append(chain.Problems, ChainProblem{i.Number, game.ID(i.SK), what})
		}
	}
	return chain, err
}

// checkChain checks the records against each other and against the head.
func checkChain(items []*records.AuditItem, head AuditHead) AuditChain {
	c := AuditChain{Head: head, Records: len(items), Digests: map[int64]string{}}
	report := func(i *records.AuditItem, number int64, format string, args ...any) {
		p := ChainProblem{Number: number, What: fmt.Sprintf(format, args...)}
		if i != nil {
			p.Change = game.ID(i.SK)
		}
		c.Problems = append(c.Problems, p)
	}
	slices.SortStableFunc(items, func(a, b *records.AuditItem) int { return cmp.Compare(a.Number, b.Number) })
	last, number := "", int64(0)
	for _, i := range items {
		if i.Number < 1 {
			report(i, i.Number, "the record is not part of the chain: it was inserted")
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
			number, last = i.Number, "" // the next record may follow either of the two
			continue
		case i.Sum() != i.Digest:
			report(i, i.Number, "the record was altered: its digest does not match")
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
