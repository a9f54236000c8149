package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	lambdatypes "github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"github.com/ranch-game/ranch/localstack/accept/contract"
	"github.com/ranch-game/ranch/shared/client"
)

// goldAfterPlay is what the player has: the starter's 500, less the fee, and the first prize of a rookie show.
const goldAfterPlay = 500 - 10 + 100

// play has an operator set a scene, and a player go through the whole game once.
func (r *rehearsal) play(ctx context.Context) string {
	var season, show struct{ ID string }
	check(r.operate(ctx, &season, "season", "create", "--name", "Season 1", "--start", "-1h", "--end", "+30d", "--activate", "--yes"))
	check(r.operate(ctx, &show, "show", "create", "--name", "County Fair", "--tier", "rookie", "--fee", "10", "--closes-in", "48h", "--yes"))
	p := r.register(ctx, "rider")
	r.player = p
	p.login(ctx)
	var animals []client.Animal
	var shows []client.ListedShow
	var detail client.ShowDetail
	var claim client.Claimed
	var standing client.Season
	promised, err := contract.LoadRoot()
	check(err)
	at := "/events/shows/" + show.ID
	p.call(ctx, "GET", "/animals", nil, http.StatusOK, &animals)
	p.call(ctx, "GET", "/events/shows?tier=rookie&status=open", nil, http.StatusOK, &shows)
	p.call(ctx, "POST", at+"/enter", map[string]string{"animalId": animals[0].ID}, http.StatusCreated, nil)
	p.call(ctx, "POST", at+"/judge", nil, http.StatusOK, nil)
	p.call(ctx, "POST", promised.ByID("claimReward").At(show.ID), nil, http.StatusOK, &claim)
	p.call(ctx, "GET", at, nil, http.StatusOK, &detail)
	p.call(ctx, "GET", "/events/season", nil, http.StatusOK, &standing)
	if len(shows) != 1 || !wonAlone(detail) || claim.GoldReward != 100 || standing.MySeasonScore != 100 {
		failf("%d shows, detail %+v, claim %+v, season %+v", len(shows), detail, claim, standing)
	}
	for _, o := range promised.Operations() { // those that the loop does not need, too
		if o.Method == http.MethodGet {
			p.call(ctx, o.Method, o.At(show.ID), nil, http.StatusOK, nil)
		}
	}
	p.renew(ctx, http.StatusOK)
	p.call(ctx, "POST", "/auth/logout", map[string]string{"refreshToken": p.tokens.RefreshToken}, http.StatusOK, nil)
	p.renew(ctx, http.StatusUnauthorized)
	r.wantLedger(ctx, r.stack.outputs["TableName"])
	return fmt.Sprintf("entered for 10 gold, won 100: %d gold, and the ledger says why", goldAfterPlay)
}

func wonAlone(show client.ShowDetail) bool {
	return len(show.Entries) == 1 && show.Entries[0].Rank != nil && *show.Entries[0].Rank == 1
}

// wantLedger wants the operators' audit of a table to find the player's gold and its reasons.
func (r *rehearsal) wantLedger(ctx context.Context, table string) {
	var ledgers []struct {
		Balance     int64
		Differences []string
	}
	check(r.operate(ctx, &ledgers, "ledger", "verify", r.player.email, "--table", table))
	if len(ledgers) != 1 || ledgers[0].Balance != goldAfterPlay || len(ledgers[0].Differences) > 0 {
		failf("the ledgers of %s are %+v", table, ledgers)
	}
}

// runByThemselves switches the judging of shows that are due on, which changes its schedule and nothing else, and has
// Lambda run both scheduled functions as the schedule would, which LocalStack keeps and does not act upon: a show that
// has closed is judged, and an audit finds nothing. (The drill has it find a spoiled ledger.)
func (r *rehearsal) runByThemselves(ctx context.Context) string {
	var show struct{ ID string }
	// No fee and no prize: the player's gold stays what it is.
	check(r.operate(ctx, &show, "show", "create", "--name", "Evening Fair", "--tier", "exhibition", "--force", "--fee", "0", "--closes-in", "20s", "--yes"))
	closed := time.After(20 * time.Second)
	var animals []client.Animal
	r.player.call(ctx, "GET", "/animals", nil, http.StatusOK, &animals)
	at := "/events/shows/" + show.ID
	r.player.call(ctx, "POST", at+"/enter", map[string]string{"animalId": animals[0].ID}, http.StatusCreated, nil)
	r.deploy(ctx, map[string]string{"JudgeDueShows": "on"}, "Modify JudgeDueMinute")
	select {
	case <-closed:
	case <-ctx.Done():
		check(ctx.Err())
	}
	for _, want := range [][]string{{show.ID}, {}} { // the second run finds nothing
		var line struct{ Judged []string }
		if r.runScheduled(ctx, "JudgeDue", &line); !slices.Equal(line.Judged, want) {
			failf("JudgeDue judges %q, want %q", line.Judged, want)
		}
	}
	var detail client.ShowDetail
	if r.player.call(ctx, "GET", at, nil, http.StatusOK, &detail); !wonAlone(detail) {
		failf("the show that was judged is %+v", detail)
	}
	var line struct {
		LedgersAudited, LedgerDrift int
		Complete                    bool
	}
	if r.runScheduled(ctx, "AuditLedgers", &line); !line.Complete || line.LedgersAudited < 1 || line.LedgerDrift > 0 {
		failf("AuditLedgers says %+v", line)
	}
	return "a show that had closed was judged, and the ledgers are right"
}

// runScheduled runs a scheduled function, and decodes the line of its log. On a busy machine LocalStack may answer
// before it has read what the process has written, and brings that with the next run: then there is one more.
func (r *rehearsal) runScheduled(ctx context.Context, logicalID string, line any) {
	var log []byte
	for range 3 {
		answer := must(r.invokeAlias(ctx, logicalID, []byte("{}"), lambdatypes.LogTypeTail))
		log = append(log, must(base64.StdEncoding.DecodeString(aws.ToString(answer.LogResult)))...)
		for text := range bytes.Lines(log) {
			if bytes.Contains(text, []byte(`"msg":"run"`)) {
				check(json.Unmarshal(text, line))
				return
			}
		}
	}
	failf("%s has logged no run: %s", logicalID, log)
}
