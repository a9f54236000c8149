package client_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/ranch-game/ranch/shared/client"
)

// A player's first show: register, enter, judge, claim. A file keeps the session, so that the player is still logged in
// when the program starts again.
func Example() {
	ctx := context.Background()
	api, file, end := demo()
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

// must keeps the example short. A game shows its player err.Error(), and decides by client.CodeOf(err).
func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// demo is a stand-in for the service with the answers that the example needs.
func demo() (api, session string, end func()) {
	mux := http.NewServeMux()
	for route, answer := range map[string]string{
		"POST /auth/register":                 `{"token": "e30.e30.c2ln", "refreshToken": "e30.e30.c2ln", "user": {"id": "u-1", "username": "ada"}}`,
		"GET /animals":                        `[{"id": "a-1", "name": "Buck"}]`,
		"GET /events/shows":                   `[{"id": "s-1", "name": "County Fair", "tier": "rookie"}]`,
		"POST /events/shows/s-1/enter":        `{"success": true, "message": "Buck entered in County Fair!", "entryFee": 10}`,
		"POST /events/shows/s-1/judge":        `{"success": true, "message": "Show judged. 4 entries.", "topThree": []}`,
		"POST /events/shows/s-1/claim-reward": `{"success": true, "rank": 1, "goldReward": 100, "message": "You received 100 gold for rank 1!"}`,
	} {
		mux.HandleFunc(route, func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/register") || strings.HasSuffix(r.URL.Path, "/enter") {
				w.WriteHeader(http.StatusCreated)
			}
			_, _ = w.Write([]byte(answer))
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
