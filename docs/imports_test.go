package docs_test

import (
	"go/parser"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

const module = "github.com/ranch-game/ranch/"

// mayImport lists the folders of this module that the packages of a folder may import, with the folders below them. If
// several folders contain a package, the longest decides. ADR 9 has the reasons.
var mayImport = map[string][]string{
	"shared/game":     {},
	"shared/password": {},
	"shared/token":    {"shared/game"},
	"shared/tally":    {},
	"shared/emf":      {"shared/tally"},
	"shared/table":    {"shared/tally"},
	"shared/records":  {"shared/game", "shared/table"},
	"shared/store":    {"shared/game", "shared/records", "shared/table", "shared/tally"},
	"shared/operate":  {"shared/game", "shared/records", "shared/store", "shared/table"},
	"shared/httpapi":  {"shared/emf", "shared/game", "shared/tally", "shared/token"},
	"shared/schedule": {"shared/emf", "shared/game", "shared/tally"},
	"shared/boot":     {"shared/emf", "shared/game", "shared/httpapi", "shared/schedule", "shared/store", "shared/table", "shared/tally", "shared/token"},
	"shared":          {},
	"functions":       {"shared/boot", "shared/client", "shared/game", "shared/httpapi", "shared/password", "shared/schedule", "shared/store", "shared/tally", "shared/token"},
	"infra":           {"infra", "shared"},
	"localstack/sam":  {"localstack/sam", "localstack/kit"},
	"localstack":      {"localstack", "infra", "functions", "shared"},

	"localstack/dynamo": {"localstack/dynamo"},
	"docs":              {},
}

// storeTestsMayImport are the packages that the store's tests may import besides those in shared. These tests use a
// real engine, and write docs/costs.md. Other tests in shared may import only shared.
var storeTestsMayImport = []string{
	"localstack/kit/storetest", "localstack/bench/costs", "localstack/bench/figures", "localstack/engine", "localstack/sam/samtemplate",
}

// TestImports checks the imports of every Go file, for every operating system. Test files may import any package,
// except in shared and in localstack/sam. Only tests and packages for tests ("...test") may import packages for tests.
func TestImports(t *testing.T) {
	t.Parallel()
	for _, f := range goFiles() {
		_, parsed := f.parse(t, parser.ImportsOnly)
		for _, i := range parsed.Imports {
			if imported, own := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), module); own {
				why := wrongImport(f.name, imported)
				assert.Empty(t, why, "%s imports %s%s", f.name, imported, why)
			}
		}
	}
	for _, c := range []struct{ file, imported, why string }{
		{"shared/store/a.go", "shared/game", ""},
		{"shared/store/a.go", "localstack/engine", "shared/game, shared/records, shared/table, shared/tally alone"},
		{"shared/store/a_test.go", "localstack/kit/storetest", ""},
		{"shared/store/a_test.go", "localstack/run", "the store's also storeTestsMayImport"},
		{"shared/store/a.go", "shared/operate", "shared/game, shared/records, shared/table, shared/tally alone"},
		{"shared/game/a_windows.go", "shared/token", "nothing of this module"},
		{"shared/token/tokentest/a.go", "shared/token", ""},
		{"localstack/kit/functiontest/a.go", "shared/token/tokentest", ""},
		{"localstack/dynamo/holds/a.go", "localstack/dynamo/protocol", ""},
		{"localstack/dynamo/holds/a.go", "localstack/kit/loopback", "localstack/dynamo alone"},
		{"localstack/sam/iam/a_test.go", "localstack/kit/process/processtest", ""},
		{"localstack/sam/iam/a_test.go", "shared/store", "localstack/sam, localstack/kit alone"},
		{"localstack/run/a.go", "localstack/kit/storetest", "which is for tests"},
		{"elsewhere/a.go", "shared/game", "nothing of this module"},
	} {
		why := wrongImport(c.file, c.imported)
		assert.True(t, (why == "") == (c.why == "") && strings.HasSuffix(why, c.why),
			"%s imports %s%s, want %q", c.file, c.imported, why, c.why)
	}
}

// wrongImport returns why a file may not import a package of this module, or "" if the file may.
func wrongImport(file, imported string) string {
	folder, ofTests, inSAM := path.Dir(file), strings.HasSuffix(file, "_test.go"), strings.HasPrefix(file, "localstack/sam/")
	switch {
	case ofTests && inSAM && isForTests(imported): // allowed if its parent, the package that it helps to test, is
		return wrongArrow(folder, path.Dir(imported))
	case !ofTests || inSAM:
		return wrongArrow(folder, imported)
	case !strings.HasPrefix(file, "shared/") || strings.HasPrefix(imported, "shared/"):
		return ""
	case folder == "shared/store" && slices.Contains(storeTestsMayImport, imported):
		return ""
	}
	return ": tests in shared may import shared, and the store's also storeTestsMayImport"
}

// wrongArrow returns why the package in a folder may not import another package, or "" if it may.
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
		allowed = append(slices.Clone(allowed), path.Dir(folder)) // the package that it helps to test
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
