package functiontest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// golden is the content of a golden file: a request, as an event of API Gateway, and its response, with a body in JSON.
type golden struct {
	Request  event          `json:"request"`
	Response goldenResponse `json:"response"`
}

type goldenResponse struct {
	StatusCode int               `json:"statusCode"`
	Headers    map[string]string `json:"headers"`
	Body       json.RawMessage   `json:"body"`
}

// Golden runs the endpoint and compares the request and the response with the file testdata/<name>.json. In the file,
// placeholders replace tokens and generated ids. With -update, Golden writes the file.
func (b *Bench) Golden(t *testing.T, name string, r Request) Answer {
	t.Helper()
	a := b.Do(t, r)
	got := b.render(t, r, a)
	path := filepath.Join("testdata", name+".json")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "%v: go test with -update writes it", err)
	assert.Empty(t, cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")), "%s (-want +got)", path)
	return a
}

func (b *Bench) render(t *testing.T, r Request, a Answer) string {
	t.Helper()
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	require.NoError(t, encoder.Encode(golden{b.event(r), goldenResponse{a.Status, a.Header, json.RawMessage(a.Body)}}))
	return standIns(text.String())
}

var (
	tokenText = regexp.MustCompile(`eyJ[\w-]+\.[\w-]+\.[\w-]+`)
	uuidText  = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	// fixedID matches ids of storetest.ID.
	fixedID = regexp.MustCompile(`^\d{8}-0000-4000-8000-000000000000$`)
)

// standIns replaces tokens by the names of their kinds, and random ids by numbered ones, in the order of occurrence.
func standIns(text string) string {
	text = tokenText.ReplaceAllStringFunc(text, func(token string) string {
		header, _, _ := strings.Cut(token, ".")
		if plain, err := base64.RawURLEncoding.DecodeString(header); err == nil && bytes.Contains(plain, []byte(`"rt+jwt"`)) {
			return "<refresh token>"
		}
		return "<access token>"
	})
	seen := map[string]string{}
	return uuidText.ReplaceAllStringFunc(text, func(id string) string {
		if fixedID.MatchString(id) {
			return id
		}
		if seen[id] == "" {
			seen[id] = fmt.Sprintf("00000000-0000-4000-8000-%012d", len(seen)+1)
		}
		return seen[id]
	})
}
