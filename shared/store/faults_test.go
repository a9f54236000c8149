package store_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/table"
)

const tableJSON = "application/x-amz-json-1.0"

// proxied are answers that are not the table's.
var proxied = []storetest.Fault{
	storetest.Proxied(http.StatusOK, "text/html", "<html>"),
	storetest.Proxied(http.StatusBadRequest, "text/html", "<html>"),
	storetest.Proxied(http.StatusOK, tableJSON, ""),
	storetest.Proxied(http.StatusOK, tableJSON, "<html>"),
	storetest.Proxied(http.StatusBadRequest, tableJSON, "{"),
	storetest.Proxied(http.StatusOK, "application/json", `{"status":"ok"}`),
	storetest.Proxied(http.StatusForbidden, "", ""),
}

// Whatever happens to its requests, a call takes effect exactly once, and its own write never makes it fail. All writes
// are repeated in the same way. So only entries are tested with every fault, and the other writes with the worst.
func TestEveryWriteSurvivesFaults(t *testing.T) {
	t.Parallel()
	throttled := storetest.Cancelled("None", "ThrottlingError")
	crowded := storetest.Cancelled("ProvisionedThroughputExceeded", "TransactionConflict")
	const theWorst = "everything at once"
	for name, faults := range map[string][]storetest.Fault{
		"a lost answer":             {storetest.LoseAnswer},
		"many lost answers":         {storetest.LoseAnswer, storetest.LoseAnswer, storetest.LoseAnswer, storetest.LoseAnswer},
		"a lost answer, then busy":  {storetest.LoseAnswer, storetest.InProgress, storetest.Throttle, storetest.Unavailable},
		"conflicts":                 slices.Repeat([]storetest.Fault{storetest.Conflict}, 5),
		"a conflict, then lost":     {storetest.Conflict, storetest.LoseAnswer},
		"in progress":               {storetest.InProgress, storetest.InProgress},
		"throttling":                {storetest.Throttle, storetest.Throttle, storetest.Throttle},
		"items that are throttled":  {throttled, crowded, throttled},
		"server errors":             {storetest.Unavailable, storetest.Unavailable, storetest.Unavailable, storetest.Unavailable},
		theWorst:                    {storetest.Unavailable, storetest.Conflict, storetest.Throttle, crowded, storetest.LoseAnswer, storetest.InProgress},
		"a lost answer and a reset": {storetest.LoseAnswer, storetest.Refuse},
		"half an answer":            {storetest.CutAnswer, storetest.CutAnswer},
		"answers that stall":        {storetest.StallAnswer, storetest.StallAnswer},
		"answers of a proxy":        proxied,
		"signatures refused":        {storetest.Unsigned, storetest.Skewed},
	} {
		some := writesOf("enter")
		if name == theWorst {
			some = writes
		}
		for _, w := range some {
			t.Run(w.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				f := w.fair(t)
				f.Wire.Next("TransactWriteItems", faults...)
				checkError(t, w.counted(t, f), nil)
				w.check(t, f)
			})
		}
	}
}

// A lost attempt arrives late: after its repetition was cancelled for a conflict, and before the next repetition.
func TestEveryWriteSurvivesALateAttempt(t *testing.T) {
	t.Parallel()
	for _, w := range writes {
		survivesLateAttempt(t, w, storetest.Lost, storetest.Conflict)
	}
	for _, w := range writesOf("enter") {
		survivesLateAttempt(t, w, storetest.Overloaded, storetest.Conflict)
	}
}

// A lost attempt arrives late: after its repetition was refused for a reason that has passed since.
func TestRefusedWritesRecogniseTheirLateAttempt(t *testing.T) {
	t.Parallel()
	for _, w := range writesOf("enter", "claim", "login", "own") {
		survivesLateAttempt(t, w, storetest.Lost, storetest.Cancelled("ConditionalCheckFailed"))
	}
}

func survivesLateAttempt(t *testing.T, w write, told, then storetest.Fault) {
	t.Helper()
	t.Run(w.name, func(t *testing.T) {
		t.Parallel()
		f := w.fair(t)
		late, arrive := storetest.Late(told)
		f.Wire.Next("TransactWriteItems", late, then, storetest.Before(arrive))
		checkError(t, w.counted(t, f), nil)
		w.check(t, f)
	})
}

