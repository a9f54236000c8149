package upkeep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/records"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/table"
)

// Auditor audits a table, and removes the remains of interrupted calls.
type Auditor struct{ *store.Store }

// leftoverAge is the age above which the audit treats results as leftovers if their show does not lead to them. A
// judging lasts seconds, and a lost attempt of it arrives within minutes: AWS refuses a request with an older
// signature. So no judging writes results after their deletion, no late attempt completes the show with deleted
// results, and the audit disturbs no judging under way. If a machine sleeps for a day during a judging, the judging
// fails by its condition on the renamings (see leadsTo).
const leftoverAge = 24 * time.Hour

// TableAudit counts what AuditTable has changed.
type TableAudit struct {
	Leftovers   int // deleted sheets and pages of results that no show leads to
	NamesHidden int // entries of deleted users that showed another name than game.DeletedPlayer
}

// AuditTable audits the ledgers as AuditLedgers does. In the same scan it also looks for the remains of interrupted
// calls, and removes those that need no decision:
//
//   - It deletes results that are older than leftoverAge and that their show does not lead to, also those of an open or
//     cancelled show. Results of a missing or damaged show stay, since they may help to repair the table.
//   - It removes the names of deleted users from their entries, in case a restored table lacks the note of this work.
//   - It writes the missing notes of pending refunds, so that Finish completes them.
//
// AuditTable hides and deletes nothing before it has read the whole table. If the scan fails or visit returns an error,
// AuditTable ends. If another task fails, it goes on, returns the error at the end, and the next audit tries again. It
// costs what AuditLedgers and NoteRefunds do. In addition, each show with leftovers costs 1 WCU or 2 RCU, and 4 to 6
// WCU for each item. Each deleted user costs the reads of their entries, as in Pending.
func (a Auditor) AuditTable(ctx context.Context, now game.Instant, visit func(LedgerAudit) error) (audit TableAudit, err error) {
	ctx = table.Patiently(ctx)
	refundsErr := a.NoteRefunds(ctx, now) // first, so that an audit that runs out of time has done it
	notes := auditNotes{before: now.Add(-leftoverAge), results: map[records.Verdict]extent{}, named: map[records.Verdict]bool{}}
	ledgersErr := a.auditRows(ctx, &notes, visit)
	if ledgersErr != nil && !errors.As(ledgersErr, new(*UnreadError)) {
		return audit, errors.Join(refundsErr, ledgersErr)
	}
	var namesErr, leftoversErr error
	audit.NamesHidden, namesErr = a.hideNames(ctx, notes.deleted)
	audit.Leftovers, leftoversErr = a.deleteLeftovers(ctx, &notes)
	return audit, errors.Join(refundsErr, ledgersErr, namesErr, leftoversErr)
}

// auditNotes is what an audit notes while it reads the table. Several goroutines may add to it.
type auditNotes struct {
	before  game.Instant // results of later judgings are not noted
	mu      sync.Mutex
	results map[records.Verdict]extent // in the table
	named   map[records.Verdict]bool   // shows lead to these
	deleted []game.ID                  // users
}

// extent bounds the sheets and pages of a verdict: the highest numbers that the scan has found, plus 1.
type extent struct{ sheets, pages int }

// ask extends the filter of a scan for users to results and completed shows.
func (n *auditNotes) ask(filter *table.Filter) {
	filter.Items = filter.Items.Or(records.ResultsAndTheirShows())
}

// add notes an item; a nil n notes nothing. It ignores damaged shows: the audit reads a show before it deletes results.
func (n *auditNotes) add(k table.Key, av table.Attributes) {
	if n == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	text := func(name string) string {
		value, _ := av[name].(*types.AttributeValueMemberS)
		if value == nil {
			return ""
		}
		return value.Value
	}
	switch k.SK {
	case records.UserKey("").SK:
		if text("st") == string(game.UserDeleted) {
			n.deleted = append(n.deleted, records.IdIn(table.SK(k.PK)))
		}
		return
	case records.ShowKey("").SK:
		if v := (records.Verdict{Show: records.ShowIn(k.PK), Id: text("vd")}); n.old(v) {
			n.named[v] = true
		}
		return
	}
	v, rest := verdictIn(k.PK)
	if !n.old(v) {
		return
	}
	seen := n.results[v]
	if number, isSheet := strings.CutPrefix(rest, "S"); isSheet {
		sheet, _ := strconv.Atoi(number)
		seen.sheets = max(seen.sheets, sheet+1)
	} else {
		seen.pages = max(seen.pages, records.NumberIn(k.SK)+1)
	}
	n.results[v] = seen
}

