package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ranch-game/ranch/infra/history/logs"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// functionLog keeps what the functions write: in a file, and of each request what became of it.
type functionLog struct {
	figures *figures
	path    string

	mu       sync.Mutex
	file     *os.File
	out      *bufio.Writer
	answered map[string]int // statuses by request
	unlogged int            // calls of which it lacks a line
	lost     []game.Instant // when processes ended that may have had something to say
	besides  []logs.Record  // of calls that no function has made
}

// logLine is what is taken from a line of a function.
type logLine struct {
	Msg       string `json:"msg"`
	Status    int    `json:"status"`
	RequestID string `json:"request_id"`

	Attempts, Conflicts, Retries, Seals int64
}

func newFunctionLog(path string, figures *figures) (*functionLog, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	return &functionLog{figures: figures, path: path, file: file, out: bufio.NewWriter(file), answered: map[string]int{}}, nil
}

// add takes a line. One that is no JSON is the gateway's word, or a crash.
func (l *functionLog) add(_, text string) {
	var line logLine
	isRecord := json.Unmarshal([]byte(text), &line) == nil
	isRequest := isRecord && line.Msg == "request"
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case isRequest:
		l.figures.addLine(line)
		l.answered[line.RequestID] = line.Status
	case !isRecord && (strings.HasPrefix(text, "gateway: the process ended") || strings.Contains(text, "Task timed out")):
		l.lost = append(l.lost, game.InstantOf(time.Now()))
	}
	if isRecord {
		_, _ = l.out.WriteString(text + "\n") // its error comes with Flush
	}
}

// welcomed takes down that somebody was registered past the functions.
func (l *functionLog) welcomed(user game.ID, began, ended time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.besides = append(l.besides, logs.Record{
		Kind: logs.Register, Outcome: logs.Done, User: user, Paid: game.StartingGold, Began: game.InstantOf(began), Ended: game.InstantOf(ended.Add(time.Millisecond)),
	})
}

// status returns what the function says that it has answered; 0 where it has said nothing.
func (l *functionLog) status(request string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.answered[request]
}

// complete waits until there is a line of each call that a function has answered: it is written before the answer, and
// read a while after. It does not wait for ever, and counts what is missing: the log has judged that much less.
func (l *functionLog) complete(calls []*call) error {
	missing := func(c *call) bool { return told(c.Status) != unknown && c.Request != "" && l.status(c.Request) == 0 }
	for patience := time.Now().Add(20 * time.Second); time.Now().Before(patience) && slices.ContainsFunc(calls, missing); {
		time.Sleep(10 * time.Millisecond)
	}
	unlogged := len(which(calls, missing))
	l.mu.Lock()
	defer l.mu.Unlock()
	l.figures.addUnlogged(unlogged - l.unlogged)
	l.unlogged = unlogged
	return l.out.Flush()
}

// check judges what the service did by the log alone, as `ranchctl check-logs --with-table` does.
func (l *functionLog) check(ctx context.Context, s *store.Store) ([]logs.Violation, error) {
	checker := logs.NewChecker(logs.Options{Skew: logSkew})
	file, err := os.Open(l.path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if err := checker.Read(file); err != nil {
		return nil, err
	}
	l.mu.Lock()
	for _, at := range l.lost {
		checker.Lost(at)
	}
	for _, r := range l.besides {
		checker.Add(r)
	}
	l.mu.Unlock()
	if err := checker.CheckTable(ctx, s, nil); err != nil {
		return nil, err
	}
	return checker.Check().Violations, nil
}

// logSkew is by how much a line's time may be off: there is one clock, which a busy machine reads late.
const logSkew = time.Second

func (l *functionLog) close() error { return errors.Join(l.out.Flush(), l.file.Close()) }
