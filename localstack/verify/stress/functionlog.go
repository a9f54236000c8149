package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ranch-game/ranch/infra/logcheck"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// functionLog keeps what the functions write: in a file, and of each request what became of it.
type functionLog struct {
	figures *figures
	path    string
	began   time.Time

	mu       sync.Mutex
	file     *os.File
	out      *bufio.Writer
	said     testimony
	unlogged int               // calls of which it lacks a line
	besides  []logcheck.Record // of calls that no function has made
}

// testimony is what the functions have said so far.
type testimony struct {
	answers    map[string]answered // by request
	ends       []end               // of processes, in their order
	runs       []string            // why runs of the scheduled function have failed
	complaints []string            // that no fault explains
}

// answered is what a function says that it has answered.
type answered struct {
	status  int
	code    string        // of a refusal
	fault   string        // what stood in the way of a better answer; "" where nothing did
	at      time.Duration // when it was read, since the round began
	damaged bool          // a list whose shows did not agree for longer than they may
}

// end is that of a process which may have been at work.
type end struct {
	function string
	cause    string        // causeKilled, causeTime, or causeStart
	at       time.Duration // since the round began
}

// logLine is what is taken from a line of a function.
type logLine struct {
	Msg       string `json:"msg"`
	Status    int    `json:"status"`
	Code      string `json:"code"`
	Error     string `json:"error"`
	RequestID string `json:"request_id"`

	Attempts, Conflicts, Retries, Seals int64

	DamagedShows int64
}

func newFunctionLog(path string, began time.Time, figures *figures) (*functionLog, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	return &functionLog{
		figures: figures, path: path, began: began, file: file, out: bufio.NewWriter(file), said: testimony{answers: map[string]answered{}},
	}, nil
}

// crashed is how the gateway says that a process ended by itself, and the permissions that a function lacks one.
var crashed = regexp.MustCompile(`^gateway: the process ended|^gateway: the function failed at its start: (exit status|signal)|^template.yaml does not allow`)

// add takes a line. One that is no JSON is the gateway's word, or a crash.
func (l *functionLog) add(function, text string) {
	var line logLine
	isRecord := json.Unmarshal([]byte(text), &line) == nil
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case isRecord && line.Msg == "request":
		l.figures.addLine(line)
		said := answered{status: line.Status, code: line.Code, at: time.Since(l.began), damaged: line.DamagedShows > 0}
		if line.Code == "" {
			said.fault = line.Error
		}
		l.said.answers[line.RequestID] = said
	case isRecord && line.Msg == "run" && line.Error != "":
		l.said.runs = append(l.said.runs, line.Error)
	case isRecord:
	case strings.HasPrefix(text, "gateway: the process ended: signal: killed"):
		l.said.ends = append(l.said.ends, end{function, causeKilled, time.Since(l.began)})
	case strings.Contains(text, "Task timed out"):
		l.said.ends = append(l.said.ends, end{function, causeTime, time.Since(l.began)})
	case strings.HasPrefix(text, "gateway: no request taken"):
		l.said.ends = append(l.said.ends, end{function, causeStart, time.Since(l.began)})
	case crashed.MatchString(text):
		l.said.complaints = append(l.said.complaints, function+": "+text)
	}
	if isRecord {
		_, _ = l.out.WriteString(text + "\n") // its error comes with Flush
	}
}

// welcomed takes down that somebody was registered past the functions.
func (l *functionLog) welcomed(user game.ID, ended time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.besides = append(l.besides, logcheck.Record{
		Kind: logcheck.Register, Outcome: logcheck.Done, User: user, Paid: game.StartingGold,
		Began: game.InstantOf(l.began), Ended: game.InstantOf(ended.Add(time.Millisecond)),
	})
}

// testimony returns what was said so far.
func (l *functionLog) testimony() testimony {
	l.mu.Lock()
	defer l.mu.Unlock()
	return testimony{
		maps.Clone(l.said.answers), slices.Clone(l.said.ends), slices.Clone(l.said.runs), slices.Clone(l.said.complaints),
	}
}

// complete waits until there is a line of each call that a function has answered, and returns what is said then: it is
// written before the answer, and read a while after. It does not wait for ever, and counts what is missing.
func (l *functionLog) complete(calls []*call) (testimony, error) {
	missing := func() int {
		said := l.testimony()
		return len(which(calls, said.lacks)) + max(0, len(which(calls, (*call).failedRun))-len(said.runs))
	}
	unlogged := missing()
	for patience := time.Now().Add(time.Minute); time.Now().Before(patience) && unlogged > 0; unlogged = missing() {
		time.Sleep(10 * time.Millisecond)
	}
	l.mu.Lock()
	l.figures.addUnlogged(unlogged - l.unlogged)
	l.unlogged = unlogged
	err := l.out.Flush()
	l.mu.Unlock()
	return l.testimony(), err
}

// lacks reports whether a function has answered the call, and has said nothing of it: its refusals and its own failures
// have codes, the gateway's have not.
func (t testimony) lacks(c *call) bool {
	_, said := t.answers[c.Request]
	return c.Request != "" && !said && (told(c.Status) != unknown || c.Code != "")
}

// check judges what the service did by the log, as `ranchctl check-logs --with-table` does. That forgives whatever may
// have been a call of a process that died; here it is known which calls have no line, and nothing has to be forgiven.
func (l *functionLog) check(ctx context.Context, s *store.Store, calls []*call) ([]logcheck.Violation, error) {
	checker := logcheck.NewChecker(logcheck.Options{Skew: logSkew})
	file, err := os.Open(l.path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if err := checker.Read(file); err != nil {
		return nil, err
	}
	l.mu.Lock()
	for _, r := range l.besides {
		checker.Add(r)
	}
	for _, c := range calls {
		if _, said := l.said.answers[c.Request]; c.Request == "" || !said {
			l.addUnsaid(checker, c)
		}
	}
	l.mu.Unlock()
	err = checker.CheckTable(ctx, s, logcheck.Progress{})
	if errors.Is(err, logcheck.ErrUnread) { // a violation says what
		err = nil
	}
	return checker.Check().Violations, err
}

// addUnsaid adds a call of which the log says nothing: it may have done what it was to do, or not.
func (l *functionLog) addUnsaid(checker *logcheck.Checker, c *call) {
	kind := endpoints[c.Kind].kind
	if kind == "" {
		return
	}
	r := logcheck.Record{
		Kind: kind, Outcome: logcheck.Unknown, User: c.User, Show: c.Show, Animal: c.Animal, Request: c.Request, Judged: -1,
		Began: game.InstantOf(l.began.Add(c.Began)), Ended: game.InstantOf(l.began.Add(c.Ended + time.Millisecond)),
	}
	checker.Add(r)
}

// logSkew is by how much a line's time may be off: there is one clock, which a busy machine reads late.
const logSkew = time.Second

func (l *functionLog) close() error { return errors.Join(l.out.Flush(), l.file.Close()) }
