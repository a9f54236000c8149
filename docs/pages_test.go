package docs_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// TestPages checks what the READMEs and the pages of this folder name: make's targets, paths, packages and tests exist.
// An ADR may speak of what was there before.
func TestPages(t *testing.T) {
	t.Parallel()
	r, err := newReader(os.DirFS(".."))
	if err != nil {
		t.Fatal(err)
	}
	pages, err := fs.Glob(r.repository, "docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	readmes := []string{"README.md", "localstack/dynamo/README.md", "shared/client/README.md", "shared/client/typescript/README.md",
		"shared/client/csharp/README.md", "shared/client/gdscript/README.md"}
	for _, page := range append(pages, readmes...) {
		text, err := fs.ReadFile(r.repository, page)
		if err != nil {
			t.Fatal(err)
		}
		for _, problem := range r.read(page, string(text)) {
			t.Error(problem)
		}
	}
}

// reader knows what pages may name.
type reader struct {
	repository fs.FS
	targets    map[string]bool
	tests      map[string][]string // by folder
	files      map[string]bool     // of Go, by their names without the folder
	folders    map[string]*tests   // that find has read

	problems []string
	at       string // where the reader is
}

var (
	targetForm   = regexp.MustCompile(`(?m)^([a-z0-9-]+):`)
	functionForm = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(\w+ \*testing\.[TF]\)`)
)

func newReader(repository fs.FS) (*reader, error) {
	r := &reader{repository: repository, targets: map[string]bool{}, tests: map[string][]string{}, files: map[string]bool{}, folders: map[string]*tests{}}
	makefile, err := fs.ReadFile(repository, "Makefile")
	if err != nil {
		return nil, err
	}
	for _, target := range targetForm.FindAllSubmatch(makefile, -1) {
		r.targets[string(target[1])] = true
	}
	return r, eachGoFile(repository, func(file string, text []byte) error {
		r.files[path.Base(file)] = true
		if strings.HasSuffix(file, "_test.go") {
			for _, f := range functionForm.FindAllSubmatch(text, -1) {
				r.tests[path.Dir(file)] = append(r.tests[path.Dir(file)], string(f[1]))
			}
		}
		return nil
	})
}

func (r *reader) report(format string, args ...any) {
	r.problems = append(r.problems, r.at+": "+fmt.Sprintf(format, args...))
}

var (
	spanForm = regexp.MustCompile("`([^`]+)`")
	linkForm = regexp.MustCompile(`\]\(([^):]+)\)`)
)

// read returns a line for each thing that a page names and that is not there. It looks at commands, which are what
// stands in blocks of "sh", at links, and at what stands in backquotes.
func (r *reader) read(page, text string) []string {
	r.problems = nil
	fence := ""
	for i, line := range strings.Split(text, "\n") {
		r.at = fmt.Sprintf("%s:%d", page, i+1)
		if strings.HasPrefix(line, "```") {
			if fence == "" {
				fence = line
			} else {
				fence = ""
			}
			continue
		}
		switch fence {
		case "":
			for _, link := range linkForm.FindAllStringSubmatch(line, -1) {
				r.readLink(page, text, link[1])
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

// readLink checks a link from a page with the text to another page, or to a section of one.
func (r *reader) readLink(page, text, link string) {
	file, anchor, section := strings.Cut(link, "#")
	if file != "" {
		name := path.Join(path.Dir(page), file)
		r.wantFile(name)
		there, err := fs.ReadFile(r.repository, name)
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
		for _, tests := range r.tests {
			if slices.Contains(tests, span) {
				return
			}
		}
		r.report("there is no test %s", span)
	case testForm.MatchString(span):
		if err := find(r.repository, r.folders, span); err != nil {
			r.report("%v", err)
		}
	case commandForm.MatchString(span):
		r.readCommand(span)
	case pathForm.MatchString(span):
		r.readPath(span)
	}
}

// made are the folders that commands make.
var made = []string{"bin", "data", ".build", ".tools", ".aws-sam", "shared/client/typescript/dist"}

// readPath checks what begins with a folder of the repository's root, and the name of a Go file alone.
func (r *reader) readPath(name string) {
	name = strings.TrimSuffix(strings.TrimPrefix(name, "./"), "/...")
	first, _, below := strings.Cut(name, "/")
	switch info, err := fs.Stat(r.repository, first); {
	case slices.ContainsFunc(made, func(folder string) bool { return strings.HasPrefix(name+"/", folder+"/") }):
	case below && err == nil && info.IsDir():
		r.wantFile(placeholder.ReplaceAllString(name, "*"))
	case !below && path.Ext(name) == ".go" && !r.files[name]:
		r.report("there is no file %s", name)
	}
}

func (r *reader) wantFile(pattern string) {
	if found, err := fs.Glob(r.repository, pattern); err != nil || len(found) == 0 {
		r.report("there is no %s", pattern)
	}
}

var (
	afterCommand = regexp.MustCompile(`(^|\s)#.*`)
	targetName   = regexp.MustCompile(`^[a-z0-9-]+$`)
	sedForm      = regexp.MustCompile(`sed -i '(?:s/([^/]+)/([^/]+)/|/([^/]+)/d)' (\S+)`)
)

// readCommand checks make's targets, the paths, the tests that -run chooses, and that sed has something to do.
func (r *reader) readCommand(line string) {
	line = afterCommand.ReplaceAllString(line, "")
	if sed := sedForm.FindStringSubmatch(line); sed != nil {
		text, err := fs.ReadFile(r.repository, sed[4])
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
	if choice != "" && !r.chooses(choice, packages) {
		r.report("-run %s chooses no test of %v", choice, packages)
	}
}

func (r *reader) chooses(choice string, packages []string) bool {
	chosen, err := regexp.Compile(choice)
	if err != nil {
		return false
	}
	for folder, tests := range r.tests {
		named := slices.ContainsFunc(packages, func(p string) bool {
			above, all := strings.CutSuffix(p, "...")
			return p == folder || all && strings.HasPrefix(folder+"/", above)
		})
		if named && slices.ContainsFunc(tests, chosen.MatchString) {
			return true
		}
	}
	return false
}

// TestPages_check gives the reader pages that are wrong in one way each: it must find that, and nothing in those that
// are right.
func TestPages_check(t *testing.T) {
	t.Parallel()
	r, err := newReader(fstest.MapFS{
		"Makefile":          {Data: []byte("run: x ## Run\nVARIABLE := 1\nsam-build:\n")},
		"README.md":         {},
		"docs/a.md":         {Data: []byte("# A page: `its` name\n")},
		"game/rank.go":      {Data: []byte("package game // a text")},
		"game/rank_test.go": {Data: []byte("package game\nfunc TestRank(t *testing.T) {\n_ = \"by score\" }")},
	})
	if err != nil {
		t.Fatal(err)
	}
	const good = "# All that is right\n[here](#all-that-is-right), [there](a.md#a-page-its-name)\n" +
		"`make run` and `PORT=1 make sam-build`, [a](a.md) and [b](../README.md), [c](https://example.com/c), `TestRank`,\n" +
		"`game.TestRank/by score`, `go test ./game -run TestRank -count=1`, `game/rank.go`, `rank_test.go`, `<any>/rank.go`, `game/<any>.go`,\n" +
		"`application/json`, `GET /game/x`, `bin/x`, `storetest.Wire`, `make`, `makes nothing`.\n" +
		"```\nmake nothing\n```\n```sh\nDIR=x make run sam-build PORT=1 # make more\ngo test ./game/... -run 'TestRa|Other' && go run ./game\n" +
		"sed -i 's/a text/another/' game/rank.go\nsed -i '/a text/d' game/rank.go\ncat game/rank.go | grep make\n```\n"
	for name, c := range map[string]struct{ old, new, want string }{
		"right":                  {"", "", ""},
		"target":                 {"`make run`", "`make runs`", "docs/b.md:3: make has no target runs"},
		"target behind variable": {"PORT=1 make sam-build", "PORT=1 make sam", "docs/b.md:3: make has no target sam"},
		"no target":              {"`make run`", "`make run VARIABLE`", ""},
		"second target":          {"make run sam-build", "make run sam", "docs/b.md:10: make has no target sam"},
		"link":                   {"(a.md)", "(c.md)", "docs/b.md:3: there is no docs/c.md"},
		"section":                {"(#all-", "(#none-", "docs/b.md:2: there is no section #none-that-is-right"},
		"section of a page":      {"(a.md#a-", "(a.md#b-", "docs/b.md:2: there is no section a.md#b-page-its-name"},
		"link from this folder":  {"(../README.md)", "(README.md)", "docs/b.md:3: there is no docs/README.md"},
		"test":                   {"`TestRank`", "`TestRanks`", "docs/b.md:3: there is no test TestRanks"},
		"test of a folder":       {"game.TestRank", "game.TestOther", "docs/b.md:4: game has no TestOther"},
		"subtest":                {"by score", "by name", "docs/b.md:4: game: the file of TestRank has no text \"by name\""},
		"package":                {"go test ./game -run", "go test ./games -run", "docs/b.md:4: there is no games"},
		"chosen test":            {"-run TestRank ", "-run TestRanks ", "docs/b.md:4: -run TestRanks chooses no test of [game]"},
		"test of packages below": {"'TestRa|Other'", "'TestRo|Other'", "docs/b.md:11: -run TestRo|Other chooses no test of [game/... game]"},
		"package to run":         {"go run ./game", "go run ./games", "docs/b.md:11: there is no games"},
		"path":                   {"`game/rank.go`", "`game/ranks.go`", "docs/b.md:4: there is no game/ranks.go"},
		"path with placeholder":  {"game/<any>.go", "game/<any>.md", "docs/b.md:4: there is no game/*.md"},
		"path of packages":       {"`game/rank.go`", "`./game/...`", ""},
		"path in a command":      {"cat game/rank.go", "cat game/ranks.go", "docs/b.md:14: there is no game/ranks.go"},
		"file without a folder":  {"`rank_test.go`", "`ranks_test.go`", "docs/b.md:4: there is no file ranks_test.go"},
		"what sed replaces":      {"s/a text/", "s/the text/", "docs/b.md:12: sed -i 's/the text/another/' game/rank.go does nothing: <nil>"},
		"what sed deletes":       {"'/a text/d'", "'/the text/d'", "docs/b.md:13: sed -i '/the text/d' game/rank.go does nothing: <nil>"},
		"sed behind sed":         {"s/a text/another/", "s/another/a text/", ""},
	} {
		problems := r.read("docs/b.md", strings.Replace(good, c.old, c.new, 1))
		if c.want == "" && len(problems) > 0 || c.want != "" && !slices.Contains(problems, c.want) {
			t.Errorf("%s: found %q, want %q", name, problems, c.want)
		}
		if !strings.Contains(good, c.old) {
			t.Errorf("%s changes nothing", name)
		}
	}
}
