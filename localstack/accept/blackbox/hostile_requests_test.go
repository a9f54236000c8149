package blackbox

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"

	"github.com/ranch-game/ranch/infra/running"
	"github.com/ranch-game/ranch/localstack/accept/contract"
	"github.com/ranch-game/ranch/localstack/kit/process/processtest"
)

// TestHostile_tenThousandRequests sends requests that mean harm, byte by byte over connections of its own, to a service
// with players in the middle of the game. There are 10,000, the same in every run but for ids and tokens
// (hostile_kinds_test.go). Each run sends 600 others of them, and prints how to repeat it; HOSTILE=10000 sends all.
// None may change anything: if a token is good, the request is about nothing of its player's, and if it is about
// something real, its token is not good.
//
// Every answer comes in time, is one that the contract allows or HTTP's own refusal of what is no HTTP, is no fault,
// and tells nothing of the inside; in the end the table is what it was, row by row, and so are the processes.
//
// schemathesis (`make schemathesis`) derives its questions from the contract's shapes and sends them as a client
// library does. What there is here besides: what no library sends (broken HTTP, several requests in one go, halves of
// requests, slow ones, injected headers), tokens changed bit by bit and forged, other players' things, texts that are
// almost JSON, and the look at the table.
func TestHostile_tenThousandRequests(t *testing.T) {
	t.Parallel()
	s := newStack(t, "it compares all of a table, and all processes", "SEED=demo", "PROCESSES=1") // none starts later
	w := newHostileWorld(t, s)
	attempts := sample(t, w.attempts())
	rows, processes := tableRows(t, s), processtest.Descendants(s.process.PID())

	verdicts := make(chan verdict, 64)
	go func() {
		defer close(verdicts)
		queue := make(chan attempt)
		var senders sync.WaitGroup
		for range 4 {
			senders.Go(func() {
				c := &wire{address: w.host}
				defer c.close()
				for a := range queue {
					v := w.judge(a, c.send(a))
					for tries := 0; v.fault && tries < 3; tries++ { // what a request is to blame for, it does each time
						v = w.judge(a, c.send(a))
					}
					verdicts <- v
				}
			})
		}
		for _, a := range attempts {
			queue <- a
		}
		close(queue)
		senders.Wait()
	}()
	counts, told, answered := map[string]map[string]int{}, 0, 0
	var slowest verdict
	for v := range verdicts {
		hostile.Add(1)
		if counts[v.kind] == nil {
			counts[v.kind] = map[string]int{}
		}
		for _, answer := range v.answers {
			counts[v.kind][answer]++
			answered++
		}
		if v.took > slowest.took {
			slowest = v
		}
		for _, problem := range v.problems {
			if told++; told <= maxBroken {
				t.Error(problem)
			}
		}
	}
	if told > maxBroken {
		t.Errorf("and %d problems more", told-maxBroken)
	}
	if diff := cmp.Diff(rows, tableRows(t, s)); diff != "" {
		t.Errorf("the table has changed (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(processes, processtest.Descendants(s.process.PID()), cmp.AllowUnexported(processtest.Process{})); diff != "" {
		t.Errorf("these are other processes (-before +after):\n%s", diff)
	}
	if len(rows) < 20 {
		t.Errorf("there are %d rows in the table: too few to say anything", len(rows))
	}
	w.stillServed(t)
	if err := s.checkLog(); err != nil {
		for line := range strings.Lines(err.Error()) {
			if strings.TrimSpace(line) != "" && !strings.Contains(line, "context deadline exceeded") {
				t.Error(line)
			}
		}
	}
	t.Logf("%d attempts, %d answers; the slowest took %v: %s", len(attempts), answered, slowest.took.Round(time.Millisecond), slowest.kind)
	for _, kind := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%-22s %v", kind, counts[kind])
	}
	if answered < len(attempts)*9/10 {
		t.Errorf("%d of %d attempts were answered: the others say nothing", answered, len(attempts))
	}
}

// sample returns as many of the attempts as HOSTILE says, chosen by HOSTILE_SEED, and otherwise by chance.
func sample(t *testing.T, all []attempt) []attempt {
	t.Helper()
	settings := map[string]uint64{"HOSTILE": 600, "HOSTILE_SEED": rand.Uint64N(1 << 32)}
	for name := range settings {
		if text := os.Getenv(name); text != "" {
			value, err := strconv.ParseUint(text, 10, 64)
			if err != nil {
				t.Fatalf("%s=%s: not a number", name, text)
			}
			settings[name] = value
		}
	}
	n, seed := min(settings["HOSTILE"], uint64(len(all))), settings["HOSTILE_SEED"]
	t.Logf("%d of %d requests; the same again: HOSTILE=%[1]d HOSTILE_SEED=%[3]d", n, len(all), seed)
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:n]
}

