package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/infra/logcheck"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/shared/boot"
	"github.com/ranch-game/ranch/shared/client"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/token"
)

const (
	// workers is the most calls that run at once.
	workers = 12
	// storyCalls is the most calls of a story (round.story).
	storyCalls = 10
	// logSkew is how much a log line's time may differ from the call's, because a busy machine reads its clock late.
	logSkew = time.Second
)

// round is a part of the run, with a table of its own. The seed, the round's number and the number of its calls decide
// its plan.
type round struct {
	*stage
	plan      *plan
	keys      *token.Keys
	transport *client.Transport
	began     time.Time
	log       *functionLog
	causes    map[string]int // how many failures had each cause, at the last check

	mu       sync.Mutex
	calls    []*logcheck.Record
	welcomed []*logcheck.Record // registrations without the functions (welcome)
}

// findings has the violations of a check: what no correct service could have done.
type findings struct {
	from, to   int      // the numbers of the calls since the previous check
	violations []string // each with its story
	folder     string   // the folder of leave
}

// playRound plays a round to its end, or to the first window with a violation, and returns the violations. The
// functions must have been built. It returns an error only if the machine failed, not for violations.
func (s *search) playRound(ctx context.Context, number, calls int) (found findings, err error) {
	r := &round{
		stage: &stage{search: s}, plan: newPlan(s.seed, number, calls), began: time.Now(), log: newFunctionLog(s.figures),
		transport: &client.Transport{HTTP: &http.Client{
			Timeout:   40 * time.Second, // the gateway answers within 30 seconds
			Transport: &http.Transport{MaxIdleConnsPerHost: workers},
		}},
	}
	defer func() {
		r.transport.HTTP.CloseIdleConnections()
		err = errors.Join(err, r.close())
	}()
	if err := r.open(ctx, s.seed<<16+uint64(number), r.log.add); err != nil {
		return found, err
	}
	r.transport.API = r.stack.API
	if r.keys, err = boot.DevelopmentKeys(ctx, r.store); err != nil {
		return found, err
	}
	now := game.InstantOf(time.Now())
	season := game.Season{ID: r.plan.season, Name: "Stress", StartDate: now.Add(-time.Hour), EndDate: now.Add(24 * time.Hour), IsActive: true}
	if err := r.store.Operator(store.NewChange("stress", "", now)).CreateSeason(ctx, season); err != nil {
		return found, err
	}
	for err == nil && !r.plan.over() && len(found.violations) == 0 {
		found.from = r.plan.calls + 1
		if err = r.playWindow(ctx, min(r.plan.calls+s.window, r.plan.of)); err == nil {
			found.violations, err = r.check(ctx)
		}
		found.to = r.plan.calls
	}
	s.figures.add("all", "rounds", 1)
	for cause, n := range r.causes {
		s.figures.add("causes of failures", cause, n)
	}
	if len(found.violations) > 0 {
		left, failure := r.leave(number)
		found.folder, err = left, errors.Join(err, failure)
	}
	return found, err
}

// leave writes the calls and the functions' log of the round into a new folder, and returns its path.
func (r *round) leave(number int) (folder string, err error) {
	if folder, err = os.MkdirTemp(r.folder, fmt.Sprintf("round-%d-", number)); err != nil {
		return "", err
	}
	var calls bytes.Buffer
	lines := json.NewEncoder(&calls)
	for _, c := range r.calls {
		err = errors.Join(err, lines.Encode(c))
	}
	return folder, errors.Join(
		err, os.WriteFile(filepath.Join(folder, "calls.jsonl"), calls.Bytes(), 0o644),
		os.WriteFile(filepath.Join(folder, "functions.jsonl"), r.log.heard().lines, 0o644),
	)
}

// playWindow makes calls up to the number to, with faults. It returns when all calls have ended and the faults are off.
func (r *round) playWindow(ctx context.Context, to int) error {
	err := r.loud(ctx)
	group, playing := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for err == nil && r.plan.calls < to && playing.Err() == nil {
		err = r.provide(playing)
		for _, o := range r.plan.next() {
			group.Go(func() error {
				if err := r.do(playing, o); err != nil {
					return fmt.Errorf("%s: %w", o.kind, err)
				}
				return nil
			})
		}
	}
	err = errors.Join(group.Wait(), err, r.quiet(context.WithoutCancel(ctx)))
	return errors.Join(err, r.finishNames(ctx))
}

