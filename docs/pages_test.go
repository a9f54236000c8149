package docs_test

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// largestPicture is the size limit of a picture in bytes, by its type. Every clone downloads all pictures.
var largestPicture = map[string]int64{".png": 300_000, ".svg": 300_000, ".webp": 1_000_000}

// TestPictures checks the sizes of the pictures. `UPDATE_SCREENSHOTS=1 make test-browser` takes the pictures.
func TestPictures(t *testing.T) {
	t.Parallel()
	pictures, err := fs.ReadDir(repository, "docs/images")
	require.NoError(t, err)
	for _, picture := range pictures {
		info, err := picture.Info()
		require.NoError(t, err)
		assert.LessOrEqual(t, info.Size(), largestPicture[path.Ext(picture.Name())], picture.Name())
	}
}

// TestPages checks the names on every page (.md) of the repository: make targets, paths, sections, packages and tests
// must exist. It also checks that the reader reports one problem for each of several wrong pages.
func TestPages(t *testing.T) {
	t.Parallel()
	r := &reader{targets: map[string]bool{}}
	for _, target := range targetForm.FindAllStringSubmatch(readFile(t, "Makefile"), -1) {
		r.targets[target[1]] = true
	}
	pages := withExtension(".md")
	for _, page := range pages {
		for _, problem := range r.read(page.name, page.text) {
			t.Error(problem)
		}
	}
	assert.Greater(t, len(pages), 50)
	for _, wrong := range []string{
		"`make runs`", "`PORT=1 make sums`", "[a](nowhere.md)", "[a](rules.md#nothing)", "[a](#nothing)", `<img src="images/nowhere.png">`, "![a](https://example.com/a.png)",
		"`TestNothing`", "`shared/game.TestNothing`", "`shared/game.TestRank/no" + " subtest`", "`shared/game/nothing.go`", "`nothing_test.go`", "`functions/<any>/nothing.go`",
		"```sh\nmake run nothing\n", "```sh\ngo run ./shared/nothing\n", "```sh\ngo test ./shared/... -run TestNoSuch" + "Thing\n", "```sh\nsed -i 's/absent" + " words/absent" + " thing/' docs/pages_test.go\n",
	} {
		problems := r.read("docs/wrong.md", "# A page\n"+wrong)
		assert.Len(t, problems, 1, "%s: %v", wrong, problems)
	}
}

// reader checks the names on pages.
type reader struct {
	targets  map[string]bool // of make
	problems []string
	at       string // the page and line that it reads
}

var targetForm = regexp.MustCompile(`(?m)^([a-z0-9-]+):`)

func (r *reader) report(format string, args ...any) {
	r.problems = append(r.problems, r.at+": "+fmt.Sprintf(format, args...))
}

var (
	spanForm  = regexp.MustCompile("`([^`]+)`")
	linkForm  = regexp.MustCompile(`(?:\]\(|<img[^>]* src=")([^):"]+)[)"]`)
	elsewhere = regexp.MustCompile(`!\[[^\]]*\]\(\w+:|<img[^>]* src="\w+:`)
)

// read returns a line for each name on a page that does not exist, and for each picture from another server. It reads
// links, texts in backquotes, and the commands in blocks of "sh".
func (r *reader) read(page, text string) []string {
	r.problems = nil
	fence := ""
	for i, line := range strings.Split(text, "\n") {
		r.at = fmt.Sprintf("%s:%d", page, i+1)
		if strings.HasPrefix(line, "```") {
			fence = map[bool]string{true: line}[fence == ""]
			continue
		}
		switch fence {
		case "":
			for _, link := range linkForm.FindAllStringSubmatch(line, -1) {
				r.readLink(page, text, link[1])
			}
			if elsewhere.MatchString(line) {
				r.report("a picture is fetched from elsewhere")
			}
			for _, span := range spanForm.FindAllStringSubmatch(line, -1) {
				r.readSpan(span[1])
			}
		case "```sh":
			r.readCommand(line)
		}
	}
	return r.problems
}

var (
	headingForm = regexp.MustCompile(`(?m)^#+ (.*)$`)
	notInAnchor = regexp.MustCompile(`[^\w -]`)
)

// readLink checks a link on a page with this text: its file must exist and have the section, if the link names one.
func (r *reader) readLink(page, text, link string) {
	file, anchor, section := strings.Cut(link, "#")
	if file != "" {
		name := path.Join(path.Dir(page), file)
		r.wantFile(name)
		there, err := fs.ReadFile(repository, name)
		if text = string(there); err != nil {
			return // a folder, or reported
		}
	}
	if section && !slices.ContainsFunc(headingForm.FindAllStringSubmatch(text, -1), func(heading []string) bool {
		return strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(heading[1]), ""), " ", "-") == anchor
	}) {
		r.report("there is no section %s", link)
	}
}