// verdict is what became of an attempt.
type verdict struct {
	kind     string
	answers  []string // their statuses, "-" for a connection that was closed without a word
	problems []string
	fault    bool // an answer was a 5xx of the API
	took     time.Duration
}

// judge says what is wrong with the answers to an attempt.
func (w hostileWorld) judge(a attempt, o outcomes) verdict {
	v := verdict{kind: a.kind, took: o.took}
	fail := func(format string, args ...any) {
		v.problems = append(v.problems, fmt.Sprintf("%s %d, %.300q: ", a.kind, a.number, a.raw)+fmt.Sprintf(format, args...))
	}
	if o.err != nil {
		fail("%v", o.err)
	}
	if len(o.answers) == 0 {
		v.answers = []string{"-"}
		if a.sound() {
			fail("there was no answer")
		}
	}
	for i, answer := range o.answers {
		v.answers = append(v.answers, fmt.Sprint(answer.status))
		v.fault = v.fault || ofGateway(answer) && answer.status >= 500
		if i >= len(a.requests) { // what is no HTTP, or a body that breaks off
			if !refusesHTTP(answer) || ofGateway(answer) && string(answer.body) != `{"message":"Bad Request"}` {
				fail("what is no request is answered %d %.300q", answer.status, answer.body)
			}
			continue
		}
		for _, problem := range w.problems(a.requests[i], answer) {
			fail("answered %d %.300q: %s", answer.status, answer.body, problem)
		}
	}
	if a.sound() && len(o.answers) != len(a.requests) && len(o.answers) > 0 && !o.closed {
		fail("%d requests have %d answers", len(a.requests), len(o.answers))
	}
	return v
}

// ofGateway says whether an answer comes from the API, and not from HTTP before it.
func ofGateway(a rawAnswer) bool { return a.header.Get("Apigw-Requestid") != "" }

// refusesHTTP says whether it is one of HTTP's own refusals: of what is no HTTP, of an encoding or a version of it that
// there is not, of headers that are too large, and of requests for another host than this machine.
func refusesHTTP(a rawAnswer) bool {
	return slices.Contains([]int{400, 403, 408, 417, 431, 501, 505}, a.status) && len(a.body) < 250 && !strings.Contains(string(a.body), "goroutine")
}

func (w hostileWorld) problems(r parsedRequest, a rawAnswer) (problems []string) {
	if !ofGateway(a) {
		if !refusesHTTP(a) || !r.odd {
			problems = append(problems, "this is not of the API")
		}
		return problems
	}
	if a.status >= 500 {
		problems = append(problems, "this is a fault")
	}
	for _, inside := range []string{"dynamodb", "Exception", "goroutine", ".go:", "panic", "127.0.0.1", "USER#", "argon2", "runtime error"} {
		if strings.Contains(string(a.body), inside) {
			problems = append(problems, fmt.Sprintf("%q is nobody's business", inside))
		}
	}
	if _, known := contracted.Operation(r.method, r.target); !known {
		switch {
		case r.method == http.MethodOptions && a.status == http.StatusNoContent && len(a.body) == 0:
		case r.method == http.MethodHead && a.status == http.StatusNotFound && len(a.body) == 0:
		case a.status == http.StatusNotFound && string(a.body) == `{"message":"Not Found"}`:
		default:
			problems = append(problems, "there is no such route")
		}
		return problems
	}
	contracted.Lock()
	contracted.exchanges++
	contracted.Unlock()
	return append(problems, contracted.Check(contract.Exchange{
		Method: r.method, Path: r.target, RequestHeader: r.header, RequestBody: r.body, Status: a.status, Header: a.header, Body: a.body,
	})...)
}

// tableRows are all rows of a stack's table, by their keys.
func tableRows(t *testing.T, s *stack) map[string]map[string]any {
	t.Helper()
	client := dynamodb.New(dynamodb.Options{Region: running.Region, BaseEndpoint: &s.endpoint, Credentials: running.Credentials()})
	rows := map[string]map[string]any{}
	pages := dynamodb.NewScanPaginator(client, &dynamodb.ScanInput{TableName: aws.String("ranch"), ConsistentRead: aws.Bool(true)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range page.Items {
			var row map[string]any
			if err := attributevalue.UnmarshalMap(item, &row); err != nil {
				t.Fatal(err)
			}
			rows[fmt.Sprint(row["PK"], " ", row["SK"])] = row
		}
	}
	return rows
}
