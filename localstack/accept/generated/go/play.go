// Command play plays a whole game with the Go client that oapi-codegen generates from the contract.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"

	openapi_types "github.com/oapi-codegen/runtime/types"
)

func main() {
	api, username, showName := os.Args[1], os.Args[2], os.Args[3]
	ctx := context.Background()
	token := ""
	ranch := must(NewClientWithResponses(api, WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+token)
		return nil
	})))
	token = must(ranch.RegisterWithResponse(ctx, Registration{
		Email: openapi_types.Email(username + "@example.com"), Username: username, Password: "a long password", RanchName: "Sunny Acres",
	})).JSON201.Token
	animal := (*must(ranch.ListAnimalsWithResponse(ctx)).JSON200)[0]
	tier := "rookie"
	var show ListedShow
	for _, s := range *must(ranch.ListShowsWithResponse(ctx, &ListShowsParams{Tier: &tier})).JSON200 {
		if s.Name == showName {
			show = s
		}
	}
	entry := EntryRequest{AnimalId: animal.Id}
	must(ranch.EnterShowWithResponse(ctx, show.Id, entry))
	second := must(ranch.EnterShowWithResponse(ctx, show.Id, entry))
	must(ranch.JudgeShowWithResponse(ctx, show.Id))
	prize := must(ranch.ClaimRewardWithResponse(ctx, show.Id)).JSON200
	me := must(ranch.GetMeWithResponse(ctx)).JSON200
	season := must(ranch.GetSeasonWithResponse(ctx)).JSON200
	fmt.Printf("%s, %d gold, rank %d, season score %d, second entry %d %s\n",
		me.Status, me.GoldBalance, *prize.Rank, *season.MySeasonScore, second.StatusCode(), second.JSON409.Error)
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
