package figures

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestBlock checks that Write changes a block's figures, day, commit and tolerance, and leaves the rest of the page
// unchanged.
func TestBlock(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	const page = "Before\n<!-- one: make it -->\nold\n<!-- end -->\nbetween\n<!-- two: make it -->\n<!-- end -->\n"
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) {
		t.Helper()
		args = append([]string{"-C", root, "-c", "user.name=n", "-c", "user.email=e@example.com"}, args...)
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	read := func() string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(root, "page.md"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	write("page.md", page)
	write("code.go", "package code\n")
	git("init", "-q")
	git("add", ".")
	git("commit", "-qm", "first")
	b := Block{"page.md", "one", "1 % (`TestSizes`)"}
	if _, err := b.Read(root); err == nil || !strings.Contains(err.Error(), `says "old\n"`) {
		t.Errorf("a block without its line: %v", err)
	}
	const figures = "| $1 |\n\n| b |\n"
	if err := b.Write(root, figures); err != nil {
		t.Fatal(err)
	}
	stamp := `As of \d{4}-\d\d-\d\d, commit [0-9a-f]+`
	rest := `\. Tolerance: 1 % \(` + "`TestSizes`" + `\)\.\n\n\| \$1 \|\n\n\| b \|\n<!-- end -->\nbetween\n<!-- two: make it -->\n<!-- end -->\n$`
	if !regexp.MustCompile("^Before\n<!-- one: make it -->\n" + stamp + rest).MatchString(read()) {
		t.Errorf("the page is\n%s", read())
	}
	if got, err := b.Read(root); err != nil || got != figures {
		t.Errorf("read %q, %v", got, err)
	}
	b.Tolerance = "2 %"
	if _, err := b.Read(root); err == nil || !strings.Contains(err.Error(), `want the tolerance "2 %"`) {
		t.Errorf("another tolerance: %v", err)
	}
	b.Tolerance = "1 % (`TestSizes`)"

	write("code.go", "package changed\n")
	before := read()
	if err := b.Write(root, figures); err != nil || read() != before {
		t.Errorf("the same figures, %v:\n%s", err, read())
	}
	if err := b.Write(root, "| a |\n"); err != nil || !regexp.MustCompile(stamp+`, with changes\. Tolerance`).MatchString(read()) {
		t.Errorf("with changes, %v:\n%s", err, read())
	}
	for _, wrong := range []string{"", "<!-- one: x -->\n", page + page} {
		if before, _, _, after, err := b.find(wrong); err == nil {
			t.Errorf("%q has a block between %q and %q", wrong, before, after)
		}
	}
}
