package store

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Operators' changes use players' calls, never the reverse: no other file uses a declaration of operator*.go.
func TestPlayersNeedNothingOfOperators(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("*.go")
	require.NoError(t, err)
	fset, files := token.NewFileSet(), []*ast.File(nil)
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		files = append(files, file)
	}
	// The check has no imports. It needs none to find where a name of this package is declared.
	info, config := types.Info{Uses: map[*ast.Ident]types.Object{}}, types.Config{Error: func(error) {}}
	_, _ = config.Check("store", fset, files, &info)
	operators := func(at token.Pos) bool { return strings.HasPrefix(fset.Position(at).Filename, "operator") }
	uses := 0
	for name, object := range info.Uses {
		switch from, to := operators(name.Pos()), operators(object.Pos()); {
		case from && !to:
			uses++
		case !from && to:
			t.Errorf("%v uses %s of %v", fset.Position(name.Pos()), name.Name, fset.Position(object.Pos()))
		}
	}
	assert.True(t, uses >= 500, "found only %d uses of the others' names in operator*.go", uses)
}
