// Command ranch-crowd plays scenes of a popular show against the real service, and writes the results into
// docs/scale.md. `make bench-crowd` builds and starts it. SCENE is a regular expression of the scenes' names.
//
// Every scene has a fresh table, and the real programs of the functions behind the local gateway. Between the functions
// and the engine, package capacity limits requests as a new table does. The preparation of players and thousands of
// entries uses package store without these limits. The measured calls use HTTP.
//
//	main.go     the scenes, one after the other
//	fair.go     a table, its content, and the service before it
//	calls.go    calls over HTTP, and many of them at given times
//	judging.go, views.go, arrivals.go   the scenes
//
// # Scale
//
// At a scale of 20, the table and its partitions have a twentieth of the real capacity, and a show has a twentieth of
// the entries. Everything whose time depends on the rate of units then takes as long as at full size. Full size itself
// would need more processor time than small machines have. The scale does not divide latencies, the times for which
// transactions lock items, and the units of a single request. So a single request uses twenty times its share.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/ranch-game/ranch/localstack/bench/figures"
	"github.com/ranch-game/ranch/localstack/kit/batch"
	"github.com/ranch-game/ranch/localstack/kit/build"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// scenes are all scenes, in the order of docs/scale.md. Each returns its table for the page, in Markdown.
var scenes = []struct {
	name string
	play func(ctx context.Context, b *bench) (table string, err error)
}{
	{"judging", judgings},
	{"views", views},
	{"arrivals", arrivals},
}

// longest is the time limit of a scene.
const longest = 6 * time.Minute

func main() { batch.Main("bench-crowd", "what was measured before is on the page", run) }

// bench has what all scenes need.
type bench struct {
	template *samtemplate.Template
	tell     func(format string, args ...any)
}

func run(ctx context.Context) error {
	from := batch.NewSettings(os.Getenv)
	pattern := from.Pattern("SCENE")
	if err := from.Err(); err != nil {
		return err
	}
	template, err := samtemplate.LoadRoot()
	if err != nil {
		return err
	}
	if err := build.Make(ctx, template.Root, os.Stdout, "functions"); err != nil {
		return err
	}
	began, played, missed := time.Now(), 0, []string{}
	b := &bench{template: template, tell: func(format string, args ...any) {
		fmt.Printf("%6.1f s  %s\n", time.Since(began).Seconds(), fmt.Sprintf(format, args...))
	}}
	for _, scene := range scenes {
		if !pattern.MatchString(scene.name) {
			continue
		}
		played++
		b.tell("%s", scene.name)
		inTime, cancel := context.WithTimeoutCause(ctx, longest, fmt.Errorf("not over after %v", longest))
		table, err := scene.play(inTime, b)
		if err != nil {
			err = fmt.Errorf("%s: %w", scene.name, errors.Join(err, context.Cause(inTime)))
		}
		cancel()
		if err != nil {
			return err
		}
		fmt.Println(table)
		page := figures.Block{Page: "docs/scale.md", Name: scene.name, Tolerance: "not tested: times are the machine's"}
		if err := page.Write(template.Root, table); err != nil {
			return err
		}
		if strings.Contains(table, reached(false)) {
			missed = append(missed, scene.name)
		}
	}
	switch {
	case played == 0:
		return fmt.Errorf("SCENE=%s matches no scene: use judging, views or arrivals", pattern)
	case len(missed) > 0:
		return fmt.Errorf("%s missed a goal: see the tables in docs/scale.md", strings.Join(missed, ", "))
	}
	return nil
}

// reached says on the page whether a goal is reached.
func reached(goal bool) string {
	if goal {
		return "yes"
	}
	return "**no**"
}
