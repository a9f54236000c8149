package conformance

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/build"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

var ownDriver = flag.String("driver", "", "the `command` of a driver, whose client plays in the place of ours")

func TestMain(m *testing.M) {
	flag.Parse()
	if flag.Lookup("test.parallel").Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		_ = flag.Set("test.parallel", "12") // scenarios wait more than they compute
	}
	os.Exit(func() (code int) {
		var err error
		if folder, err = os.MkdirTemp("", "ranch-conformance-"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(folder)
		code = m.Run()
		if opened != nil {
			if err := opened.Close(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				code = max(code, 1)
			}
		}
		return code
	}())
}

// TestConformance plays every scenario with our clients in TypeScript and C#. If the flag -driver names a driver,
// it plays them only with this driver's client. If this is the client in GDScript (`make gdscript`), it also plays the
// addon's sample.
func TestConformance(t *testing.T) {
	t.Parallel()
	w, err := theStage()
	require.NoError(t, err)
	if *ownDriver != "" {
		playAll(t, w, "driver", strings.Fields(*ownDriver)...)
		if strings.Contains(*ownDriver, "gdscript") {
			t.Run("sample", sampleInGDScript)
		}
		return
	}
	if command := typescript(t); command != nil {
		playAll(t, w, "typescript", command...)
	}
	if d := csharp(t); d != nil {
		playAll(t, w, "csharp", d.run(d.driver(onDotnet))...)
		playAll(t, w, "csharp-unity", append(d.run(d.driver(onDotnet)), "unity")...)
		if d.hasMono {
			playAll(t, w, "csharp-mono", d.run(d.driver(onMono))...)
		}
	}
}

func playAll(t *testing.T, w *stage, name string, command ...string) {
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		d := startDriver(t, command...)
		for _, scenario := range scenarios {
			t.Run(scenario.id, func(t *testing.T) {
				t.Parallel()
				scenario.perform(t, w, d)
			})
		}
	})
}

// typescript builds the TypeScript client and returns the command of its driver. It returns nil if Node.js is missing.
func typescript(t *testing.T) []string {
	t.Helper()
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			untested(t, "the TypeScript client, for want of "+tool+": install Node.js 20 or newer")
			return nil
		}
	}
	return []string{"node", filepath.Join(made(t, "client"), "localstack", "accept", "conformance", "driver", "typescript", "driver.mjs")}
}

// made runs make with the target, and returns the root of the working tree.
func made(t *testing.T, target string) string {
	t.Helper()
	template, err := samtemplate.LoadRoot()
	if err == nil {
		err = build.Make(t.Context(), template.Root, os.Stderr, target)
	}
	require.NoError(t, err)
	return template.Root
}

// untested reports that this machine cannot test what. The test continues without it, or fails if CI=true.
func untested(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Error("NOT TESTED: " + what)
		return
	}
	t.Log("NOT TESTED: " + what)
	fmt.Fprintln(os.Stderr, "NOT TESTED: "+what)
}
