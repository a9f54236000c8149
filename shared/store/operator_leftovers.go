package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/shared/game"
)

// leftoverAge is how old results are that the audit takes for leftovers. A judging lasts seconds, and a lost attempt of
// it arrives within minutes: AWS refuses a request whose signature is older. So no result is written after its
// deletion, no late attempt completes the show, and the audit disturbs no judging that is under way. A judging on a
// machine that slept for a day fails by its condition (see leadsTo).
const leftoverAge = 24 * time.Hour

// TableAudit is what an audit has found and done beside comparing ledgers.
type TableAudit struct {
	Leftovers   int // items that it has deleted: results that no show leads to
	NamesHidden int // entries of deleted users that still had a name, or had one again
}

// AuditTable audits the ledgers as AuditLedgers does. In the same scan it also looks for what a call that broke off has
// left, and finishes what needs no decision:
//
//   - It deletes results that began before leftoverAge and that their show does not lead to, also those of an open or a
//     cancelled show. Results of a show that is missing stay: the table is damaged, and they may help to mend it.
//   - It takes the names of deleted users from their entries again. A judging writes pages as plain items, so that a
//     lost attempt can bring a page back as it was before the deletion.
//   - It notes refunds that are pending and not noted, so that Finish goes on with them.
//
// It hides and deletes nothing before it has read the whole table. What fails is left to the next audit, and does not
// keep the rest. It costs what AuditLedgers does, and for each of these: 1 WCU, or 2 RCU, for a show with leftovers and
// 4 to 6 WCU for each of their items; for a deleted user what Pending does; and what noteRefunds does.
func (s *Store) AuditTable(ctx context.Context, now game.Instant, visit func(LedgerAudit) error) (audit TableAudit, err error) {
	ctx = Patiently(ctx)
	refundsErr := s.noteRefunds(ctx, now) // first: also an audit that runs out of time does so
	notes := auditNotes{before: now.Add(-leftoverAge), results: map[verdict]extent{}, named: map[verdict]bool{}}
	ledgersErr := s.auditRows(ctx, &notes, visit)
	if ledgersErr != nil && !errors.As(ledgersErr, new(*UnreadError)) {
		return audit, errors.Join(refundsErr, ledgersErr)
	}
	var namesErr, leftoversErr error
	audit.NamesHidden, namesErr = s.hideNames(ctx, notes.deleted)
	audit.Leftovers, leftoversErr = s.deleteLeftovers(ctx, &notes)
	return audit, errors.Join(refundsErr, ledgersErr, namesErr, leftoversErr)
}

// auditNotes are what an audit notes while it reads the table. It may be used by several goroutines.
type auditNotes struct {
	before  game.Instant // results of later judgings are not noted
	mu      sync.Mutex
	results map[verdict]extent
	named   map[verdict]bool // by their shows
	deleted []game.ID        // users
}

// extent is how many sheets and pages a verdict has at most: the highest numbers that were seen, plus 1.
type extent struct{ sheets, pages int }

// ask lets a scan of users return results and completed shows, too.
func (n *auditNotes) ask(request *dynamodb.ScanInput) {
	filter := *request.FilterExpression + " OR begins_with(PK, :show) AND (attribute_exists(vd) OR SK = :sheet OR begins_with(SK, :page))"
	request.FilterExpression = &filter
	request.ExpressionAttributeValues[":show"] = str("SHOW#")
	request.ExpressionAttributeValues[":sheet"] = str(string(verdict{}.sheetKey(0).SK))
	request.ExpressionAttributeValues[":page"] = str(string(pagePrefix))
}

// add notes a row. A damaged one is not noted: before something is deleted, its show is read again.
func (n *auditNotes) add(k key, av attributes) {
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
	case userKey("").SK:
		if text("st") == string(game.UserDeleted) {
			n.deleted = append(n.deleted, idIn(sk(k.PK)))
		}
		return
	case showKey("").SK:
		if v := (verdict{showIn(k.PK), text("vd")}); n.old(v) {
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
		seen.pages = max(seen.pages, numberIn(k.SK)+1)
	}
	n.results[v] = seen
}

// old reports whether the verdict's judging began so long ago that the verdict is to be noted.
func (n *auditNotes) old(v verdict) bool { return v.at() > 0 && v.at() < n.before }

