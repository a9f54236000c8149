// Command ranch-truth writes the figures of docs/truth.md anew, from the JSON that those who have measured them have
// left in figures (`make truth`), after it has counted the lines of the tests. A place of the page has the name of its
// file:
//
//	<!-- stress: the command that measures -->
//	<!-- end -->
//
// The JSON is rendered as it is (render.go): who measures decides what is in it.
package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/ranch-game/ranch/localstack/bench/loadtest/report"
	"github.com/ranch-game/ranch/localstack/kit/batch"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "truth:", err)
		os.Exit(1)
	}
}

func run() error {
	template, err := samtemplate.LoadRoot()
	if err != nil {
		return err
	}
	path := filepath.Join(template.Root, "docs", "truth.md")
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	figures := filepath.Join(template.Root, "localstack", "verify", "results", "figures")
	var tests struct {
		batch.Run
		Tests []lines
	}
	tests.Run = batch.NewRun("make truth", time.Now(), false)
	if tests.Tests, err = countLines(os.DirFS(template.Root)); err != nil {
		return err
	}
	if err := batch.WriteFigures(filepath.Join(figures, "tests.json"), tests); err != nil {
		return err
	}
	page, err := fill(string(old), os.DirFS(figures))
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(page), 0o644)
}

// places finds the names of a page's places, and their commands.
var places = regexp.MustCompile(`(?m)^<!-- ([a-z-]+): ([^\n]*) -->$`)

// fill puts the figures into their places. A place without figures says so; figures without a place are an error.
func fill(page string, figures fs.FS) (string, error) {
	has := map[string]bool{}
	for _, place := range places.FindAllStringSubmatch(page, -1) {
		name := place[1]
		has[name+".json"] = true
		text := fmt.Sprintf("Not measured yet: `%s`\n", place[2])
		content, err := fs.ReadFile(figures, name+".json")
		switch {
		case err == nil:
			if text, err = render(content, place[2]); err != nil {
				return "", fmt.Errorf("%s.json: %w", name, err)
			}
		case !errors.Is(err, fs.ErrNotExist):
			return "", err
		}
		if page, err = report.Replace(page, name, text); err != nil {
			return "", err
		}
	}
	files, err := fs.Glob(figures, "*.json")
	for _, file := range files {
		if !has[file] {
			err = errors.Join(err, fmt.Errorf("docs/truth.md has no place for %s", file))
		}
	}
	return page, err
}
