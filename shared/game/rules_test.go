package game

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Processors may round floating point numbers differently (arm64 fuses a multiplication with an addition), but not
// integers. This package, which computes scores and ranks, has no floating point.
func TestScoresAreComputedInIntegers(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, name := range files {
		if !strings.HasSuffix(name, "_test.go") {
			assert.Empty(t, floats(t, name, nil), name)
		}
	}
	const code = `package x; import "math"; var a float64 = 0.5; const b = 1; var c = complex64(2i) * rand.Float32()`
	assert.Equal(t, []string{`"math"`, "float64", "0.5", "complex64", "2i", "Float32"}, floats(t, "x.go", code))
}

var floatName = regexp.MustCompile(`(?i)^(float|complex)(32|64|128)$`)

// floats returns the parts of a file that may be floating point: types, functions, literals and package math.
func floats(t *testing.T, name string, code any) (found []string) {
	file, err := parser.ParseFile(token.NewFileSet(), name, code, 0)
	require.NoError(t, err)
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if floatName.MatchString(n.Name) {
				found = append(found, n.Name)
			}
		case *ast.BasicLit:
			if n.Kind == token.FLOAT || n.Kind == token.IMAG || n.Value == `"math"` {
				found = append(found, n.Value)
			}
		}
		return true
	})
	return found
}
