// Package docs_test checks the pages and imports of the repository against its files and rules.
package docs_test

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

var repository = os.DirFS("..")

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := fs.ReadFile(repository, name)
	require.NoError(t, err)
	return string(text)
}

type file struct{ name, text string }

// files returns the repository's pages (.md) and Go files. It leaves out node_modules, testdata and hidden folders.
var files = sync.OnceValue(func() (all []file) {
	err := fs.WalkDir(repository, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && name != "."):
			return fs.SkipDir
		case d.IsDir() || path.Ext(name) != ".go" && path.Ext(name) != ".md":
			return nil
		}
		text, err := fs.ReadFile(repository, name)
		all = append(all, file{name, string(text)})
		return err
	})
	if err != nil {
		panic(err)
	}
	return all
})

func withExtension(ext string) []file {
	return slices.DeleteFunc(slices.Clone(files()), func(f file) bool { return path.Ext(f.name) != ext })
}

var (
	functionForm = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(\w+ \*testing\.[TF]\)`)
	testForm     = regexp.MustCompile(`^([a-z0-9_]+(?:/[a-z0-9_]+)*)\.((?:Test|Fuzz)\w+)(?:/(.+))?$`)
)

// tests returns the text of each test's file, by the test's folder and name.
var tests = sync.OnceValue(func() map[string]map[string]string {
	all := map[string]map[string]string{}
	for _, f := range withExtension(".go") {
		folder := path.Dir(f.name)
		if all[folder] == nil {
			all[folder] = map[string]string{}
		}
		if strings.HasSuffix(f.name, "_test.go") {
			for _, function := range functionForm.FindAllStringSubmatch(f.text, -1) {
				all[folder][function[1]] = f.text
			}
		}
	}
	return all
})

// findTest returns an error unless a test has the name, such as shared/game.TestRank or
// functions/login.TestLogin/subtest. Of a subtest it only checks that the test's file contains the quoted name.
func findTest(name string) error {
	parts := testForm.FindStringSubmatch(name)
	if parts == nil {
		return fmt.Errorf("%s is no name of a test", name)
	}
	folder, function, subtest := parts[1], parts[2], parts[3]
	text, ok := tests()[folder][function]
	if !ok {
		return fmt.Errorf("%s has no %s", folder, function)
	}
	if subtest != "" && !strings.Contains(text, strconv.Quote(subtest)) {
		return fmt.Errorf("%s: the file of %s has no text %q", folder, function, subtest)
	}
	return nil
}
