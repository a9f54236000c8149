package store_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/table"
	"github.com/ranch-game/ranch/shared/upkeep"
)

// How long the store waits for a table that does not answer. attempt is the time until it gives up the first attempt,
// call the time until the call ends. Requests of the operation get no answer; others are answered at once. The caller's
// own time is 28 s, like a function's. The numbers are literal, so that a changed constant fails.
func TestWaits(t *testing.T) {
	t.Parallel()
	const callers = 28 * time.Second
	for name, c := range map[string]struct {
		fair          func(t *testing.T) fair
		operation     string
		do            func(ctx context.Context, f fair) error
		attempt, call time.Duration
	}{
		"a look": {openFair(0, 1), "GetItem", func(ctx context.Context, f fair) error {
			return errOf(f.Account(ctx, f.Ann.ID))
		}, time.Second, 3 * time.Second},
		"a patient look": {openFair(0, 1), "Query", func(ctx context.Context, f fair) error {
			return errOf(f.Ledger(table.Patiently(ctx), f.Ann.ID))
		}, time.Second, 3 * time.Second},
		"a look at a transaction's item": {func(t *testing.T) fair {
			f := openFair(50, 1)(t)
			f.At(store.UserKey(f.Ann.ID)).Edit(t, "SET g = :none", map[string]any{":none": 0})
			return f
		}, "TransactGetItems", func(ctx context.Context, f fair) error { return f.enter(ctx, f.Ann, 0) }, time.Second, 3 * time.Second},
		"an entry": {openFair(50, 1), "TransactWriteItems", func(ctx context.Context, f fair) error {
			return f.enter(ctx, f.Ann, 0)
		}, time.Second, callers},
		"a judging's results": {func(t *testing.T) fair {
			f := openFair(0, 1)(t)
			f.MustEnter(t, f.Ann, f.Show, 0)
			return f
		}, "PutItem", func(ctx context.Context, f fair) error { return f.judge(ctx) }, time.Second, 3 * time.Second},
		"a lease": {openFair(0, 1), "UpdateItem", func(ctx context.Context, f fair) error {
			f.Wire.Next("TransactWriteItems", storetest.Conflict, storetest.Conflict, storetest.Conflict)
			_, err := f.Judge(ctx, f.Ann.ID, f.Show.ID, f.Now)
			if err == nil { // the judging has gone on without the lease
				err = errors.New("judged without")
			}
			return err
		}, time.Second, time.Second},
		"a log-out": {openFair(0, 1), "DeleteItem", func(ctx context.Context, f fair) error {
			return f.DeleteRefreshRecord(ctx, f.Ann.Refresh.Digest)
		}, time.Second, 3 * time.Second},
		"a publication": {openFair(0, 1), "PutItem", func(ctx context.Context, f fair) error {
			return f.PublishKeys(ctx, published("ours", f.Now, "k1"))
		}, time.Second, 3 * time.Second},
		"a refund's reads": {cancelledFair, "BatchGetItem", func(ctx context.Context, f fair) error {
			return f.changes().Refund(ctx, f.Show.ID, nil)
		}, time.Second, 3 * time.Second},
		"a refund": {cancelledFair, "TransactWriteItems", func(ctx context.Context, f fair) error {
			return f.changes().Refund(ctx, f.Show.ID, nil)
		}, time.Second, 20 * time.Second},
		"the note of all refunds": {func(t *testing.T) fair {
			f := openFair(0, 1)(t)
			checkError(t, f.Operator().CancelShow(t.Context(), f.Show.ID), nil)
			return f
		}, "TransactWriteItems", func(ctx context.Context, f fair) error {
			return f.changes().Refund(ctx, f.Show.ID, nil)
		}, time.Second, 20 * time.Second},
		"a deletion": {openFair(0, 1), "TransactWriteItems", func(ctx context.Context, f fair) error {
			return errOf(f.changes().DeleteUser(ctx, f.Ann.ID))
		}, time.Second, 20 * time.Second},
		"new names": {openFair(0, 1), "TransactWriteItems", func(ctx context.Context, f fair) error {
			return errOf(f.changes().SetUser(ctx, f.Ann.ID, username("Annie")))
		}, time.Second, 20 * time.Second},
		"a new name in an entry": {enteredFair, "TransactWriteItems", func(ctx context.Context, f fair) error {
			return errOf(f.changes().SetUser(ctx, f.Ann.ID, username(f.Ann.Username))) // only the entries get it
		}, time.Second, 20 * time.Second},
		"what became of a change": {openFair(0, 1), "TransactWriteItems", func(ctx context.Context, f fair) error {
			f.Wire.Next("BatchGetItem", slices.Concat([]storetest.Fault{storetest.Pass}, slices.Repeat([]storetest.Fault{storetest.Throttle}, 1_000))...)
			return f.changes().Ban(table.Patiently(ctx), f.Ann.ID)
		}, time.Second, callers + 3*time.Second},
		"a deleted name": {func(t *testing.T) fair {
			f := openFair(0, 1)(t)
			f.MustEnter(t, f.Ann, f.Show, 0)
			f.Edited() // the name stays, which breaks an invariant
			return f
		}, "UpdateItem", func(ctx context.Context, f fair) error {
			return errOf(f.changes().DeleteUser(ctx, f.Ann.ID))
		}, time.Second, 3 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := c.fair(t)
			synctest.Test(t, func(t *testing.T) {
				in := f.inABubble(t)
				var attempt time.Duration
				for range 1_000 {
					in.Wire.Next(c.operation, func(r *http.Request, _ http.RoundTripper) (*http.Response, error) {
						start := time.Now()
						<-r.Context().Done()
						if attempt == 0 {
							attempt = time.Since(start)
						}
						return nil, r.Context().Err()
					})
				}
				ctx, cancel := context.WithTimeout(t.Context(), callers)
				defer cancel()
				start := time.Now()
				err := c.do(ctx, in)
				call := time.Since(start)
				assert.True(t, err != nil && attempt == c.attempt && call >= c.call && call <= c.call+time.Second/2,
					"an attempt lasts %v, the call %v: want %v and %v (%v)", attempt, call, c.attempt, c.call, err)
				in.Wire.Forget()
			})
		})
	}
}

