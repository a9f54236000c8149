// Package figures keeps the blocks of figures that programs write on the pages of docs. A block has the day and commit
// of its figures, and the tolerance of its test:
//
//	<!-- name: the command that writes it -->
//	As of 2026-11-23, commit 1a0c26c. Tolerance: 1 % (`TestSizes`).
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

// Block is a block of a page.
type Block struct {
	Page, Name string // docs/processor.md, sizes
	Tolerance  string // with its test, or why there is none
}

// AsOf matches the line of a block with the day and commit of its figures. Its only group is the tolerance.
var AsOf = regexp.MustCompile(`^As of \d{4}-\d\d-\d\d, commit [0-9a-f]{7,}(?:, with changes)?\. Tolerance: (.+)\.$`)

// Read returns a block's figures. A block that states another tolerance is an error.
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

// Write replaces a block's content, unless the block has these figures and this tolerance already.
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

// find splits a page around the block. A page without the block, or with two, is an error.
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
	stated := AsOf.FindStringSubmatch(line)
	return stated != nil && stated[1] == b.Tolerance
}

// head returns the commit of a working tree, and whether anything but its pages has changed since.
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