var (
	testName    = regexp.MustCompile(`^(Test|Fuzz)\w+$`)
	commandForm = regexp.MustCompile(`^([A-Z_]+=\S* )*(make|go|dlv) `)
	pathForm    = regexp.MustCompile(`^[\w.*<>-]+(/[\w.*<>-]+)*$`)
	placeholder = regexp.MustCompile(`<[^/]*>`)
)

func (r *reader) readSpan(span string) {
	switch {
	case testName.MatchString(span):
		if !chooses("^"+span+"$", []string{"..."}) {
			r.report("there is no test %s", span)
		}
	case testForm.MatchString(span):
		if err := findTest(span); err != nil {
			r.report("%v", err)
		}
	case commandForm.MatchString(span):
		r.readCommand(span)
	case pathForm.MatchString(span):
		r.readPath(span)
	}
}

// made lists folders that commands create. Paths in these folders need not exist.
var made = []string{"bin", "data", ".build", ".tools", ".aws-sam", "shared/client/typescript/dist"}

// readPath checks a path that begins with a folder in the repository's root. Of a Go file's name without a folder, it
// checks that some folder has such a file.
func (r *reader) readPath(name string) {
	name = strings.TrimSuffix(strings.TrimPrefix(name, "./"), "/...")
	first, _, below := strings.Cut(name, "/")
	switch info, err := fs.Stat(repository, first); {
	case slices.ContainsFunc(made, func(folder string) bool { return strings.HasPrefix(name+"/", folder+"/") }):
	case below && err == nil && info.IsDir():
		r.wantFile(placeholder.ReplaceAllString(name, "*"))
	case !below && path.Ext(name) == ".go" && !slices.ContainsFunc(files(), func(f file) bool { return path.Base(f.name) == name }):
		r.report("there is no file %s", name)
	}
}

func (r *reader) wantFile(pattern string) {
	if found, err := fs.Glob(repository, pattern); err != nil || len(found) == 0 {
		r.report("there is no %s", pattern)
	}
}

var (
	afterCommand = regexp.MustCompile(`(^|\s)#.*`)
	targetName   = regexp.MustCompile(`^[a-z0-9-]+$`)
	sedForm      = regexp.MustCompile(`sed -i '(?:s/([^/]+)/([^/]+)/|/([^/]+)/d)' (\S+)`)
)

// readCommand checks that make's targets and the paths exist, that -run matches a test, and that sed finds its text.
func (r *reader) readCommand(line string) {
	line = afterCommand.ReplaceAllString(line, "")
	if sed := sedForm.FindStringSubmatch(line); sed != nil {
		text, err := fs.ReadFile(repository, sed[4])
		if err != nil || !slices.ContainsFunc(sed[1:4], func(s string) bool { return s != "" && strings.Contains(string(text), s) }) {
			r.report("%s does nothing: %v", sed[0], err)
		}
		return
	}
	making, choice, packages := false, "", []string{}
	words := strings.Fields(line)
	for i, word := range words {
		word = strings.Trim(word, `'"`)
		making = word == "make" || making && (targetName.MatchString(word) || strings.Contains(word, "="))
		switch folder, local := strings.CutPrefix(word, "./"); {
		case word == "make":
		case making && targetName.MatchString(word):
			if !r.targets[word] {
				r.report("make has no target %s", word)
			}
		case local:
			packages = append(packages, folder)
			r.wantFile(path.Clean(strings.TrimSuffix(folder, "...")))
		case i > 0 && (words[i-1] == "-run" || words[i-1] == "-test.run"):
			choice, _, _ = strings.Cut(word, "/")
		case pathForm.MatchString(word):
			r.readPath(word)
		}
	}
	if choice != "" && !chooses(choice, packages) {
		r.report("-run %s chooses no test of %v", choice, packages)
	}
}

// chooses reports whether go test -run choice would run a test of the packages.
func chooses(choice string, packages []string) bool {
	chosen, err := regexp.Compile(choice)
	for folder, names := range tests() {
		named := slices.ContainsFunc(packages, func(p string) bool {
			above, all := strings.CutSuffix(p, "...")
			return p == folder || all && strings.HasPrefix(folder+"/", above)
		})
		for name := range names {
			if err == nil && named && chosen.MatchString(name) {
				return true
			}
		}
	}
	return false
}