// changes returns an operator with a new change. The wire disturbs its requests.
func (f fair) changes() operate.Operator { return f.Desk.Operator(f.Change()) }

// slowly delivers each answer in twenty pieces, within the given time.
func slowly(total time.Duration) func(http.RoundTripper) http.RoundTripper {
	return func(next http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			response, err := hangingUp{next}.RoundTrip(r)
			if err != nil {
				return nil, err
			}
			body, err := io.ReadAll(response.Body)
			response.Body.Close()
			response.Body = &pieces{r.Context(), body, max(len(body)/20, 1), total / 20, false}
			return response, err
		})
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// pieces is a body whose pieces arrive after pauses, as long as its request lasts. If it stalls, it never ends.
type pieces struct {
	request context.Context
	left    []byte
	size    int
	pause   time.Duration
	stalls  bool
}

func (p *pieces) Read(b []byte) (int, error) {
	arrival := time.After(p.pause)
	if len(p.left) == 0 {
		if !p.stalls {
			return 0, io.EOF
		}
		arrival = nil
	}
	select {
	case <-arrival:
	case <-p.request.Done():
		return 0, p.request.Err()
	}
	n := copy(b[:min(len(b), p.size)], p.left)
	p.left = p.left[n:]
	return n, nil
}

func (p *pieces) Close() error { return nil }

// A slow line is not a silent table. Eight pages of 1 MB that share 10 Mbit/s take 6.7 s each. That is longer than the
// store waits for a first byte, or tolerates a failing table.
func TestSlowLine(t *testing.T) {
	t.Parallel()
	const page = 6700 * time.Millisecond
	f := newFair(t, game.TierRookie, 50, 1).judged(t, 0)
	cancelled := f.AddShow(t)
	f.MustEnter(t, f.Ann, cancelled, 0)
	checkError(t, f.Operator().CancelShow(t.Context(), cancelled.ID), nil)
	for name, do := range map[string]func(ctx context.Context, f fair) error{
		"ledger verify": func(ctx context.Context, f fair) error { _, err := sortedAudits(ctx, f.Desk); return err },
		"accounts": func(ctx context.Context, f fair) error {
			return f.EachAccount(ctx, func(game.Account) error { return nil })
		},
		"standings": func(ctx context.Context, f fair) error {
			return errOf(f.SeasonStandings(ctx, f.Ann.ID, store.StandingsAt{Limit: 3}))
		},
		"refunds": func(ctx context.Context, f fair) error { return f.changes().Refund(ctx, cancelled.ID, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				in := f.inABubble(t)
				in.Wire.Through(slowly(page))
				start := time.Now()
				checkError(t, do(table.Patiently(t.Context()), in), nil)
				took := time.Since(start)
				assert.True(t, took >= page, "took %v", took)
			})
		})
	}
}

