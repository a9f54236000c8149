package logcheck_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/infra/logcheck"
	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/store"
)

// compared returns the checker's report on the log and a table. Parts of the table may be unreadable.
func (s *service) compared(ctx context.Context, table *store.Store, o logcheck.Options) (logcheck.Report, error) {
	s.t.Helper()
	c := logcheck.NewChecker(o)
	require.NoError(s.t, c.Read(strings.NewReader(s.text())))
	err := c.CheckTable(ctx, table, logcheck.Progress{})
	return c.Check(), err
}

// wantUnread fails the test unless the error and a violation name the unread account or show.
func (s *service) wantUnread(r logcheck.Report, err error, what, why string) {
	s.t.Helper()
	assert.True(s.t, err != nil && strings.Contains(err.Error(), "cannot be read: ") && strings.Contains(err.Error(), what),
		"the error is %v", err)
	s.wantFound(r, "cannot be read: "+what+": "+why)
}

// loseGate makes another show, with an entry and without its gate.
func (s *service) loseGate() {
	s.show = s.AddShow(s.t, storetest.Gates(1))
	s.enter("ann enters another", s.ann)
	s.Gate(s.t, s.show).Delete(s.t)
}

// CheckTable names each record that it cannot read, also a show that stays incomplete, and compares all others.
func TestDamagedRecords(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		damage      func(s *service)
		what        func(s *service) string
		why         string
		read, shows int
		patience    time.Duration // 0: the default
	}{
		"a show without its gate": {
			(*service).loseGate, func(s *service) string { return "show " + string(s.show.ID) }, "not read as a whole within 2s", 2, 1, 2 * time.Second,
		},
		"a show": {
			func(s *service) {
				s.At("SHOW#"+string(s.show.ID), "SHOW").Edit(s.t, "SET fe = :x", map[string]any{":x": "much"})
			},
			func(s *service) string { return "show " + string(s.show.ID) }, "unmarshal", 2, 0, 0,
		},
		"a page of results": {
			func(s *service) {
				s.Result(s.t, s.show, "PAGE#").Edit(s.t, "SET en = :x", map[string]any{":x": []byte("few")})
			},
			func(s *service) string { return "show " + string(s.show.ID) }, "page PAGE#000000 of", 2, 0, 0,
		},
		"a ledger": {
			func(s *service) {
				s.At("USER#"+string(s.ann.ID), "LEDGER#000000000001").Edit(s.t, "SET am = :x", map[string]any{":x": "much"})
			},
			func(s *service) string { return "account " + string(s.ann.ID) }, "unmarshal", 2, 1, 0,
		},
		"the operators' records": {
			func(s *service) {
				change := store.NewChange("tester", "", s.Now)
				require.NoError(s.t, s.Rival.Operator(change).Unban(s.t.Context(), s.ann.ID))
				s.At("AUDIT#"+change.At.Time().Format("2006-01"), string(change.ID)).Edit(s.t, "SET wr = :x", map[string]any{":x": "late"})
			},
			func(*service) string { return "the operators' records" }, "unmarshal", 2, 1, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := played(t)
			c.damage(s)
			r, err := s.compared(t.Context(), s.Rival, logcheck.Options{Patience: c.patience})
			s.wantUnread(r, err, c.what(s), c.why)
			assert.True(t, r.Table.Accounts == c.read && r.Table.Shows == c.shows, "%+v", r.Table)
		})
	}
}

// If the table does not answer, or if the caller ends the comparison, the report still has what the lines show.
func TestComparisonsThatEnd(t *testing.T) {
	t.Parallel()
	s := played(t)
	s.again("bob judges", "bob judges twice", 0)
	s.Wire.Next("Scan", storetest.Denied)
	r, err := s.compared(t.Context(), s.Store, logcheck.Options{})
	assert.True(t, err != nil && strings.Contains(err.Error(), "AccessDeniedException") && r.Found == 1, "%v: %v", err, r.Violations)

	s.loseGate()
	ctx, end := context.WithCancel(t.Context())
	s.Wire.Next("GetItem", storetest.Before(end)) // of a show
	r, err = s.compared(ctx, s.Store, logcheck.Options{Patience: time.Hour})
	assert.True(t, errors.Is(err, context.Canceled) && r.Table.Accounts == 2, "%v: %+v", err, r.Table)
	s.wantFound(r, "was ended twice")
}

// CheckTable names an account whose reads hang or fail, whether its ledger adds up or not. It compares the others and
// the shows.
func TestAnAccountThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		gold  int // that is too much
		fault storetest.Fault
		why   string
	}{
		"slow":             {0, storetest.Hang, "not read as a whole within 300ms"},
		"slow and wrong":   {7, storetest.Hang, "not read as a whole within 300ms"},
		"denied":           {0, storetest.Denied, "query USER"},
		"denied and wrong": {7, storetest.Denied, "query USER"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := played(t)
			s.At("USER#"+string(s.ann.ID), "PROFILE").Edit(t, "SET g = g + :more", map[string]any{":more": c.gold})
			if c.gold > 0 {
				s.Wire.Next("GetItem", storetest.Denied) // of the audit of all ledgers
			}
			s.Wire.Through(ofPartition("USER#"+string(s.ann.ID), c.fault).On)
			r, err := s.compared(t.Context(), s.Store, logcheck.Options{Patience: 300 * time.Millisecond})
			s.wantUnread(r, err, "account "+string(s.ann.ID), c.why)
			assert.True(t, r.Table.Accounts == 2 && r.Table.Shows == 1 && r.Found == 1, "%+v: %v", r.Table, r.Violations)
		})
	}
}

// ofPartition returns a fault for queries of the partition, and for no other requests.
func ofPartition(partition string, fault storetest.Fault) storetest.Fault {
	return func(r *http.Request, next http.RoundTripper) (*http.Response, error) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if protocol.Operation(r) == "Query" && bytes.Contains(body, []byte(partition)) {
			return fault(r, next)
		}
		return next.RoundTrip(r)
	}
}