// A lost attempt arrives late, and then its player is banned. The call still recognises its write.
func TestRefusedWritesRecogniseTheirLateAttemptBehindABan(t *testing.T) {
	t.Parallel()
	for _, w := range writesOf("enter", "claim", "login", "own password", "own address") {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			f := w.fair(t)
			late, arrive := storetest.Late(storetest.Lost)
			f.Wire.Next("TransactWriteItems", late, func(r *http.Request, pass http.RoundTripper) (*http.Response, error) {
				arrive()
				f.Ban(t, f.Ann.ID)
				return storetest.Cancelled("ConditionalCheckFailed")(r, pass)
			})
			checkError(t, w.counted(t, f), nil)
			f.Unban(t, f.Ann.ID)
			w.check(t, f)
		})
	}
}

// After conflicts, a judging tries again, and recognises its own late attempt. It does so even if its caller is banned
// after that attempt, and one BatchGet reads the show before the attempt and the caller after the ban.
func TestAJudgingRecognisesItsLateAttempt(t *testing.T) {
	t.Parallel()
	for _, banned := range []bool{false, true} {
		f := newFair(t, game.TierRookie, 0, 1)
		f.MustEnter(t, f.Ann, f.Show, 0)
		late, arrive := storetest.Late(storetest.Lost)
		f.Wire.Next("TransactWriteItems", late, storetest.Conflict, storetest.Conflict, storetest.Conflict)
		if banned {
			f.Wire.Next("BatchGetItem", storetest.Pass, storetest.UnprocessedFirst, storetest.Before(func() {
				arrive()
				f.Ban(t, f.Ann.ID)
			}))
			f.Wire.Next("TransactGetItems", storetest.Conflict)
		} else {
			f.Wire.Next("BatchGetItem", storetest.Pass, storetest.Before(arrive))
		}
		ranked, err := f.Judge(t.Context(), f.Ann.ID, f.Show.ID, f.Now)
		assert.True(t, err == nil && len(ranked) == 1 && ranked[0].Animal == f.Ann.Animals[0].ID, "%v, %v", ranked, err)
		f.CheckFaults(t)
		f.Invariants(t)
	}
}

// If a transaction is cancelled for a permanent reason, the call returns a fault at once. It does not repeat the
// transaction, and does not return a refusal, even if a condition has failed, too.
func TestEveryWriteFailsOnAFaultOfItsOwn(t *testing.T) {
	t.Parallel()
	for i, codes := range [][]string{
		{"ConditionalCheckFailed", "NewCode"}, {"None", "ValidationError"}, {"None", "AccessDenied"}, {"None", "ItemCollectionSizeLimitExceeded"},
		{"None", "NewCode"}, {"TransactionConflict", "NewCode"},
	} {
		some := writes
		if i > 0 {
			some = writesOf("enter")
		}
		for _, w := range some {
			t.Run(w.name+"/"+strings.Join(codes, " "), func(t *testing.T) {
				t.Parallel()
				f := w.fair(t)
				f.Wire.Next("TransactWriteItems", storetest.Cancelled(codes...), storetest.Before(func() { t.Error("tried again") }))
				f.Unchanged(t, func() {
					err := w.do(t.Context(), f)
					refusal := (*game.Refusal)(nil)
					assert.True(t, err != nil && !errors.As(err, &refusal), "got %v, want a fault", err)
				})
				f.Wire.Forget()
			})
		}
	}
}

// The table's third refusal of a signature is final: the credentials or the clock are wrong.
func TestEveryWriteFailsWithoutASignature(t *testing.T) {
	t.Parallel()
	for _, w := range writesOf("enter") {
		f := w.fair(t)
		f.Wire.Next("TransactWriteItems", storetest.Unsigned, storetest.Unsigned, storetest.Skewed,
			storetest.Before(func() { t.Error("tried again") }))
		f.Unchanged(t, func() { assert.ErrorContains(t, w.do(t.Context(), f), "RequestTimeTooSkewed") })
		f.Wire.Forget()
	}
}

// ClientOptions undoes a limit of attempts in an operator's environment (AWS_MAX_ATTEMPTS).
func TestRepetitionsHaveNoLimitButTheDeadline(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	options := f.Client.Options()
	options.RetryMaxAttempts, options.APIOptions = 2, nil
	client := dynamodb.New(options, table.ClientOptions, func(o *dynamodb.Options) { o.HTTPClient = options.HTTPClient })
	s := store.New(client, f.Name, f.Clock.Now)
	f.Wire.Next("TransactWriteItems", slices.Repeat([]storetest.Fault{storetest.LoseAnswer}, 5)...)
	_, _, err := s.Enter(t.Context(), f.Ann.ID, f.Show.ID, f.Ann.Animals[0].ID, f.Now)
	checkError(t, err, nil)
}