// old reports whether the attempt of a judging that wrote the verdict began before n.before.
func (n *auditNotes) old(v records.Verdict) bool { return v.At() > 0 && v.At() < n.before }

// verdictIn returns the verdict of a partition of results, and the rest of the key: S or P, and a number.
func verdictIn(p table.PK) (v records.Verdict, rest string) {
	_, results, _ := strings.Cut(string(p), "#R#")
	id, rest, _ := strings.Cut(results, "#")
	return records.Verdict{Show: records.ShowIn(p), Id: id}, rest
}

// hideNames removes the names of deleted users from their entries, and returns how many entries had one. If it fails
// for a user, it goes on, and returns the first error.
func (a Auditor) hideNames(ctx context.Context, deleted []game.ID) (hidden int, err error) {
	for _, user := range deleted {
		named, userErr := a.Misnamed(ctx, user, game.DeletedPlayer)
		if userErr == nil && named > 0 {
			if _, userErr = a.HideName(ctx, user); userErr == nil {
				hidden += named
			}
		}
		if userErr != nil {
			err = cmp.Or(err, fmt.Errorf("hide the name of %s: %w", user, userErr))
		}
	}
	return hidden, err
}

// deleteLeftovers deletes the noted results that no show leads to, and returns the number of deleted items. If it fails
// for a show, it goes on, and returns the first error.
func (a Auditor) deleteLeftovers(ctx context.Context, notes *auditNotes) (deleted int, err error) {
	leftovers := map[game.ID][]records.Verdict{}
	for v := range notes.results {
		if !notes.named[v] {
			leftovers[v.Show] = append(leftovers[v.Show], v)
		}
	}
	for show, verdicts := range leftovers {
		n, showErr := a.deleteLeftoversOf(ctx, show, verdicts, notes.results)
		deleted += n
		if showErr != nil {
			err = cmp.Or(err, fmt.Errorf("delete leftovers of %s: %w", show, showErr))
		}
	}
	return deleted, err
}

// deleteLeftoversOf deletes the results of these verdicts of one show, except the verdict that the show leads to: the
// scan may have read the show before it was completed. It deletes up to ParallelWrites items at once.
func (a Auditor) deleteLeftoversOf(ctx context.Context, show game.ID, verdicts []records.Verdict, extents map[records.Verdict]extent) (deleted int, err error) {
	leads, known, err := a.leadsTo(ctx, show)
	if err != nil || !known {
		return 0, err
	}
	var keys []table.Key
	for _, v := range verdicts {
		if v != leads {
			keys = append(keys, v.ResultKeys(extents[v].sheets, extents[v].pages)...)
		}
	}
	there, err := table.InParallel(ctx, store.ParallelWrites, keys, func(ctx context.Context, k table.Key) (bool, error) { return a.Table.Delete(ctx, k, table.Condition{}) })
	for _, was := range there {
		if was {
			deleted++
		}
	}
	return deleted, err
}

// leadsTo returns the verdict that the show leads to. No other verdict in the table is the show's, now or later. An
// open or cancelled show leads to no verdict. leadsTo raises the number of renamings of an open show, so every judging
// fails that has already written results. known is false if the show is missing or damaged.
func (a Auditor) leadsTo(ctx context.Context, show game.ID) (v records.Verdict, known bool, err error) {
	err = a.RaiseRenamed(ctx, show)
	if !errors.Is(err, table.ErrRefused) {
		return records.Verdict{}, err == nil, err
	}
	item, err := a.ShowItem(ctx, show)
	if err != nil || item == nil {
		return records.Verdict{}, false, err
	}
	return item.Verdict(), item.Status == game.ShowCancelled || item.VerdictID != "", nil
}