// finishNames completes interrupted changes of usernames in entries, as the function FinishPending does.
func (r *round) finishNames(ctx context.Context) error {
	works, err := r.store.Unfinished(ctx)
	for _, w := range works {
		if w.Work == store.WorkNames && err == nil {
			_, err = r.store.Finish(ctx, w, game.InstantOf(time.Now()))
		}
	}
	return err
}

// provide creates the players and shows for the next calls. If a fault prevents a show, later calls find no such show.
func (r *round) provide(ctx context.Context) error {
	players, shows := r.plan.wanted()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for _, p := range players {
		group.Go(func() error { return r.welcome(ctx, p) })
	}
	for _, o := range shows {
		group.Go(func() error { return r.operate(ctx, o) })
	}
	return group.Wait()
}

// do executes one step of the plan.
func (r *round) do(ctx context.Context, o operation) error {
	switch o.kind {
	case killFunction:
		r.killFunction(o.draw)
		return nil
	case killEngine:
		return r.killEngine(ctx)
	}
	if functions[o.kind] == "" {
		return r.operate(ctx, o)
	}
	return r.play(ctx, o)
}

// record stores and counts a call that has ended.
func (r *round) record(c *logcheck.Record) {
	r.figures.add("all", "calls", 1)
	if c.Outcome == logcheck.Unknown {
		r.figures.add("all", "unknown", 1)
	}
	became := string(c.Outcome)
	if functions[c.Kind] != "" {
		became = strconv.Itoa(c.Answer.Status)
	}
	r.figures.add(string(c.Kind), became, 1)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, c)
}

// check runs package logcheck on all calls since the round's beginning, with the functions' log and the table. No call
// may be running. check also looks for failures without a cause (explain). It returns the violations that it has found
// even if it returns an error, too.
func (r *round) check(ctx context.Context) (found []string, err error) {
	so := r.log.complete(r.calls)
	checker := logcheck.NewChecker(logcheck.Options{Skew: logSkew, Complete: true})
	for _, c := range slices.Concat(r.welcomed, r.calls) {
		checker.Add(*c)
	}
	// These lines do not have the ends of processes: only this program knows which calls have no line.
	if err := checker.Read(bytes.NewReader(so.lines)); err != nil {
		return nil, err
	}
	rows, err := engine.Rows(ctx, r.direct, stack.TableName)
	if err != nil {
		return nil, err
	}
	checker.CheckRows(rows)
	err = checker.CheckTable(ctx, r.store, logcheck.Progress{})
	if errors.Is(err, logcheck.ErrUnread) { // there is a violation for what could not be read
		err = nil
	}
	failures, causes := explain(so, r.calls)
	r.causes = causes
	for _, v := range append(checker.Check().Violations, failures...) {
		found = append(found, strings.Join(append([]string{v.Text}, r.story(v)...), "\n  "))
	}
	r.figures.add("all", "checks", 1)
	r.figures.add("all", "violations", len(found))
	return found, err
}

// story returns lines about the calls of a violation. If the violation has no calls, the lines are about the last 10
// calls of the player or show in its text.
func (r *round) story(v logcheck.Violation) (lines []string) {
	calls := v.Calls
	if len(calls) == 0 {
		for _, c := range r.calls {
			if c.User != "" && strings.Contains(v.Text, string(c.User)) || c.Show != "" && strings.Contains(v.Text, string(c.Show)) {
				calls = append(calls, *c)
			}
		}
		calls = calls[max(0, len(calls)-storyCalls):]
	}
	for _, c := range calls {
		line := fmt.Sprintf("%8.3f to %8.3f s  %v", r.seconds(c.Began), r.seconds(c.Ended), &c)
		lines = append(lines, longID.ReplaceAllString(line, "$1"))
	}
	return lines
}

// longID matches ids. A story shows only their first eight digits.
var longID = regexp.MustCompile(`\b([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`)

func (r *round) seconds(at game.Instant) float64 { return at.Time().Sub(r.began).Seconds() }