// If a client limits the attempts, the SDK may return a conflict while an earlier attempt is in doubt. With a new
// token, the transaction could be applied twice.
func TestNoNewTransactionWhileOneIsInDoubt(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	options := f.Client.Options()
	options.RetryMaxAttempts = 2
	s := store.New(dynamodb.New(options), f.Name, f.Clock.Now)
	late, arrive := storetest.Late(storetest.Lost)
	f.Wire.Next("TransactWriteItems", late, storetest.Conflict, storetest.Before(func() { t.Error("tried again") }))
	_, _, err := s.Enter(t.Context(), f.Ann.ID, f.Show.ID, f.Ann.Animals[0].ID, f.Now)
	refusal := (*game.Refusal)(nil)
	assert.True(t, err != nil && !errors.As(err, &refusal), "got %v, want a fault", err)
	f.Wire.Forget()
	arrive()
	f.CheckGold(t, f.Ann.ID, 450, 500, -50)
}

// No call outlives its deadline, and a fault at the deadline changes nothing.
func TestEveryWriteKeepsToItsDeadline(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]storetest.Fault{"conflicts": storetest.Conflict, "outage": storetest.Unavailable, "silence": storetest.Hang} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var fairs []fair
			var before []map[string]map[string]any
			for _, w := range writes {
				f := w.fair(t)
				fairs, before = append(fairs, f), append(before, f.Rows(t))
				f.Wire.Next("TransactWriteItems", slices.Repeat([]storetest.Fault{fault}, 1000)...)
			}
			failAtOnce(t, fairs)
			for i, f := range fairs {
				f.Wire.Forget()
				after := f.rows(t)
				for _, row := range after {
					delete(row, "lb") // a judging with conflicts has taken the lease, which ends by itself
					delete(row, "lu")
				}
				storetest.Equal(t, writes[i].name+": rows", after, before[i])
			}
		})
	}
}

// failAtOnce runs every write in its fair, all at once since they mostly wait. Each must fail with a fault, within 5 s.
func failAtOnce(t *testing.T, fairs []fair) {
	t.Helper()
	errs, start := make([]error, len(fairs)), time.Now()
	atOnce(t, len(fairs), func(i int) error {
		errs[i] = writes[i].do(soon(t), fairs[i])
		return nil
	}, nil)
	took := time.Since(start)
	assert.True(t, took <= 5*time.Second, "took %v", took)
	for i, err := range errs {
		refusal := (*game.Refusal)(nil)
		assert.True(t, err != nil && !errors.As(err, &refusal), "%s: got %v, want a fault", writes[i].name, err)
	}
}

// recorded appends the decoded body of an attempt to bodies, with its text under "bytes".
func recorded(bodies *[]map[string]any, then storetest.Fault) storetest.Fault {
	return watch(then, func(body map[string]any, text string) {
		body["bytes"] = text
		*bodies = append(*bodies, body)
	})
}

// A transaction is repeated byte by byte with its token, also after a conflict if an earlier attempt is in doubt. After
// a cancellation that leaves nothing in doubt, the next attempt has a new token: DynamoDB does not say whether the old
// one may be used again. After a failed condition, the store decides again and sends a new transaction.
func TestTokensOfRepeatedTransactions(t *testing.T) {
	t.Parallel()
	f := newFair(t, game.TierRookie, 50, 1)
	var bodies []map[string]any
	for _, fault := range []storetest.Fault{
		storetest.Conflict, storetest.Conflict, storetest.Unavailable, storetest.Throttle, storetest.Conflict, storetest.InProgress, storetest.Cancelled("ConditionalCheckFailed"),
		storetest.InProgress, storetest.Conflict, storetest.LoseAnswer, proxied[0], proxied[1],
		storetest.Conflict, storetest.Pass,
	} {
		f.Wire.Next("TransactWriteItems", recorded(&bodies, fault))
	}
	checkError(t, f.enter(t.Context(), f.Ann, 0), nil)
	for i, same := range []bool{false, false, true, true, true, true, false, true, true, true, true, true, true} {
		a, b := bodies[i], bodies[i+1]
		assert.True(t, (a["ClientRequestToken"] == b["ClientRequestToken"]) == same && a["ClientRequestToken"] != "",
			"attempts %d and %d have the tokens %v and %v", i, i+1, a["ClientRequestToken"], b["ClientRequestToken"])
		if same {
			storetest.Equal(t, fmt.Sprintf("bytes of the attempts %d and %d", i, i+1), b["bytes"], a["bytes"])
		}
	}
}
