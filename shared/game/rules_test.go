package game

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Processors may round floating point numbers differently (arm64 fuses a multiplication with an addition), but not
// integers. The code for scores and ranks has no floating point.
func TestScoresAreComputedInIntegers(t *testing.T) {
	for _, name := range []string{"score.go", "judging.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		for _, found := range floats(file) {
			t.Errorf("%s: %s", name, found)
		}
	}
	file, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x; import \"math\"; var a float64 = 0.5; const b = 1; var c = math.Pi", 0)
	require.NoError(t, err)
	got := floats(file)
	assert.Len(t, got, 3, "found only %q", got)
}

// floats returns the parts of a file that may be floating point: types, literals and package math.
func floats(file *ast.File) (found []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if n.Name == "float32" || n.Name == "float64" {
				found = append(found, n.Name)
			}
		case *ast.BasicLit:
			if n.Kind == token.FLOAT || n.Kind == token.STRING && n.Value == `"math"` {
				found = append(found, n.Value)
			}
		}
		return true
	})
	return found
}