// answered returns an answer of the table.
func answered(body io.ReadCloser) *http.Response {
	header := http.Header{"Content-Type": {tableJSON}}
	return &http.Response{StatusCode: http.StatusOK, Header: header, ContentLength: -1, Body: body}
}

// Line refuses answers that are neither AWS's nor LocalStack's, whose refusals have another type, and empty ones.
func TestWhoseAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		header http.Header
		length int64
		want   bool
	}{
		"the table":                  {http.Header{"Content-Type": {tableJSON}}, 2, true},
		"the table, without length":  {http.Header{"Content-Type": {tableJSON}}, -1, true},
		"Secrets Manager":            {http.Header{"Content-Type": {"application/x-amz-json-1.1"}}, 2, true},
		"a refusal of LocalStack":    {http.Header{"Content-Type": {"application/json"}, "X-Amzn-Errortype": {"Denied"}}, 2, true},
		"a proxy":                    {http.Header{"Content-Type": {"application/json"}}, 2, false},
		"a proxy without any header": {http.Header{}, 2, false},
		"the table, without a body":  {http.Header{"Content-Type": {tableJSON}}, 0, false},
	} {
		line := &table.Line{Silence: time.Second, Transport: roundTripper(func(*http.Request) (*http.Response, error) {
			return &http.Response{Header: c.header, ContentLength: c.length, Body: io.NopCloser(strings.NewReader("{}"))}, nil
		})}
		request, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://table.test", nil)
		response, err := line.Do(request)
		assert.Equal(t, c.want, err == nil, "%s: %v", name, err)
		if err == nil {
			response.Body.Close()
		}
	}
}

// An answer that stops halfway times out after a second of silence, whatever came before.
func TestSilenceWithinAnAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		line := &table.Line{Silence: time.Second, Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			time.Sleep(900 * time.Millisecond)
			body := &pieces{r.Context(), []byte("0123456789"), 1, 900 * time.Millisecond, true}
			return answered(body), nil
		})}
		request, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://table.test", nil)
		start := time.Now()
		response := must(line.Do(request))(t)
		got, err := io.ReadAll(response.Body)
		took := time.Since(start)
		assert.True(t, string(got) == "0123456789" && errors.Is(err, os.ErrDeadlineExceeded) && took == 10900*time.Millisecond,
			"got %q after %v, %v", got, took, err)
		response.Body.Close()
		checkError(t, t.Context().Err(), nil)
	})
}

// A slow request is not a silent one. A request that cannot be sent fails. Closing an answer ends its attempt.
func TestSlowRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var sent *http.Request
		line := &table.Line{Silence: time.Second, Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			sent = r
			if _, err := io.ReadAll(r.Body); err != nil {
				return nil, err
			}
			return answered(http.NoBody), nil
		})}
		body := &pieces{t.Context(), []byte("0123456789"), 1, 900 * time.Millisecond, false}
		request, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://table.test", body)
		response := must(line.Do(request))(t)
		response.Body.Close()
		checkError(t, sent.Context().Err(), context.Canceled)

		over, cancel := context.WithCancel(t.Context())
		cancel()
		request.Body = &pieces{over, []byte("0"), 1, time.Minute, false}
		checkError(t, errOf(line.Do(request)), context.Canceled)
	})
}

