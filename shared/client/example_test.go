package client_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ranch-game/ranch/shared/client"
)

// A first show: register, enter, judge, claim. The session is kept in a file: who starts again is still logged in.
func Example() {
	ctx := context.Background()
	api, file, end := goldenService()
	defer end()

	ranch := client.New(api, client.Options{Store: client.FileStore{Path: file}})
	must(ranch.Register(ctx, client.Registration{
		Email: "ada@example.com", Username: "ada", Password: "a long password", RanchName: "Sunny Acres",
	}))
	animal := must(ranch.Animals(ctx))[0]
	shows := must(ranch.Shows(ctx, client.ShowFilter{Tier: "rookie"}))
	show := shows[len(shows)-1] // the one that closes last
	fmt.Println(must(ranch.Enter(ctx, show.ID, animal.ID)).Message)
	fmt.Println(must(ranch.Judge(ctx, show.ID)).Message)
	fmt.Println(must(ranch.Claim(ctx, show.ID)).Message)

	// Output:
	// Buck entered in County Fair!
	// Show judged. 4 entries.
	// You received 100 gold for rank 1!
}

// must is for examples: a game tells its player what err.Error() says, and goes by client.CodeOf(err).
func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// The example is what README.md shows.
func TestExample_isInREADME(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(page), "```go\n")
	code, _, found := strings.Cut(code, "```")
	indented := "\t" + strings.ReplaceAll(strings.TrimSpace(code), "\n", "\n\t")
	if !found || !strings.Contains(string(source), "\n"+indented+"\n") {
		t.Errorf("the first code in Go there is\n%s", code)
	}
}

// goldenService answers as the functions' golden files do, and has a place for a session.
func goldenService() (api, session string, end func()) {
	mux := http.NewServeMux()
	for _, file := range []string{
		"register/testdata/registered.json", "listanimals/testdata/animals.json", "listshows/testdata/open.json",
		"entershow/testdata/entered.json", "judgeshow/testdata/judged.json", "claimreward/testdata/claimed.json",
	} {
		var golden struct {
			Request  struct{ RouteKey string }
			Response struct {
				StatusCode int
				Body       json.RawMessage
			}
		}
		text, err := os.ReadFile(filepath.Join("../../functions", file))
		if err == nil {
			err = json.Unmarshal(text, &golden)
		}
		if err != nil {
			log.Fatal(err)
		}
		// A client takes nothing for a token that does not look like one.
		body := regexp.MustCompile("<[a-z ]+ token>").ReplaceAll(golden.Response.Body, []byte("e30.e30.c2ln"))
		mux.HandleFunc(golden.Request.RouteKey, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(golden.Response.StatusCode)
			_, _ = w.Write(body)
		})
	}
	folder, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	server := httptest.NewServer(mux)
	end = func() {
		server.Close()
		_ = os.RemoveAll(folder)
	}
	return server.URL, filepath.Join(folder, "session.json"), end
}
