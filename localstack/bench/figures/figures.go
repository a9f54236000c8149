// Package figures reads and writes blocks of measured figures on the pages of docs. Each block states the day and the
// commit of its figures, and the tolerance of the test that compares them:
//
//	<!-- name: the command that writes it -->
//	As of 2026-11-23, commit 1a0c26c. Tolerance: 2 % of WCU (`TestBudget`).
//
//	| Function | Bytes |
//	<!-- end -->
package figures

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// Block identifies a block of figures on a page, and states its tolerance.
type Block struct {
	Page, Name string // for example docs/processor.md and calls
	Tolerance  string // with the name of its test, or the reason for having no test
}

// asOf matches the line with the day and the commit of a block's figures. Its only group is the tolerance.
var asOf = regexp.MustCompile(`^As of \d{4}-\d\d-\d\d, commit [0-9a-f]{7,}(?:, with changes)?\. Tolerance: (.+)\.$`)

// Read returns the figures of the block on its page below root. It returns an error if the page has another tolerance.
func (b Block) Read(root string) (figures string, err error) {
	page, err := os.ReadFile(b.file(root))
	if err != nil {
		return "", err
	}
	_, line, figures, _, err := b.find(string(page))
	if err == nil && !b.states(line) {
		err = fmt.Errorf("%s: the block %s says %q, want the tolerance %q", b.Page, b.Name, line, b.Tolerance)
	}
	return figures, err
}

// Write writes the figures into the block on its page, with today's date and the current commit. If the block already
// has these figures and this tolerance, Write changes nothing.
func (b Block) Write(root, figures string) error {
	page, err := os.ReadFile(b.file(root))
	if err != nil {
		return err
	}
	before, line, old, after, err := b.find(string(page))
	if err != nil || old == figures && b.states(line) {
		return err
	}
	commit, err := head(root)
	if err != nil {
		return err
	}
	line = fmt.Sprintf("As of %s, commit %s. Tolerance: %s.", time.Now().UTC().Format(time.DateOnly), commit, b.Tolerance)
	return os.WriteFile(b.file(root), []byte(before+line+"\n\n"+figures+after), 0o644)
}

func (b Block) file(root string) string { return filepath.Join(root, filepath.FromSlash(b.Page)) }

// find splits a page into the text before the block, the block's first line, its figures, and the text after the block.
// It returns an error if the page does not have exactly one such block.
func (b Block) find(page string) (before, line, figures, after string, err error) {
	place := regexp.MustCompile(`(?ms)^<!-- ` + regexp.QuoteMeta(b.Name) + `: [^\n]* -->\n(.*?)^<!-- end -->\n`)
	found := place.FindAllStringSubmatchIndex(page, 2)
	if len(found) != 1 {
		return "", "", "", "", fmt.Errorf("%s has %d blocks for %s, want 1", b.Page, len(found), b.Name)
	}
	from, to := found[0][2], found[0][3]
	line, figures, _ = strings.Cut(page[from:to], "\n\n")
	return page[:from], line, figures, page[to:], nil
}

func (b Block) states(line string) bool {
	stated := asOf.FindStringSubmatch(line)
	return stated != nil && stated[1] == b.Tolerance
}

// head returns the commit of the working tree, and ", with changes" if tracked files outside docs have changed since.
func head(root string) (string, error) {
	git := func(args ...string) (string, error) {
		out, err := exec.Command("git", append([]string{"-C", root}, args...)...).Output()
		if err != nil {
			return "", fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
		}
		return strings.TrimSpace(string(out)), nil
	}
	commit, err := git("rev-parse", "--short", "HEAD")
	if err != nil {
		return "", err
	}
	changed, err := git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs")
	if changed != "" {
		commit += ", with changes"
	}
	return commit, err
}
