package docs_test

import (
	"fmt"
	"iter"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// mostWords is the most words of a sentence in pages and comments. meanWords limits the average of all sentences.
const mostWords, meanWords = 35, 17

// dialect finds phrases that hide the actor of a sentence or that a reader has to decode. docs/contributing.md
// ("Write plain English") says what to write instead.
var dialect = regexp.MustCompile(`(?i)\b(be it|by then|nobody|somebody|whoever|anew|` +
	`as many as there are|as it has it|(is|are|was|were) (told|said)|` +
	`what (is|was|has|are|were|it|they|may|must)\b[^.,;:]* (is|are|was|were))\b`)

// badExample is the bad example in docs/contributing.md, which TestProse ignores.
const badExample = `"what is old is deleted"`

// TestProse checks that the sentences of pages (.md) and of comments that fill whole lines (commentOf) are short, and
// have no phrase of the dialect. PROSE=folder checks only the files in that folder.
func TestProse(t *testing.T) {
	t.Parallel()
	folder := os.Getenv("PROSE")
	sentences, words := 0, 0
	for _, f := range files() {
		if hasProse(f.name) && strings.HasPrefix(f.name, folder) {
			for _, problem := range checkProse(f.name, f.text) {
				t.Error(problem)
			}
			for s := range sentencesOf(f.name, f.text) {
				sentences, words = sentences+1, words+len(strings.Fields(s.text))
			}
		}
	}
	t.Logf("%d sentences of %.1f words on average", sentences, float64(words)/float64(sentences))
	assert.True(t, words <= meanWords*sentences, "on average a sentence has more than %d words", meanWords)
}

func hasProse(file string) bool {
	generated := slices.Contains([]string{"contract.ts", "package-lock.json"}, path.Base(file)) || strings.Contains(file, "/dist/")
	return !generated && file != "docs/prose_test.go" && (commentOf(file) != nil || path.Ext(file) == ".md")
}

// commentOf returns the form of a comment's line in a file, with the comment's text as its group. For a type of file
// that it does not know, commentOf returns nil.
func commentOf(file string) *regexp.Regexp {
	switch path.Ext(file) {
	case ".go":
		return slashes
	case ".js", ".mjs", ".ts", ".cs":
		return slashesAndStars
	}
	if hasNumberSigns(file) {
		return numberSigns
	}
	return nil
}

var (
	slashes         = regexp.MustCompile(`^\s*// ?(.*)$`)
	slashesAndStars = regexp.MustCompile(`^\s*(?:///?|/?\*+)(?: |$)(.*?)(?:\*/)?$`)
	numberSigns     = regexp.MustCompile(`^\s*# ?(.*)$`)
	generatedBlock  = regexp.MustCompile(`(?s)<!-- \S+: .*?<!-- end -->`)
	codeBlock       = regexp.MustCompile("(?s)```.*?```")
	itemStart       = regexp.MustCompile(`^\s*([-*]|\d+\.|#+|@\w+) `)
	sentenceEnd     = regexp.MustCompile(`([^. ][.!?])\s+(\S)`)
)

// checkProse returns a line for each sentence that is too long or has a phrase of the dialect.
func checkProse(file, text string) (problems []string) {
	for s := range sentencesOf(file, text) {
		report := func(problem string) {
			problems = append(problems, fmt.Sprintf("%s:%d: %s: %s", file, s.line, problem, s.text))
		}
		if n := len(strings.Fields(s.text)); n > mostWords {
			report(fmt.Sprintf("%d words", n))
		}
		if phrase := dialect.FindString(strings.ReplaceAll(s.text, badExample, "")); phrase != "" {
			report(fmt.Sprintf("%q", phrase))
		}
	}
	return problems
}

// sentencesOf returns the sentences of a file, each with the line at which its paragraph begins.
func sentencesOf(file, text string) iter.Seq[paragraph] {
	return func(yield func(paragraph) bool) {
		for _, p := range paragraphs(file, text) {
			for sentence := range strings.SplitSeq(sentenceEnd.ReplaceAllString(strings.ReplaceAll(p.text, "**", ""), "$1\n$2"), "\n") {
				if !yield(paragraph{p.line, sentence}) {
					return
				}
			}
		}
	}
}

type paragraph struct {
	line int
	text string
}

// paragraphs returns the paragraphs, items and table cells of a page, or those of a file's comments. It leaves out code
// and generated blocks, except the generated scenarios.
func paragraphs(file, text string) (all []paragraph) {
	comment := commentOf(file)
	if comment == nil {
		blank := func(block string) string {
			if strings.HasPrefix(block, "<!-- scenarios:") { // which has sentences
				return block
			}
			return strings.Repeat("\n", strings.Count(block, "\n"))
		}
		text = codeBlock.ReplaceAllStringFunc(generatedBlock.ReplaceAllStringFunc(text, blank), blank)
	}
	open := false
	add := func(line int, text string) {
		if open {
			all[len(all)-1].text += " " + text
		} else {
			all = append(all, paragraph{line, text})
		}
		open = true
	}
	for i, line := range strings.Split(text, "\n") {
		if comment != nil {
			found := comment.FindStringSubmatch(line)
			if found == nil || strings.HasPrefix(found[1], "\t") || !open && strings.HasPrefix(found[1], "  ") || strings.HasPrefix(found[1], "go:") {
				open = false
				continue
			}
			line = found[1]
		}
		switch {
		case strings.TrimSpace(line) == "":
			open = false
		case comment == nil && strings.HasPrefix(line, "|"):
			for cell := range strings.SplitSeq(line, " | ") {
				open = false
				add(i+1, strings.Trim(cell, "| "))
			}
			open = false
		case itemStart.MatchString(line):
			open = false
			add(i+1, itemStart.ReplaceAllString(line, ""))
			open = !strings.HasPrefix(line, "#")
		default:
			add(i+1, strings.TrimSpace(line))
		}
	}
	return all
}

func TestProse_check(t *testing.T) {
	t.Parallel()
	long := "It has " + strings.Repeat("very ", mostWords-4) + "many words"
	for name, c := range map[string]struct{ file, text, want string }{
		"plain":              {"a.md", "A short sentence. " + long + ".\n\n" + long + ".", ""},
		"long":               {"a.md", "One.\n" + long + " too many.", "a.md:1: 37 words: " + long + " too many."},
		"paragraphs":         {"a.md", long + "\n\nand one more.", ""},
		"dialect":            {"a.md", "One. It does what is told\nis true.", `a.md:1: "what is told is": It does what is told is true.`},
		"cells":              {"a.md", "| a | it is told |\n| nobody | b |", `a.md:1: "is told": it is told; a.md:2: "nobody": nobody`},
		"items":              {"a.md", "- " + long + "\n- by then", `a.md:2: "by then": by then`},
		"code and generated": {"a.md", "```\nnobody\n```\n<!-- x: make x -->\nsomebody\n<!-- end -->\n", ""},
		"comment":            {"a.go", "// a by\n// then\nx := \"nobody\" // anew\n", `a.go:1: "by then": a by then`},
		"code in a comment":  {"a.go", "//\tnobody\n//go:generate whoever\n", ""},
		"script":             {"a.mjs", "/**\n * Somebody.\n */\nnobody()\n", `a.mjs:2: "Somebody": Somebody.`},
		"number signs":       {"Makefile", "# whoever\nnobody:\n", `Makefile:1: "whoever": whoever`},
		"another file":       {"a.css", "/* nobody */", ""},
	} {
		got := ""
		if hasProse(c.file) {
			got = strings.Join(checkProse(c.file, c.text), "; ")
		}
		assert.Equal(t, c.want, got, "%s: found", name)
	}
}
