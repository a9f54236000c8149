// Command ranch-crowd plays scenes of a popular show against the real service, and writes the results into
// docs/scale.md. `make bench-crowd` builds and starts it. SCENE and SCALE are environment variables (see settings).
//
// Every scene has a fresh table, and the real programs of the functions behind the local gateway. Between the functions
// and the engine, package capacity limits requests as a new table does. The preparation of players and thousands of
// entries uses package store without these limits. The measured calls use HTTP.
//
//	main.go      settings, and one scene after the other
//	scenes.go    the scenes, and how their results are written
//	fair.go      a table, its content, and the service before it
//	client.go    calls over HTTP, and many of them at given times
//	judging.go, lease.go, arrivals.go, views.go   the scenes
//
// # Scale
//
// At a scale of 20, the table and its partitions have a twentieth of the real capacity, and a show has a twentieth of
// the entries. Everything whose time depends on the rate of units then takes as long as at full size. Full size itself
// would need more processor time than small machines have. The scale does not divide latencies, the times for which
// transactions lock items, and the units of a single request. So a single request uses twenty times its share.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/batch"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

func main() { batch.Main("bench-crowd", "what was measured before is on the page", run) }

// bench has what all scenes need.
type bench struct {
	template *samtemplate.Template
	tell     func(format string, args ...any)
}

func run(ctx context.Context) error {
	s, err := parseSettings(os.Getenv)
	if err != nil {
		return err
	}
	template, err := samtemplate.LoadRoot()
	if err != nil {
		return err
	}
	if err := stack.Prepare(ctx, template, os.Stdout); err != nil {
		return err
	}
	began := time.Now()
	b := &bench{template: template, tell: func(format string, args ...any) {
		fmt.Printf("%6.1f s  %s\n", time.Since(began).Seconds(), fmt.Sprintf(format, args...))
	}}
	for _, scene := range s.scenes {
		scale := cmp.Or(s.scale, scene.scale)
		found, err := b.play(ctx, scene, scale)
		if err == nil && scale == scene.scale { // a result at another scale is not written
			err = scene.block().Write(template.Root, found.markdown())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// settings are the environment variables.
type settings struct {
	scenes []scene // SCENE: a regular expression of their names
	scale  float64 // SCALE: the factor by which the table is smaller than a real one; 0: each scene's own
}

func parseSettings(getenv func(string) string) (settings, error) {
	from := batch.NewSettings(getenv)
	s := settings{scale: float64(from.Number("SCALE", 0, 0))}
	if s.scale > maxScale {
		from.Wrong("SCALE", fmt.Errorf("it is at most %d", maxScale))
	}
	pattern := from.Pattern("SCENE")
	s.scenes = slices.DeleteFunc(slices.Clone(scenes), func(s scene) bool { return !pattern.MatchString(s.name) })
	if len(s.scenes) == 0 {
		from.Wrong("SCENE", errors.New("no scene has such a name (localstack/bench/loadtest/scenes.go)"))
	}
	return s, from.Err()
}
