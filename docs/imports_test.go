package docs_test

import (
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/ranch-game/ranch/"

// mayImport lists the folders of this module that the packages of a folder may import, with the folders below them. If
// several folders contain a package, the longest decides; without one it may import none. ADR 9 has the reasons.
var mayImport = map[string][]string{
	"shared/token":    {"shared/game"},
	"shared/emf":      {"shared/tally"},
	"shared/table":    {"shared/tally"},
	"shared/records":  {"shared/game", "shared/table"},
	"shared/store":    {"shared/game", "shared/records", "shared/table", "shared/tally"},
	"shared/upkeep":   {"shared/game", "shared/records", "shared/store", "shared/table"},
	"shared/operate":  {"shared/game", "shared/records", "shared/store", "shared/table", "shared/upkeep"},
	"shared/httpapi":  {"shared/emf", "shared/game", "shared/tally", "shared/token"},
	"shared/schedule": {"shared/emf", "shared/game", "shared/tally"},
	"shared/boot": strings.Fields(`shared/emf shared/game shared/httpapi shared/schedule shared/store shared/table
		shared/tally shared/token`),
	"functions": strings.Fields(`shared/boot shared/client shared/game shared/httpapi shared/password shared/schedule
		shared/store shared/tally shared/token shared/upkeep`),
	"infra":             {"infra", "shared"},
	"localstack/sam":    {"localstack/sam", "localstack/kit"},
	"localstack":        {"localstack", "infra", "functions", "shared"},
	"localstack/dynamo": {"localstack/dynamo"},
}

// storeTestsMayImport are the packages that the store's tests may import besides those in shared. These tests use a
// real engine, and write docs/costs.md. Other tests in shared may import only shared.
var storeTestsMayImport = strings.Fields(`
	localstack/kit/storetest localstack/bench/costs localstack/bench/figures localstack/engine localstack/sam/samtemplate
`)

// TestImports checks the imports of every Go file, for every operating system. Test files may import any package,
// except in shared and in localstack/sam. Only tests and packages for tests ("...test") may import packages for tests.
func TestImports(t *testing.T) {
	t.Parallel()
	for _, f := range withExtension(".go") {
		parsed, err := parser.ParseFile(token.NewFileSet(), f.name, f.text, parser.ImportsOnly)
		require.NoError(t, err)
		for _, i := range parsed.Imports {
			if imported, own := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), module); own {
				assert.True(t, fileMayImport(f.name, imported), "%s imports %s, against mayImport", f.name, imported)
			}
		}
	}
	for pair, want := range map[[2]string]bool{
		{"shared/store/a.go", "shared/game"}:                                   true,
		{"shared/store/a.go", "localstack/engine"}:                             false,
		{"shared/store/a.go", "shared/operate"}:                                false,
		{"shared/store/a_test.go", "localstack/kit/storetest"}:                 true,
		{"shared/store/a_test.go", "localstack/run"}:                           false,
		{"shared/game/a_windows.go", "shared/token"}:                           false,
		{"shared/token/tokentest/a.go", "shared/token"}:                        true,
		{"localstack/kit/functiontest/a.go", "shared/token/tokentest"}:         true,
		{"localstack/dynamo/holds/a.go", "localstack/dynamo/protocol"}:         true,
		{"localstack/dynamo/holds/a.go", "localstack/kit/loopback"}:            false,
		{"localstack/sam/iam/a_test.go", "localstack/kit/process/processtest"}: true,
		{"localstack/sam/iam/a_test.go", "shared/store"}:                       false,
		{"localstack/run/a.go", "localstack/kit/storetest"}:                    false,
		{"elsewhere/a.go", "shared/game"}:                                      false,
	} {
		assert.Equal(t, want, fileMayImport(pair[0], pair[1]), "%v", pair)
	}
}

// fileMayImport reports whether a file may import a package of this module.
func fileMayImport(file, imported string) bool {
	folder, ofTests, inSAM := path.Dir(file), strings.HasSuffix(file, "_test.go"), strings.HasPrefix(file, "localstack/sam/")
	switch {
	case ofTests && inSAM && isForTests(imported): // if it may import the package that this one helps to test
		return folderMayImport(folder, path.Dir(imported))
	case !ofTests || inSAM:
		return folderMayImport(folder, imported)
	}
	return !strings.HasPrefix(file, "shared/") || strings.HasPrefix(imported, "shared/") ||
		folder == "shared/store" && slices.Contains(storeTestsMayImport, imported)
}

// folderMayImport reports whether the package in a folder may import another package.
func folderMayImport(folder, imported string) bool {
	if isForTests(imported) {
		return isForTests(folder)
	}
	rule := folder
	for mayImport[rule] == nil && rule != path.Dir(rule) {
		rule = path.Dir(rule)
	}
	allowed := mayImport[rule]
	if isForTests(folder) {
		allowed = append(slices.Clone(allowed), path.Dir(folder)) // the package that it helps to test
	}
	return slices.ContainsFunc(allowed, func(a string) bool { return strings.HasPrefix(imported+"/", a+"/") })
}

func isForTests(folder string) bool { return strings.HasSuffix(folder, "test") }
