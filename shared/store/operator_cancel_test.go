package store_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/records"
)

func (f fair) cancelShow(t *testing.T) error {
	return f.changes().CancelShow(t.Context(), f.Show.ID)
}

// A cancelled show is on no board of open or completed shows, and refuses entries, judgings and claims. Its entries
// stay in the table.
func TestAShowIsCancelled(t *testing.T) {
	t.Parallel()
	for _, gates := range []int{1, 5, records.MaxGates} {
		t.Run(fmt.Sprint(gates), func(t *testing.T) {
			t.Parallel()
			f := newFair(t, game.TierElite, 50, gates)
			f.MustEnter(t, f.Ann, f.Show, 0, 1)
			change := f.Change()
			checkError(t, f.Desk.Operator(change).CancelShow(t.Context(), f.Show.ID), nil)
			f.checkRecorded(t, change, "cancel show", `"status":"open"`, `"status":"cancelled"`)
			want := game.ListedShow{Show: f.Show, EntryCount: 2}
			want.Status = game.ShowCancelled
			f.checkShow(t, want)
			storetest.Equal(t, "ranks", f.ranks(t), map[game.ID]int{f.Ann.Animals[0].ID: 0, f.Ann.Animals[1].ID: 0})
			f.Unchanged(t, func() {
				checkError(t, f.enter(t.Context(), f.Ann, 2), game.ErrShowClosed)
				checkError(t, f.enter(t.Context(), f.Ann, 0), game.ErrShowClosed)
				checkError(t, f.judge(t.Context()), game.ErrShowNotOpen)
				checkError(t, errOf(f.JudgeDue(t.Context(), f.Show.ID, f.Show.EntryClosesAt)), game.ErrShowNotOpen)
				checkError(t, errOf(f.claim(t.Context(), f.Ann)), game.ErrNothingToClaim)
				checkError(t, f.setShow(t, terms(f.Show)["name"]), operate.ErrNotOpen)
				checkError(t, f.cancelShow(t), nil)
				score := must(f.SeasonScore(t.Context(), f.Ann.ID, f.Season.ID))(t)
				storetest.Equal(t, "score", score, 0)
			})
		})
	}
}

// A term of the show changes in between. The cancellation removes the gates and board rows with the new keys.
func TestTermsChangeDuringACancellation(t *testing.T) {
	t.Parallel()
	eachTerm(t, 2, func(t *testing.T, f fair, change operate.ShowChange) {
		f.Meanwhile(func() { f.MustSet(t, f.Show, change) })
		checkError(t, f.cancelShow(t), nil)
		f.Invariants(t)
	})
}

// Two operators cancel a show at once: it is cancelled once, and both may go on to the refunds.
func TestTwoCancellations(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 2)
	f.MustEnter(t, f.Ann, f.Show, 0)
	change := f.Change()
	f.Meanwhile(func() { f.MustCancel(t, f.Show) })
	began := time.Now()
	checkError(t, f.Desk.Operator(change).CancelShow(t.Context(), f.Show.ID), nil)
	assert.True(t, time.Since(began) >= 300*time.Millisecond, "not all of the first is sure to be visible")
	ctx, cancel := context.WithCancel(t.Context())
	// The context ends after the second one has read the show.
	f.Wire.Next("GetItem", func(r *http.Request, pass http.RoundTripper) (*http.Response, error) {
		defer cancel()
		response, err := pass.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(response.Body)
		response.Body = io.NopCloser(bytes.NewReader(body))
		return response, err
	})
	checkError(t, f.Desk.Operator(change).CancelShow(ctx, f.Show.ID), operate.ErrUnclear)
	storetest.Equal(t, "record of the second one", must(f.AuditRecord(t.Context(), change.ID))(t), nil)
}
