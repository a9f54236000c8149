package contract

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/bench/figures"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// golden is a golden file of a function that has a route: functions/<folder>/testdata/<name>.json.
type golden struct {
	name         string
	route        string // as in POST /events/shows/{id}/enter
	method, path string // the path escaped
	body         []byte // of the request
	status       int
	header       http.Header
	answer       []byte // the body of the response
}

// tokens replaces the placeholders of tokens in golden files by texts that look like tokens.
var tokens = strings.NewReplacer("<access token>", "header.access-claims.signature", "<refresh token>", "header.refresh-claims.signature")

var readGoldens = sync.OnceValues(func() (all []golden, err error) {
	template, err := samtemplate.LoadRoot()
	if err != nil {
		return nil, err
	}
	for _, f := range template.Endpoints() {
		paths, err := filepath.Glob(filepath.Join(template.Root, f.Folder, "testdata", "*.json"))
		if err != nil || len(paths) == 0 {
			return nil, fmt.Errorf("%s has no golden files: %w", f.Folder, err)
		}
		for _, path := range paths {
			g, err := readGolden(path)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			all = append(all, g)
		}
	}
	return all, nil
})

func goldens(t *testing.T) []golden {
	t.Helper()
	all, err := readGoldens()
	require.NoError(t, err)
	return all
}

func readGolden(path string) (golden, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return golden{}, err
	}
	var file struct {
		Request  events.APIGatewayV2HTTPRequest
		Response struct {
			StatusCode int
			Headers    map[string]string
			Body       json.RawMessage
		}
	}
	if err := json.Unmarshal([]byte(tokens.Replace(string(text))), &file); err != nil {
		return golden{}, err
	}
	method, _, _ := strings.Cut(file.Request.RouteKey, " ")
	g := golden{
		strings.TrimSuffix(filepath.Base(path), ".json"), file.Request.RouteKey, method, file.Request.RawPath, []byte(file.Request.Body),
		file.Response.StatusCode, http.Header{}, file.Response.Body,
	}
	for name, value := range file.Response.Headers {
		g.header.Set(name, value)
	}
	g.header.Set("Apigw-Requestid", file.Request.RequestContext.RequestID) // API Gateway adds it
	return g, nil
}

func load(t testing.TB) *Contract {
	t.Helper()
	c, err := loadOnce()
	require.NoError(t, err)
	return c
}

var loadOnce = sync.OnceValues(LoadRoot)

// TestGoldenFiles checks that the functions' golden files fit the contract.
func TestGoldenFiles(t *testing.T) {
	t.Parallel()
	c := load(t)
	for _, g := range goldens(t) {
		for _, problem := range c.check(g) {
			t.Errorf("%s %s, %d %.100s: %s", g.method, g.path, g.status, g.answer, problem)
		}
	}
}

// TestThrottles checks that the contract's table of rate limits has those of template.yaml.
func TestThrottles(t *testing.T) {
	t.Parallel()
	template, err := samtemplate.LoadRoot()
	require.NoError(t, err)
	text, err := os.ReadFile("../../../" + FileName)
	require.NoError(t, err)
	_, table, _ := strings.Cut(string(text), "| Operation | Requests a second | At once |")
	other := template.Throttle("any other")
	assert.Contains(t, table, fmt.Sprintf("| any other | %v | %d |", other.Rate, other.Burst))
	for _, o := range load(t).Operations() {
		if throttle := template.Throttle(o.Route()); throttle != other {
			assert.Contains(t, table, fmt.Sprintf("| %s | %v | %d |", o.ID, throttle.Rate, throttle.Burst))
		}
	}
}

// TestRoutes checks that contract and template.yaml have the same routes, and that operationIds match logical ids.
func TestRoutes(t *testing.T) {
	t.Parallel()
	template, err := samtemplate.LoadRoot()
	require.NoError(t, err)
	deployed, promised := map[string]string{}, map[string]string{}
	for _, f := range template.Endpoints() {
		deployed[f.Route()] = strings.ToLower(f.LogicalID[:1]) + f.LogicalID[1:]
	}
	for _, o := range load(t).Operations() {
		promised[o.Route()] = o.ID
	}
	assert.Empty(t, cmp.Diff(deployed, promised), "template.yaml and %s have other routes (-template +contract)", FileName)
}

// TestCodes checks that the contract has exactly the error codes of the rules, of faults, and of a closed service.
func TestCodes(t *testing.T) {
	t.Parallel()
	rules := map[string]bool{"INTERNAL_ERROR": true, "CLOSED": true}
	source, err := os.ReadFile("../../../shared/game/refusal.go")
	require.NoError(t, err)
	for _, found := range regexp.MustCompile(`Code = "([A-Z_]+)"`).FindAllSubmatch(source, -1) {
		rules[string(found[1])] = true
	}
	contracted := map[string]bool{}
	for _, o := range load(t).Operations() {
		for _, a := range o.answers {
			for _, code := range a.refusals {
				contracted[code] = true
			}
		}
	}
	delete(contracted, "") // API Gateway's own answers have none
	assert.Equal(t, rules, contracted)
}

var endpointTable = figures.Block{Page: "docs/clients.md", Name: "endpoints", Tolerance: "none (`TestEndpointTable`)"}

// TestEndpointTable checks that docs/clients.md has a row for each operation.
func TestEndpointTable(t *testing.T) {
	t.Parallel()
	table := "| Request | Operation | Token | What it does | Refusals |\n|---|---|---|---|---|\n"
	for _, o := range load(t).Operations() {
		token := ""
		if o.Protected {
			token = "yes"
		}
		codes := slices.DeleteFunc(o.Outcomes(), func(outcome string) bool { return outcome < "A" }) // statuses
		table += fmt.Sprintf("| `%s` | %s | %s | %s | %s |\n", o.Route(), o.ID, token, o.Summary, strings.Join(codes, ", "))
	}
	const root = "../../.."
	if *update {
		require.NoError(t, endpointTable.Write(root, table))
	}
	documented, err := endpointTable.Read(root)
	require.NoError(t, err)
	assert.Empty(t, cmp.Diff(documented, table),
		"docs/clients.md; go test ./localstack/accept/contract -update writes it (-is +ought to be)")
}
