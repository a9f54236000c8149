package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ranch-game/ranch/localstack/bench/figures"
)

// scene is a situation of a popular show.
type scene struct {
	name     string
	scale    float64       // the scale if SCALE sets none; only results at this scale go to docs/scale.md
	deadline time.Duration // the time limit of the scene
	play     func(ctx context.Context, b *bench, scale float64) (findings, error)
}

// maxScale is the largest scale. At this scale, judging scenes still have at least 500 entries. The lease scene has
// four entrants, and the viewed show has 100 entries.
const maxScale = 100

// scenes are all scenes, in the order of docs/scale.md.
var scenes = []scene{
	{"judge-beside-readers", 20, 4 * time.Minute, judgeBesideReaders},
	{"views", 20, 3 * time.Minute, views},
	{"judge-250000", 20, 5 * time.Minute, judge250000},
	{"behind-a-lease", 20, 5 * time.Minute, behindALease},
	{"arrivals", 4, 5 * time.Minute, arrivals},
}

// block returns the block of docs/scale.md for the scene's results.
func (s scene) block() figures.Block {
	return figures.Block{Page: "docs/scale.md", Name: s.name, Tolerance: "not tested: it takes minutes, and times are the machine's"}
}

// findings are the results of a scene: goals, and a table.
type findings struct {
	goals []goal
	table table
}

// goal is a goal of a scene, with the measured result.
type goal struct {
	what, wanted, measured string
	reached                bool
}

// play plays the scene s at the given scale, prints whether each goal is reached, and returns the results.
func (b *bench) play(ctx context.Context, s scene, scale float64) (findings, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.deadline, fmt.Errorf("not over after %v", s.deadline))
	defer cancel()
	b.tell("%s, at scale %v", s.name, scale)
	found, err := s.play(ctx, b, scale)
	if err != nil {
		if ctx.Err() != nil {
			err = errors.Join(context.Cause(ctx), err)
		}
		return found, fmt.Errorf("%s: %w", s.name, err)
	}
	for _, g := range found.goals {
		b.tell("%s: %s (want %s): %s", g.what, g.measured, g.wanted, reached(g.reached))
	}
	return found, nil
}

// markdown renders the goals and the table below them.
func (f findings) markdown() string {
	goals := table{header: []string{"Goal", "Wanted", "Measured", "Reached"}}
	for _, g := range f.goals {
		goals.add(g.what, g.wanted, g.measured, reached(g.reached))
	}
	return goals.markdown() + "\n" + f.table.markdown()
}

// table is a table of results: rows below a header. A # at the beginning of a header marks a column of numbers.
type table struct {
	header []string
	rows   [][]string
}

// add adds a row of values in fmt's format.
func (t *table) add(cells ...any) {
	row := make([]string, len(cells))
	for i, cell := range cells {
		row[i] = fmt.Sprint(cell)
	}
	t.rows = append(t.rows, row)
}

// markdown renders the table.
func (t table) markdown() string {
	var b strings.Builder
	line := func(cells []string) { fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | ")) }
	header, rule := make([]string, len(t.header)), make([]string, len(t.header))
	for i, h := range t.header {
		name, number := strings.CutPrefix(h, "#")
		if header[i], rule[i] = name, "---"; number {
			rule[i] = "---:"
		}
	}
	line(header)
	fmt.Fprintf(&b, "|%s|\n", strings.Join(rule, "|"))
	for _, row := range t.rows {
		line(row)
	}
	return b.String()
}

func reached(yes bool) string {
	if yes {
		return "yes"
	}
	return "**no**"
}

func units(f float64) string         { return fmt.Sprintf("%.0f", f) }
func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%d ms", d.Round(time.Millisecond).Milliseconds())
}
