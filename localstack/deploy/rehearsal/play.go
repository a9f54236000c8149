package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/ranch-game/ranch/localstack/accept/contract"
	"github.com/ranch-game/ranch/shared/client"
)

// operate runs the operators' tool on the deployed table, as README says, and decodes what it prints.
func (r *rehearsal) operate(ctx context.Context, into any, arguments ...string) error {
	environ := append(r.cloud.Environ(), "TABLE_NAME="+r.stack.outputs["TableName"])
	printed, err := r.run(ctx, environ, r.ranchctl, append(arguments, "-o", "json")...)
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(printed), into)
}

// play has an operator set a scene, and a player go through the whole game once, with every endpoint.
func (r *rehearsal) play(ctx context.Context) (string, error) {
	var season, show struct{ ID string }
	if err := r.operate(ctx, &season, "season", "create", "--name", "Season 1", "--start", "-1h", "--end", "+30d", "--activate", "--yes"); err != nil {
		return "", err
	}
	if err := r.operate(ctx, &show, "show", "create", "--name", "County Fair", "--tier", "rookie", "--fee", "10", "--closes-in", "48h", "--yes"); err != nil {
		return "", err
	}
	promised, err := contract.LoadRoot()
	if err != nil {
		return "", err
	}
	p, err := register(ctx, r.front.url, "rider")
	if err != nil {
		return "", err
	}
	r.player = p
	if err := p.login(ctx); err != nil {
		return "", err
	}
	var animals []client.Animal
	var shows []client.ListedShow
	var detail client.ShowDetail
	var claim client.Claimed
	var standing client.Season
	at := "/events/shows/" + show.ID
	if err := p.call(ctx, "GET", "/animals", nil, http.StatusOK, &animals); err != nil {
		return "", err
	}
	if len(animals) == 0 {
		return "", fmt.Errorf("%s has no animals", p.email)
	}
	for _, c := range []struct {
		method, path string
		body         any
		status       int
		into         any
	}{
		{"GET", "/events/shows?tier=rookie&status=open", nil, http.StatusOK, &shows},
		{"POST", at + "/enter", map[string]string{"animalId": animals[0].ID}, http.StatusCreated, nil},
		{"POST", at + "/judge", nil, http.StatusOK, nil},
		{"POST", promised.ByID("claimReward").At(show.ID), nil, http.StatusOK, &claim},
		{"GET", at, nil, http.StatusOK, &detail},
		{"GET", "/events/season", nil, http.StatusOK, &standing},
	} {
		if err := p.call(ctx, c.method, c.path, c.body, c.status, c.into); err != nil {
			return "", err
		}
	}
	for _, o := range promised.Operations() { // those that the loop does not need, too
		if o.Method == http.MethodGet {
			if err := p.call(ctx, o.Method, o.At(show.ID), nil, http.StatusOK, nil); err != nil {
				return "", err
			}
		}
	}
	if len(shows) != 1 || len(detail.Entries) != 1 || detail.Entries[0].Rank == nil || *detail.Entries[0].Rank != 1 || claim.GoldReward != 100 || standing.MySeasonScore != 100 {
		return "", fmt.Errorf("%d shows, detail %+v, claim %+v, season %+v", len(shows), detail, claim, standing)
	}
	if err := p.renew(ctx, http.StatusOK); err != nil {
		return "", err
	}
	if err := p.call(ctx, "POST", "/auth/logout", map[string]string{"refreshToken": p.tokens.RefreshToken}, http.StatusOK, nil); err != nil {
		return "", err
	}
	if err := p.renew(ctx, http.StatusUnauthorized); err != nil {
		return "", err
	}
	if err := r.verifyLedger(ctx, r.stack.outputs["TableName"]); err != nil {
		return "", err
	}
	return fmt.Sprintf("entered for 10 gold, won 100: %d gold, and the ledger says why", goldAfterPlay), nil
}

// goldAfterPlay is what the player has: the starter's 500, less the fee, and the first prize of a rookie show.
const goldAfterPlay = 500 - 10 + 100

// verifyLedger wants the operators' audit of a table to find the player's gold and its reasons.
func (r *rehearsal) verifyLedger(ctx context.Context, table string) error {
	var ledgers []struct {
		Balance     int64
		Differences []string
	}
	if err := r.operate(ctx, &ledgers, "ledger", "verify", r.player.email, "--table", table); err != nil {
		return err
	}
	if len(ledgers) != 1 || ledgers[0].Balance != goldAfterPlay || len(ledgers[0].Differences) > 0 {
		return fmt.Errorf("the ledgers are %+v", ledgers)
	}
	return nil
}