// verdictIn returns the verdict of a partition of results, and what the key has after it.
func verdictIn(p pk) (v verdict, rest string) {
	_, results, _ := strings.Cut(string(p), "#R#")
	id, rest, _ := strings.Cut(results, "#")
	return verdict{showIn(p), id}, rest
}

// hideNames takes the names of deleted users from their entries, and returns how many entries had one.
func (s *Store) hideNames(ctx context.Context, deleted []game.ID) (hidden int, err error) {
	for _, user := range deleted {
		named, userErr := s.misnamed(ctx, user, game.DeletedPlayer)
		if userErr == nil && named > 0 {
			if _, userErr = (entryNames{s, user, game.DeletedPlayer}).show(ctx); userErr == nil {
				hidden += named
			}
		}
		if userErr != nil {
			err = cmp.Or(err, fmt.Errorf("hide the name of %s: %w", user, userErr))
		}
	}
	return hidden, err
}

// deleteLeftovers deletes the noted results that no show leads to, and returns how many items these were.
func (s *Store) deleteLeftovers(ctx context.Context, notes *auditNotes) (deleted int, err error) {
	leftovers := map[game.ID][]verdict{}
	for v := range notes.results {
		if !notes.named[v] {
			leftovers[v.show] = append(leftovers[v.show], v)
		}
	}
	for show, verdicts := range leftovers {
		n, showErr := s.deleteLeftoversOf(ctx, show, verdicts, notes.results)
		deleted += n
		if showErr != nil {
			err = cmp.Or(err, fmt.Errorf("delete leftovers of %s: %w", show, showErr))
		}
	}
	return deleted, err
}

// deleteLeftoversOf deletes the results of one show that have these verdicts, but for those that the show leads to: the
// scan may have read the show before it was completed. It deletes as many items at once as a judging writes, the
// highest numbers first, so that the extents of what a failure leaves are those of the items that are still there.
func (s *Store) deleteLeftoversOf(ctx context.Context, show game.ID, verdicts []verdict, extents map[verdict]extent) (int, error) {
	leads, known, err := s.leadsTo(ctx, show)
	if err != nil || !known {
		return 0, err
	}
	var keys []key
	for _, v := range verdicts {
		if v == leads {
			continue
		}
		for sheet := range extents[v].sheets {
			keys = append(keys, v.sheetKey(sheet))
		}
		for page := range extents[v].pages {
			keys = append(keys, v.pageKey(page))
		}
	}
	var deleted atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallelWrites)
	for _, k := range slices.Backward(keys) {
		group.Go(func() error {
			there, err := s.deleteItem(ctx, k, "", nil)
			if there {
				deleted.Add(1)
			}
			return err
		})
	}
	err = group.Wait()
	return int(deleted.Load()), err
}

// leadsTo returns the only verdict that a show leads to now or ever will, of those that are in the table. It is none of
// them if the show is cancelled, or open: raising the number of renamings makes the condition of every judging fail
// that has written results by now. known is false if the show is missing, or damaged.
func (s *Store) leadsTo(ctx context.Context, show game.ID) (v verdict, known bool, err error) {
	err = s.raiseRenamed(ctx, show)
	if !errors.As(err, new(*types.ConditionalCheckFailedException)) {
		return verdict{}, err == nil, err
	}
	item, err := s.showItem(ctx, show)
	if err != nil || item == nil {
		return verdict{}, false, err
	}
	return item.verdict(), item.Status == game.ShowCancelled || item.Verdict != "", nil
}

// deleteItem deletes an item if it meets the condition. there is false if it does not exist or does not meet it, also
// if an earlier attempt deleted it.
func (s *Store) deleteItem(ctx context.Context, k key, condition string, values attributes) (there bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, readPatience)
	defer cancel()
	out, err := s.db.DeleteItem(ctx, &dynamodb.DeleteItemInput{
		TableName: &s.table, Key: k.attributes(), ConditionExpression: optional(condition), ExpressionAttributeValues: values,
		ReturnValues: types.ReturnValueAllOld,
	})
	if errors.As(err, new(*types.ConditionalCheckFailedException)) {
		return false, nil
	}
	return err == nil && len(out.Attributes) > 0, err
}
