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

	"github.com/ranch-game/ranch/shared/client"
)

// A first show: register, enter, judge, claim. The session is kept in a file: who starts again is still logged in.
func Example() {
	ctx := context.Background()
	api, session, end := goldenService()
	defer end()
	player := client.New(api, client.Options{Store: client.FileStore{Path: session}})
	if _, loggedIn, _ := player.Session(ctx); !loggedIn {
		ann := client.Registration{Email: "ann@example.com", Username: "ann", Password: "a long password", RanchName: "Sunny Acres"}
		if _, err := player.Register(ctx, ann); err != nil {
			log.Fatal(err)
		}
	}
	animals, err := player.Animals(ctx)
	if err != nil {
		log.Fatal(err)
	}
	shows, err := player.Shows(ctx, client.ShowFilter{Tier: "rookie"})
	if err != nil {
		log.Fatal(err)
	}
	entered, err := player.Enter(ctx, shows[0].ID, animals[0].ID)
	if err != nil {
		log.Fatal(err) // a sentence for people; client.CodeOf(err) is for the program
	}
	fmt.Println(entered.Message)
	judged, err := player.Judge(ctx, shows[0].ID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(judged.Message)
	claimed, err := player.Claim(ctx, shows[0].ID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(claimed.Message)
	// Output:
	// Buck entered in County Fair!
	// Show judged. 4 entries.
	// You received 100 gold for rank 1!
}

// goldenService answers as the functions' golden files do, and has a place for a session.
func goldenService() (api, session string, end func()) {
	mux := http.NewServeMux()
	for pattern, file := range map[string]string{
		"POST /auth/register":                  "register/testdata/registered.json",
		"GET /animals":                         "listanimals/testdata/animals.json",
		"GET /events/shows":                    "listshows/testdata/open.json",
		"POST /events/shows/{id}/enter":        "entershow/testdata/entered.json",
		"POST /events/shows/{id}/judge":        "judgeshow/testdata/judged.json",
		"POST /events/shows/{id}/claim-reward": "claimreward/testdata/claimed.json",
	} {
		var golden struct {
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
		mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(golden.Response.StatusCode)
			_, _ = w.Write(golden.Response.Body)
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