// The back-off is ours, whatever the table's answers ask for: the SDK would obey their header.
func TestOurBackoff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		client := storetest.Client("http://table.test", &storetest.Wire{})
		client.Options().HTTPClient.(*table.Line).Transport = roundTripper(func(*http.Request) (*http.Response, error) {
			asked++
			answer := answered(io.NopCloser(strings.NewReader("{}")))
			if asked <= 5 {
				answer.StatusCode = http.StatusInternalServerError
				answer.Header.Set("X-Amz-Retry-After", "4000")
			}
			return answer, nil
		})
		start := time.Now()
		_, err := store.New(client, "table", time.Now).Account(t.Context(), game.NewID())
		// Up to 10, 20, 40, 80 and 160 ms.
		took := time.Since(start)
		assert.True(t, err == nil && asked == 6 && took <= 320*time.Millisecond, "asked %d times in %v: %v", asked, took, err)
	})
}

// An audit leaves most of each partition to players: each of its eight readers takes 200 ms for a page of 1 MB.
func TestAuditPace(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	synctest.Test(t, func(t *testing.T) {
		in := f.inABubble(t)
		in.Wire.Through(func(http.RoundTripper) http.RoundTripper {
			return roundTripper(func(r *http.Request) (*http.Response, error) {
				body, err := io.ReadAll(r.Body)
				page := `{"Items":[]}`
				if !strings.Contains(string(body), `"ExclusiveStartKey"`) {
					page = `{"Items":[],"LastEvaluatedKey":{"PK":{"S":"USER#0"},"SK":{"S":"PROFILE"}}}`
				}
				return answered(io.NopCloser(strings.NewReader(page))), err
			})
		})
		start := time.Now()
		_, err := sortedAudits(t.Context(), in.Desk)
		// 32 segments of two pages: the first page of each waits for the second.
		took := time.Since(start)
		assert.True(t, err == nil && took >= 800*time.Millisecond && took <= 850*time.Millisecond, "took %v: %v", took, err)
	})
}

// An audit gives an account up after a minute in which the table throttles all reads of it.
func TestAuditsGiveUpAnAccount(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	f.At(store.UserKey(f.Ann.ID)).Edit(t, "SET g = g + :one", map[string]any{":one": 1})
	synctest.Test(t, func(t *testing.T) {
		in := f.inABubble(t)
		in.Wire.Next("GetItem", slices.Repeat([]storetest.Fault{storetest.Throttle}, 5_000)...)
		start := time.Now()
		_, err := auditAll(t.Context(), in.Desk)
		took, unread := time.Since(start), (*upkeep.UnreadError)(nil)
		assert.True(t, errors.As(err, &unread) && took >= 59*time.Second && took <= 61*time.Second, "took %v: %v", took, err)
	})
}

// A call that waits for a judging looks after 150 to 450 ms, then at intervals of up to four times that, for 8 s.
func TestLooksAtALease(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	bubbles := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // when they begin
	f.At(store.ShowKey(f.Show.ID)).Edit(t, "SET lb = :lb, lu = :lu", map[string]any{
		":lb": game.NewID(), ":lu": int64(game.InstantOf(bubbles.Add(8 * time.Second))),
	})
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		for share, looksEvery := range []time.Duration{150 * time.Millisecond, 450 * time.Millisecond} {
			in := f.inABubble(t)
			began := time.Now()
			// The lease ends 8 s after the start of the bubble. The store's clock stands still then, so that the second
			// reader waits for its whole patience, too.
			s := store.New(in.Client, in.Name, func() time.Time { return start.Add(time.Since(began)) }).
				WithChance(func(bound time.Duration) time.Duration { return bound * time.Duration(share) })
			var looks []time.Duration
			in.Wire.Through(func(next http.RoundTripper) http.RoundTripper {
				return roundTripper(func(r *http.Request) (*http.Response, error) {
					if strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".GetItem") {
						looks = append(looks, time.Since(began))
					}
					return hangingUp{next}.RoundTrip(r)
				})
			})
			_, _, err := s.ShowWithEntries(t.Context(), f.Show.ID)
			checkError(t, err, nil)
			require.True(t, len(looks) >= 2 && looks[len(looks)-1] >= 8*time.Second, "looked after %v", looks)
			for i, look := range looks[1:] {
				gap := look - looks[i]
				assert.Equal(t, min(time.Duration(i+1), 4)*looksEvery, gap, "look %d comes after %v", i+1, gap)
			}
		}
	})
}

