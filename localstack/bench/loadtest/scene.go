package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/ranch-game/ranch/localstack/bench/loadtest/report"
)

// scene is something that a popular show brings.
type scene struct {
	name     string
	scale    float64       // at which it is played unless SCALE says another one
	deadline time.Duration // a scene that has not ended by then has failed
	play     func(ctx context.Context, b *bench, scale float64) (findings, error)
}

// maxScale leaves something of everything: 500 entries, four entrants.
const maxScale = 100

// scenes in the order of the page.
var scenes = []scene{
	{"judge-beside-readers", 20, 4 * time.Minute, judgeBesideReaders},
	{"six-judges", 20, 3 * time.Minute, sixJudges},
	{"behind-a-seal", 20, 3 * time.Minute, behindASeal},
	{"arrivals", 4, 5 * time.Minute, arrivals},
	{"list-at-any-size", 10, 20 * time.Minute, listAtAnySize},
	{"twenty-thousand-entries", 8, 5 * time.Minute, twentyThousandEntries},
	{"fast-clock", 20, 3 * time.Minute, fastClock},
	{"million", 1, time.Minute, aMillion},
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
