package docs_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

const module = "github.com/ranch-game/ranch/"

// mayImport says what the packages of a folder may import of this module: a folder of the list, or what is below it.
// Where several folders apply to a package, the longest one does. ADR 9 has the reasons.
var mayImport = map[string][]string{
	"shared/game":     {},
	"shared/password": {},
	"shared/token":    {"shared/game"},
	"shared/tally":    {},
	"shared/emf":      {"shared/tally"},
	"shared/store":    {"shared/game", "shared/tally"},
	"shared/httpapi":  {"shared/emf", "shared/game", "shared/tally", "shared/token"},
	"shared/schedule": {"shared/emf", "shared/game", "shared/tally"},
	"shared/boot":     {"shared/emf", "shared/game", "shared/httpapi", "shared/schedule", "shared/store", "shared/tally", "shared/token"},
	"shared":          {},
	"functions":       {"shared/boot", "shared/client", "shared/game", "shared/httpapi", "shared/password", "shared/schedule", "shared/store", "shared/tally", "shared/token"},
	"infra":           {"infra", "shared"},
	"localstack/sam":  {"localstack/sam", "localstack/kit"},
	"localstack":      {"localstack", "infra", "functions", "shared"},

	"localstack/dynamo": {"localstack/dynamo", "localstack/kit/loopback"},
	"docs":              {},
}

// strangers are the folders that know nothing of ranch: their tests are held to mayImport, too.
var strangers = []string{"localstack/sam"}

// testsMayImport says what tests in shared may import beside shared: the store's stand on a real engine, and write
// docs/costs.md.
var testsMayImport = map[string][]string{
	"shared/store": {"localstack/kit/storetest", "localstack/bench/costs", "localstack/bench/figures", "localstack/engine", "localstack/sam/samtemplate"},
}

