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
	"github.com/ranch-game/ranch/shared/boot"
	"github.com/ranch-game/ranch/shared/client"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/token"
)

const (
	// workers is how many calls are under way at once.
	workers = 12
	// storyCalls is how many calls of a player or a show a story has at most.
	storyCalls = 10
	// logSkew is how much the time of a log line may differ from the call's: a busy machine reads its clock late.
	logSkew = time.Second
)

// roundConfig describes a round.
type roundConfig struct {
	seed          uint64
	number, calls int
	window        int    // calls between checks
	folder        string // for the calls and the log of rounds with violations
	stage         stageConfig
	figures       *figures
}

// round is a part of the run that has its own table, so that table and memory do not grow for ever. Its plan depends
// only on the seed and the round's number.
type round struct {
	plan      *plan
	stage     *stage
	keys      *token.Keys
	transport *client.Transport
	began     time.Time
	figures   *figures
	log       *functionLog
	causes    map[string]int // of the failures so far

	mu       sync.Mutex
	calls    []*logcheck.Record
	welcomed []*logcheck.Record // players who were registered without the functions
}

// violation is an impossible observation, with its calls.
type violation struct {
	from, to int // the calls since the last check
	text     string
	story    []string
	folder   string // the folder that the round has left
}

func (v violation) String() string { return strings.Join(append([]string{v.text}, v.story...), "\n  ") }

// playRound plays a round to its end, or to the first window of calls with a violation, and returns the violations. An
// error means that the machine failed, not the service.
func playRound(ctx context.Context, c roundConfig) (found []violation, err error) {
	r := &round{
		plan: newPlan(c.seed, c.number, c.calls), began: time.Now(), figures: c.figures, log: newFunctionLog(c.figures),
	}
	c.stage.log = r.log.add
	c.stage.faults.Seed = c.seed<<16 + uint64(c.number)
	if r.stage, err = newStage(ctx, c.stage, c.figures); err != nil {
		return nil, err
	}
	r.transport = &client.Transport{API: r.stage.stack.API, HTTP: &http.Client{
		Timeout:   40 * time.Second, // the gateway answers within 30
		Transport: &http.Transport{MaxIdleConnsPerHost: workers},
	}}
	defer func() {
		r.transport.HTTP.CloseIdleConnections()
		err = errors.Join(err, r.stage.close())
	}()
	if r.keys, err = boot.DevelopmentKeys(ctx, r.stage.store); err != nil {
		return nil, err
	}
	now := game.InstantOf(time.Now())
	season := game.Season{ID: r.plan.season, Name: "Stress", StartDate: now.Add(-time.Hour), EndDate: now.Add(24 * time.Hour), IsActive: true}
	if err := r.stage.store.Operator(store.NewChange("stress", "", now)).CreateSeason(ctx, season); err != nil {
		return nil, err
	}
	for err == nil && !r.plan.over() && len(found) == 0 {
		from := r.plan.calls + 1
		if err = r.playWindow(ctx, min(r.plan.calls+c.window, r.plan.of)); err == nil {
			found, err = r.check(ctx, from)
		}
	}
	c.figures.add("all", "rounds", 1)
	for cause, n := range r.causes {
		c.figures.add("causes of failures", cause, n)
	}
	if len(found) > 0 {
		err = errors.Join(err, r.leave(filepath.Join(c.folder, fmt.Sprintf("round-%d-", c.number)), found))
	}
	return found, err
}

// leave writes the calls and the functions' log of the round into a new folder, whose path begins with name. It notes
// the folder in each violation.
func (r *round) leave(name string, found []violation) error {
	folder, err := os.MkdirTemp(filepath.Dir(name), filepath.Base(name))
	if err != nil {
		return err
	}
	for i := range found {
		found[i].folder = folder
	}
	var calls bytes.Buffer
	lines := json.NewEncoder(&calls)
	for _, c := range r.calls {
		err = errors.Join(err, lines.Encode(c))
	}
	return errors.Join(
		err, os.WriteFile(filepath.Join(folder, "calls.jsonl"), calls.Bytes(), 0o644),
		os.WriteFile(filepath.Join(folder, "functions.jsonl"), r.log.heard().lines, 0o644),
	)
}

// playWindow makes calls up to the number, with faults.
func (r *round) playWindow(ctx context.Context, to int) error {
	err := r.stage.loud(ctx)
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
	err = errors.Join(group.Wait(), err, r.stage.quiet(context.WithoutCancel(ctx)))
	return errors.Join(err, r.finishNames(ctx))
}

// finishNames completes changes of usernames that a fault has interrupted, as the function FinishPending does.
// Afterwards all entries show the new names.
func (r *round) finishNames(ctx context.Context) error {
	works, err := r.stage.store.Unfinished(ctx)
	for _, w := range works {
		if w.Work == store.WorkNames && err == nil {
			_, err = r.stage.store.Finish(ctx, w, game.InstantOf(time.Now()))
		}
	}
	return err
}

// provide creates the players and shows for the next calls. If it cannot create a show because of a fault, the calls
// find no such show.
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

// do does one step.
func (r *round) do(ctx context.Context, o operation) error {
	switch o.kind {
	case killFunction:
		r.stage.killFunction(o.draw)
		return nil
	case killEngine:
		return r.stage.killEngine(ctx)
	}
	if functions[o.kind] == "" || o.kind == logcheck.JudgeDue {
		return r.operate(ctx, o)
	}
	return r.play(ctx, o)
}

// record keeps a call that has ended.
func (r *round) record(c *logcheck.Record) {
	r.figures.add("all", "calls", 1)
	if c.Outcome == logcheck.Unknown {
		r.figures.add("all", "unknown", 1)
	}
	became := string(c.Outcome)
	if functions[c.Kind] != "" && c.Kind != logcheck.JudgeDue {
		became = strconv.Itoa(c.Answer.Status)
	}
	r.figures.add(string(c.Kind), became, 1)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, c)
}

// check runs package logcheck on all calls since the round's beginning, with the functions' log and the table. No call
// may be running. It also looks for failures without a cause. It returns its findings even if it could not compare
// everything.
func (r *round) check(ctx context.Context, from int) (found []violation, err error) {
	so := r.log.complete(r.calls)
	checker := logcheck.NewChecker(logcheck.Options{Skew: logSkew, Complete: true})
	for _, c := range slices.Concat(r.welcomed, r.calls) {
		checker.Add(*c)
	}
	// The log lacks the ends of processes: only this program knows which calls have no line.
	if err := checker.Read(bytes.NewReader(so.lines)); err != nil {
		return nil, err
	}
	rows, err := r.stage.rows(ctx)
	if err != nil {
		return nil, err
	}
	checker.CheckRows(rows)
	err = checker.CheckTable(ctx, r.stage.store, logcheck.Progress{})
	if errors.Is(err, logcheck.ErrUnread) { // a violation says it
		err = nil
	}
	failures, causes := explain(so, r.calls)
	r.causes = causes
	for _, v := range append(checker.Check().Violations, failures...) {
		found = append(found, violation{from: from, to: r.plan.calls, text: v.Text, story: r.story(v)})
	}
	r.figures.add("all", "checks", 1)
	r.figures.add("all", "violations", len(found))
	return found, err
}

// story returns lines about the calls that show a violation. If it has none, the lines are about the last calls of its
// player or show. The other calls are in the round's folder.
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

// longID matches ids; in a story, their first digits are enough.
var longID = regexp.MustCompile(`\b([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`)

func (r *round) seconds(at game.Instant) float64 { return at.Time().Sub(r.began).Seconds() }
