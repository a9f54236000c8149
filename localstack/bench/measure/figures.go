package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"

	"github.com/ranch-game/ranch/localstack/bench/measure/probe"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// figures are what one call of a scene takes.
type figures struct {
	scene, program string

	processor      time.Duration // of all the process's threads
	objects, bytes uint64        // allocated
	layers         map[string]float64
}

// observation takes the figures of the scenes that are played with one set of programs.
type observation struct {
	stage    *stage
	profiles string // where profiles go; "" where the programs have no probes
	taken    []figures
}

// The time of a scene is that of the quickest of its parts: whatever else the machine does can only add to it. A part
// is at least so many calls, and there are at most so many parts, so that each has its share of collecting garbage.
const (
	parts      = 15
	callsAPart = 9
)

// observeAll returns the figures of every scene. The programs in plain are those that are deployed, compiled for this
// machine; those in probed are compiled from the same files with the probe, and tell what they allocate and where their
// time goes.
func observeAll(ctx context.Context, t *samtemplate.Template, a amounts, plain, probed, profiles string) ([]figures, error) {
	times, err := observe(ctx, t, a, plain, "")
	if err != nil {
		return nil, err
	}
	insides, err := observe(ctx, t, a, probed, profiles)
	if err != nil {
		return nil, err
	}
	for i := range insides {
		insides[i].processor = times[i].processor
	}
	return insides, nil
}

// observe plays the script with the programs in dir. They have probes where there is a place for profiles.
func observe(ctx context.Context, t *samtemplate.Template, a amounts, dir, profiles string) ([]figures, error) {
	s, err := newStage(ctx, t, dir)
	if err != nil {
		return nil, err
	}
	defer s.close()
	o := observation{stage: s, profiles: profiles}
	play := script{amounts: a, store: s.store, observe: o.scene}
	if err := play.play(ctx); err != nil {
		return nil, err
	}
	return o.taken, nil
}

// scene plays one scene.
func (o *observation) scene(ctx context.Context, s scene) error {
	fmt.Fprintf(os.Stderr, "%s: %d calls\n", s.name, len(s.calls))
	made := 0
	play := func(n int) error {
		for ; n > 0; n-- {
			answer, err := o.stage.do(ctx, s.calls[made])
			if err == nil && s.answered != nil {
				err = s.answered(made, answer)
			}
			if err != nil {
				return fmt.Errorf("%s, call %d: %w", s.name, made, err)
			}
			made++
		}
		return nil
	}
	if err := play(max(1, len(s.calls)/10)); err != nil {
		return err
	}
	f := figures{scene: s.name, program: s.program}
	var err error
	if o.profiles != "" {
		err = o.inside(ctx, &f, len(s.calls)-made, func() error { return play(len(s.calls) - made) })
	} else {
		err = o.processor(&f, len(s.calls)-made, play)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	o.taken = append(o.taken, f)
	return nil
}

// processor measures the time of n calls.
func (o *observation) processor(f *figures, n int, play func(n int) error) error {
	pid, err := processID(filepath.Join(o.stage.dir, f.program))
	if err != nil {
		return err
	}
	parts := min(parts, max(1, n/callsAPart))
	for part := range parts {
		before, err := processorTime(pid)
		if err != nil {
			return err
		}
		size := n*(part+1)/parts - n*part/parts
		if err := play(size); err != nil {
			return err
		}
		after, err := processorTime(pid)
		if err != nil {
			return err
		}
		each := (after - before) / time.Duration(size)
		if part == 0 || each < f.processor {
			f.processor = each
		}
	}
	return nil
}

// inside measures what n calls allocate and where their time goes, and keeps both profiles.
func (o *observation) inside(ctx context.Context, f *figures, n int, play func() error) error {
	if _, err := o.stage.ask(ctx, f.program, probe.StartPath); err != nil {
		return err
	}
	before, err := o.heap(ctx, f.program) // once the profile has its memory
	if err != nil {
		return err
	}
	if err := play(); err != nil {
		return err
	}
	after, err := o.heap(ctx, f.program)
	if err != nil {
		return err
	}
	profile, err := o.stage.ask(ctx, f.program, probe.StopPath)
	if err != nil {
		return err
	}
	f.objects, f.bytes = (after.Objects-before.Objects)/uint64(n), (after.Bytes-before.Bytes)/uint64(n)
	space, err := o.stage.ask(ctx, f.program, probe.SpacePath)
	if err != nil {
		return err
	}
	name := filepath.Join(o.profiles, strings.Join(strings.FieldsFunc(f.scene, notLetter), "-"))
	if err := errors.Join(os.WriteFile(name+".cpu", profile, 0o644), os.WriteFile(name+".allocs", space, 0o644)); err != nil {
		return err
	}
	f.layers, err = readLayers(ctx, name+".cpu")
	return err
}

func notLetter(r rune) bool { return !unicode.IsLetter(r) }

func (o *observation) heap(ctx context.Context, program string) (h probe.Heap, err error) {
	text, err := o.stage.ask(ctx, program, probe.HeapPath)
	if err != nil {
		return h, err
	}
	return h, json.Unmarshal(text, &h)
}
