package main

import (
	"bufio"
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
)

// functions are the functions that answer calls, as template.yaml has them.
var functions = map[logcheck.Kind]string{
	logcheck.Register: "Register", logcheck.Login: "Login", logcheck.Refresh: "Refresh", logcheck.Logout: "Logout",
	logcheck.Animals: "ListAnimals", logcheck.List: "ListShows", logcheck.Detail: "GetShow", logcheck.Enter: "EnterShow",
	logcheck.Judge: "JudgeShow", logcheck.Claim: "ClaimReward", logcheck.Season: "GetSeason", logcheck.JudgeDue: "JudgeDue",
}

// functionLog keeps what the functions write, in a file.
type functionLog struct {
	figures *figures
	path    string

	mu       sync.Mutex
	file     *os.File
	out      *bufio.Writer
	so       heard
	unlogged int // calls of which it lacks a line
}

// heard is what the functions and the gateway have logged so far.
type heard struct {
	answers    map[string]answer // by request
	ends       []end             // of processes, in their order
	runs       []string          // why runs of the scheduled function have failed
	complaints []string          // that no fault explains
}

// answer is what a function says that it has answered.
type answer struct {
	outcome logcheck.Outcome
	fault   string // what stood in the way of a better answer; "" for nothing
}

// end is that of a process which may have been at work.
type end struct {
	function string
	cause    string // causeKilled, causeTime, or causeStart
	at       game.Instant
}

// logLine is what is taken from a line of a function.
type logLine struct {
	Msg       string `json:"msg"`
	Status    int    `json:"status"`
	Code      string `json:"code"`
	Error     string `json:"error"`
	RequestID string `json:"request_id"`

	Attempts, Conflicts, Retries, Seals int64
}

func newFunctionLog(path string, figures *figures) (*functionLog, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	return &functionLog{figures: figures, path: path, file: file, out: bufio.NewWriter(file), so: heard{answers: map[string]answer{}}}, nil
}

// crashed is how the gateway says that a process ended by itself, and the permissions that a function lacks one.
var crashed = regexp.MustCompile(`^gateway: the process ended|^gateway: the function failed at its start: (exit status|signal)|^template.yaml does not allow`)

// add takes a line. One that is no JSON is the gateway's word, or a crash.
func (l *functionLog) add(function, text string) {
	var line logLine
	isRecord := json.Unmarshal([]byte(text), &line) == nil
	ended := func(cause string) { l.so.ends = append(l.so.ends, end{function, cause, game.InstantOf(time.Now())}) }
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case isRecord && line.Msg == "request":
		l.figures.addLine(line)
		a := answer{outcome: outcomeOf(line.Status)}
		if line.Code == "" && line.Error != "" {
			a = answer{logcheck.Unknown, line.Error}
		}
		l.so.answers[line.RequestID] = a
	case isRecord && line.Msg == "run" && line.Error != "":
		l.so.runs = append(l.so.runs, line.Error)
	case isRecord:
	case strings.HasPrefix(text, "gateway: the process ended: signal: killed"):
		ended(causeKilled)
	case strings.Contains(text, "Task timed out"):
		ended(causeTime)
	case strings.HasPrefix(text, "gateway: no request taken"):
		ended(causeStart)
	case crashed.MatchString(text):
		l.so.complaints = append(l.so.complaints, function+": "+text)
	}
	if isRecord {
		_, _ = l.out.WriteString(text + "\n") // its error comes with Flush
	}
}

// heard returns what was logged so far.
func (l *functionLog) heard() heard {
	l.mu.Lock()
	defer l.mu.Unlock()
	return heard{maps.Clone(l.so.answers), slices.Clone(l.so.ends), slices.Clone(l.so.runs), slices.Clone(l.so.complaints)}
}

// complete waits until there is a line of each call that a function has answered, which is written before the answer
// and read a while after. It waits for a minute at most, and counts what is missing.
func (l *functionLog) complete(calls []*logcheck.Record) error {
	missing := func() (n int) {
		so, runs := l.heard(), 0
		for _, c := range calls {
			if _, logged := so.answers[c.Request]; c.Answered() && !logged {
				n++
			}
			if failedRun(c) {
				runs++
			}
		}
		return n + max(0, runs-len(so.runs))
	}
	unlogged := missing()
	for patience := time.Now().Add(time.Minute); time.Now().Before(patience) && unlogged > 0; unlogged = missing() {
		time.Sleep(10 * time.Millisecond)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.figures.addUnlogged(unlogged - l.unlogged)
	l.unlogged = unlogged
	return l.out.Flush()
}

// readBy lets a checker read the log. The ends of processes are not in it: which calls have no line is known here.
func (l *functionLog) readBy(checker *logcheck.Checker) error {
	file, err := os.Open(l.path)
	if err != nil {
		return err
	}
	defer file.Close()
	return checker.Read(file)
}

func (l *functionLog) close() error { return errors.Join(l.out.Flush(), l.file.Close()) }