// A call that keeps its lease writes it every two seconds, and at once only if less than four of its six seconds are
// left. A call that gives up ends its lease, and tries for 300 ms at most if the table does not answer.
func TestALeaseIsKept(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	synctest.Test(t, func(t *testing.T) {
		in := f.inABubble(t)
		keep, rest, giveUp := store.KeepLease(store.New(in.Client, in.Name, time.Now), f.Show.ID)
		start := time.Now()
		var written []time.Duration
		in.Wire.Next("UpdateItem", slices.Repeat([]storetest.Fault{func(r *http.Request, pass http.RoundTripper) (*http.Response, error) {
			written = append(written, time.Since(start))
			return pass.RoundTrip(r)
		}}, 100)...)
		checkError(t, keep(t.Context()), nil)
		checkError(t, keep(t.Context()), nil)
		time.Sleep(5 * time.Second)
		rest()
		time.Sleep(time.Second)
		checkError(t, keep(t.Context()), nil) // four seconds are left
		rest()
		time.Sleep(time.Millisecond)
		checkError(t, keep(t.Context()), nil)
		time.Sleep(2500 * time.Millisecond)
		giveUp(t.Context())
		time.Sleep(10 * time.Second)
		want := []time.Duration{0, 2 * time.Second, 4 * time.Second, 6001 * time.Millisecond, 8001 * time.Millisecond, 8501 * time.Millisecond}
		storetest.Equal(t, "written", written, want)
		in.Wire.Forget()

		checkError(t, keep(t.Context()), nil)
		in.Wire.Next("UpdateItem", slices.Repeat([]storetest.Fault{storetest.Hang}, 100)...)
		start = time.Now()
		giveUp(t.Context())
		storetest.Equal(t, "the farewell", time.Since(start), 300*time.Millisecond)
		in.Wire.Forget()
	})
}

// Attempts of a transaction are at least a millisecond apart.
func TestTheShortestBackoff(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	synctest.Test(t, func(t *testing.T) {
		in := f.inABubble(t)
		in.Wire.Next("TransactWriteItems", storetest.Conflict, storetest.Conflict, storetest.Conflict)
		start := time.Now()
		_, _, err := in.WithChance(func(time.Duration) time.Duration { return 0 }).Enter(t.Context(), f.Ann.ID, f.Show.ID, f.Ann.Animals[0].ID, f.Now)
		checkError(t, err, nil)
		storetest.Equal(t, "waited", time.Since(start), 3*time.Millisecond)
	})
	f.Invariants(t)
}

// If a table throttles a patient read and then falls silent, the read goes on for three more seconds.
func TestPatienceAfterThrottling(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	synctest.Test(t, func(t *testing.T) {
		in := f.inABubble(t)
		in.Wire.Next("Query", append([]storetest.Fault{storetest.Throttle}, slices.Repeat([]storetest.Fault{storetest.Hang}, 100)...)...)
		start := time.Now()
		_, err := in.Ledger(table.Patiently(t.Context()), f.Ann.ID)
		storetest.Equal(t, "patience", time.Since(start), 3*time.Second)
		assert.Error(t, err, "want an error")
		in.Wire.Forget()
	})
}

// Bytes of an answer prolong a patient read, by three seconds from then on, and no other read.
func TestPatienceAfterBytes(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 0, 1)
	for name, c := range map[string]struct {
		ctx         func(context.Context) context.Context
		least, most time.Duration
	}{
		"a look":         {func(ctx context.Context) context.Context { return ctx }, 3 * time.Second, 3 * time.Second},
		"a patient look": {table.Patiently, 4 * time.Second, 4*time.Second + 20*time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			in := f.inABubble(t)
			in.Wire.Next("Query", append([]storetest.Fault{storetest.Hang, storetest.StallAnswer}, slices.Repeat([]storetest.Fault{storetest.Hang}, 100)...)...)
			start := time.Now()
			_, err := in.Ledger(c.ctx(t.Context()), f.Ann.ID)
			took := time.Since(start)
			assert.True(t, err != nil && took >= c.least && took <= c.most, "%s: after %v, %v", name, took, err)
			in.Wire.Forget()
		})
	}
}