// TestImports reads the imports of every file, whatever system it is for. A file of tests may import anything, but for
// those of strangers and in shared; a package whose name ends in "test" exists for such files, and nothing else may
// import it.
func TestImports(t *testing.T) {
	t.Parallel()
	arrows, err := wrongArrows(os.DirFS(".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, arrow := range arrows {
		t.Error(arrow)
	}
}

func TestImports_namesTheArrow(t *testing.T) {
	t.Parallel()
	file := func(imported ...string) *fstest.MapFile {
		text := "package p\n"
		for _, p := range imported {
			text += fmt.Sprintf("import _ %q\n", p)
		}
		return &fstest.MapFile{Data: []byte(text)}
	}
	arrows, err := wrongArrows(fstest.MapFS{
		"shared/store/a.go":                   file("fmt", module+"shared/game", module+"localstack/engine"),
		"shared/store/a_test.go":              file(module+"localstack/kit/storetest", module+"shared/boot", module+"localstack/run"),
		"shared/game/a_windows.go":            file(module + "shared/token"),
		"shared/token/tokentest/a.go":         file(module + "shared/token"),
		"functions/login/main.go":             file(module+"shared/boot", module+"functions/logout"),
		"infra/ranchctl/a.go":                 file(module+"infra/running", module+"localstack/sam/gateway"),
		"localstack/kit/functiontest/a.go":    file(module+"localstack/kit/storetest", module+"shared/token/tokentest"),
		"localstack/dynamo/holds/a.go":        file(module+"localstack/kit/loopback", module+"localstack/kit/process"),
		"localstack/sam/iam/a.go":             file(module+"localstack/kit/loopback", module+"infra/running"),
		"localstack/sam/iam/a_test.go":        file(module+"localstack/kit/process/processtest", module+"shared/store"),
		"localstack/run/a.go":                 file(module+"infra/running", module+"localstack/kit/storetest"),
		"elsewhere/a.go":                      file(module + "shared/game"),
		"localstack/engine/node_modules/a.go": file(module + "nowhere"),
	})
	want := []string{
		"elsewhere/a.go imports shared/game: elsewhere may import nothing of this module",
		"functions/login/main.go imports functions/logout: functions may import shared/boot, shared/client, shared/game, shared/httpapi, shared/password, shared/schedule, shared/store, shared/tally, shared/token alone",
		"infra/ranchctl/a.go imports localstack/sam/gateway: infra may import infra, shared alone",
		"localstack/dynamo/holds/a.go imports localstack/kit/process: localstack/dynamo may import localstack/dynamo, localstack/kit/loopback alone",
		"localstack/run/a.go imports localstack/kit/storetest, which is for tests",
		"localstack/sam/iam/a.go imports infra/running: localstack/sam may import localstack/sam, localstack/kit alone",
		"localstack/sam/iam/a_test.go imports shared/store: localstack/sam may import localstack/sam, localstack/kit alone",
		"shared/game/a_windows.go imports shared/token: shared/game may import nothing of this module",
		"shared/store/a.go imports localstack/engine: shared/store may import shared/game, shared/tally alone",
		"shared/store/a_test.go imports localstack/run: tests in shared may import shared, and what testsMayImport has",
	}
	if err != nil || !slices.Equal(arrows, want) {
		t.Errorf("got %v\n%s\nwant\n%s", err, strings.Join(arrows, "\n"), strings.Join(want, "\n"))
	}
}

// wrongArrows returns a line for each import that mayImport does not allow.
func wrongArrows(repository fs.FS) (arrows []string, err error) {
	err = eachGoFile(repository, func(file string, text []byte) error {
		ofTests := strings.HasSuffix(file, "_test.go")
		inShared := strings.HasPrefix(file, "shared/")
		if ofTests && !inShared && !slices.ContainsFunc(strangers, func(folder string) bool { return strings.HasPrefix(file, folder+"/") }) {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range parsed.Imports {
			name, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			if imported, own := strings.CutPrefix(name, module); own {
				why, folder := "", path.Dir(file)
				switch {
				case !ofTests:
					why = wrongArrow(folder, imported)
				case !inShared && isForTests(imported):
					why = wrongArrow(folder, path.Dir(imported)) // it is for this file, if what it helps with is
				case !inShared:
					why = wrongArrow(folder, imported)
				case !strings.HasPrefix(imported, "shared/") && !slices.Contains(testsMayImport[folder], imported):
					why = ": tests in shared may import shared, and what testsMayImport has"
				}
				if why != "" {
					arrows = append(arrows, fmt.Sprintf("%s imports %s%s", file, imported, why))
				}
			}
		}
		return nil
	})
	return arrows, err
}

// eachGoFile calls visit with every Go file of the repository that is ours.
func eachGoFile(repository fs.FS, visit func(file string, text []byte) error) error {
	return eachFile(repository, func(file string) bool { return path.Ext(file) == ".go" }, visit)
}

// eachFile visits the files that are wanted, but none that was installed, is a test's or is hidden; .ci is not.
func eachFile(repository fs.FS, wanted func(file string) bool, visit func(file string, text []byte) error) error {
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

// wrongArrow returns why the package in a folder may not import the other, or "".
func wrongArrow(folder, imported string) string {
	if isForTests(imported) {
		if isForTests(folder) {
			return ""
		}
		return ", which is for tests"
	}
	rule := folder
	for mayImport[rule] == nil && rule != path.Dir(rule) {
		rule = path.Dir(rule)
	}
	allowed := mayImport[rule]
	if isForTests(folder) {
		allowed = append(slices.Clone(allowed), path.Dir(folder)) // it helps with the package that it stands under
	}
	if slices.ContainsFunc(allowed, func(a string) bool { return imported == a || strings.HasPrefix(imported, a+"/") }) {
		return ""
	}
	if rule == "." {
		rule = folder
	}
	if len(allowed) == 0 {
		return ": " + rule + " may import nothing of this module"
	}
	return ": " + rule + " may import " + strings.Join(allowed, ", ") + " alone"
}

func isForTests(folder string) bool { return strings.HasSuffix(folder, "test") }
