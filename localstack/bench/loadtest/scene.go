package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/ranch-game/ranch/localstack/bench/loadtest/report"
)

// scene is something that a popular show brings.
type scene struct {
	name     string
	scale    float64       // at which it is played unless SCALE says another one
	deadline time.Duration // a scene that has not ended by then has failed
	tests    string        // that play it small, on every machine
	play     func(ctx context.Context, b *bench, scale float64) (findings, error)
}

// maxScale leaves something of everything: 500 entries, four entrants.
const maxScale = 100

// scenes in the order of the page.
var scenes = []scene{
	{"judge-beside-readers", 20, 4 * time.Minute, "`TestScenes`", judgeBesideReaders},
	{"six-judges", 20, 3 * time.Minute, "`TestSixJudgesCostLittleMoreThanOne`", sixJudges},
	{"behind-a-seal", 20, 3 * time.Minute, "`TestEntrantsLookSeldomBehindASeal`", behindASeal},
	{"arrivals", 4, 5 * time.Minute, "`TestScenes`", arrivals},
	{"list-of-fifty", 1, time.Minute, "`TestBudget`, `TestEntryCountIsRightAtOnce`", listOfFifty},
	{"list-at-any-size", 10, 20 * time.Minute, "`TestListCostsTheSameAtAnySize`", listAtAnySize},
	{"fast-clock", 20, 3 * time.Minute, "`TestLeaseOfAClockThatIsFast`, `TestSealOfAClockThatIsFast`", fastClock},
	{"million", 1, time.Minute, "", aMillion},
}

func sceneNames() []string {
	var names []string
	for _, s := range scenes {
		names = append(names, s.name)
	}
	return names
}

// findings are what a scene has shown.
type findings struct {
	goals  []goal
	tables map[string]report.Table // by their places on the page
	charts map[string]report.Chart // by their files' names
}

// goal is something that a scene is to show.
type goal struct {
	what, wanted, measured string
	reached                bool
}

// result is a scene that was played.
type result struct {
	scene
	findings
	scaled float64
}

// command plays the scene again.
func (r result) command() string {
	command := "make bench-crowd SCENE=" + r.name
	if r.scaled != r.scale {
		command += " SCALE=" + number(r.scaled)
	}
	return "`" + command + "`"
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// play plays a scene at the scale, 0 for the scene's own.
func (b *bench) play(ctx context.Context, s scene, scale float64) (result, error) {
	if scale == 0 {
		scale = s.scale
	}
	ctx, cancel := context.WithTimeoutCause(ctx, s.deadline, fmt.Errorf("not over after %v", s.deadline))
	defer cancel()
	b.tell("%s, at scale %s", s.name, number(scale))
	found, err := s.play(ctx, b, scale)
	if err != nil {
		if ctx.Err() != nil {
			err = errors.Join(context.Cause(ctx), err)
		}
		return result{}, err
	}
	for _, g := range found.goals {
		b.tell("%s: %s (want %s): %s", g.what, g.measured, g.wanted, reached(g.reached))
	}
	return result{s, found, scale}, nil
}

func reached(yes bool) string {
	if yes {
		return "yes"
	}
	return "**no**"
}

// goalsPlace is where the goals of all scenes stand on the page; the command is a row's key.
const (
	goalsPlace    = "goals"
	commandColumn = 5
)

// write puts what a scene has shown on the page. Its tables and charts are those of its own scale; at another one it
// has rows among the goals alone.
func write(root string, r result) error {
	file := filepath.Join(root, "docs", "scale.md")
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	page, err := r.on(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if r.scaled == r.scale {
		for name, chart := range r.charts {
			if err := os.WriteFile(filepath.Join(root, "docs", "scale", name+".svg"), chart.SVG(), 0o644); err != nil {
				return err
			}
		}
	}
	return os.WriteFile(file, []byte(page), 0o644)
}

// on returns the page with what the scene has shown.
func (r result) on(page string) (string, error) {
	before, err := report.Find(page, goalsPlace)
	if err != nil {
		return "", err
	}
	goals := report.Table{Header: []string{"Scene", "Goal", "Measured", "Reached", "#Scale", "Command", "Played small by"}}
	for _, g := range r.goals {
		goals.Add(g.what, g.wanted, g.measured, reached(g.reached), number(r.scaled), r.command(), r.tests)
	}
	if len(r.goals) > 0 {
		if page, err = report.Replace(page, goalsPlace, goals.Merge(before, commandColumn, orderOf)); err != nil {
			return "", err
		}
	}
	if r.scaled != r.scale {
		return page, nil
	}
	for name, table := range r.tables {
		if page, err = report.Replace(page, name, table.Markdown()); err != nil {
			return "", err
		}
	}
	return page, nil
}

// orderOf orders commands by their scenes.
func orderOf(command string) int {
	return slices.IndexFunc(scenes, func(s scene) bool {
		own := result{scene: s, scaled: s.scale}.command()
		own = own[:len(own)-1] // without the closing quote
		return len(command) > len(own) && command[:len(own)] == own && (command[len(own)] == '`' || command[len(own)] == ' ')
	})
}
