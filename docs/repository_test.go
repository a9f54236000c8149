// Package docs_test keeps the pages of this folder true.
package docs_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
)

var repository = os.DirFS("..")

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := fs.ReadFile(repository, name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// eachGoFile calls visit with every Go file of the repository that is ours.
func eachGoFile(visit func(file string, text []byte) error) error {
	return eachFile(func(file string) bool { return path.Ext(file) == ".go" }, visit)
}

// eachFile visits the wanted files. It ignores installed files, testdata, and hidden folders except .ci.
func eachFile(wanted func(file string) bool, visit func(file string, text []byte) error) error {
	return fs.WalkDir(repository, ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && file != "." && file != ".ci"):
			return fs.SkipDir
		case d.IsDir(), !wanted(file):
			return nil
		}
		text, err := fs.ReadFile(repository, file)
		if err != nil {
			return err
		}
		return visit(file, text)
	})
}

var (
	functionForm = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(\w+ \*testing\.[TF]\)`)
	testForm     = regexp.MustCompile(`^([a-z0-9_]+(?:/[a-z0-9_]+)*)\.((?:Test|Fuzz)\w+)(?:/(.+))?$`)
)

// goFiles are the names of all Go files without their folders. tests has the text of each test's file, by the test's
// folder and name.
var goFiles, tests = map[string]bool{}, map[string]map[string]string{}

var readTests = sync.OnceValue(func() error {
	return eachGoFile(func(file string, text []byte) error {
		folder := path.Dir(file)
		goFiles[path.Base(file)] = true
		if tests[folder] == nil {
			tests[folder] = map[string]string{}
		}
		if strings.HasSuffix(file, "_test.go") {
			for _, f := range functionForm.FindAllSubmatch(text, -1) {
				tests[folder][string(f[1])] = string(text)
			}
		}
		return nil
	})
})

// findTest returns an error unless there is a test with a name such as shared/game.TestRank or
// functions/login.TestLogin/subtest.
func findTest(name string) error {
	parts := testForm.FindStringSubmatch(name)
	if parts == nil {
		return fmt.Errorf("%s is no name of a test", name)
	}
	folder, function, subtest := parts[1], parts[2], parts[3]
	text, ok := tests[folder][function]
	if !ok {
		return fmt.Errorf("%s has no %s", folder, function)
	}
	if subtest != "" && !strings.Contains(text, strconv.Quote(subtest)) {
		return fmt.Errorf("%s: the file of %s has no text %q", folder, function, subtest)
	}
	return nil
}
