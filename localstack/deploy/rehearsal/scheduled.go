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
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	dynamodbtypes "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	lambdatypes "github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"github.com/ranch-game/ranch/shared/client"
)

// runByThemselves switches the judging of shows that are due on, which changes its schedule and nothing else, and has
// Lambda run both scheduled functions as the schedule would, which LocalStack keeps and does not act upon: a show that
// has closed is judged, and an audit finds a row of a ledger that somebody has changed, for as long as it is so.
func (r *rehearsal) runByThemselves(ctx context.Context) (string, error) {
	var show struct{ ID string }
	// No fee and no prize: the player's gold stays what it is.
	if err := r.operate(ctx, &show, "show", "create", "--name", "Evening Fair", "--tier", "exhibition", "--force", "--fee", "0", "--closes-in", "20s", "--yes"); err != nil {
		return "", err
	}
	closed := time.After(20 * time.Second)
	var animals []client.Animal
	if err := r.player.call(ctx, "GET", "/animals", nil, http.StatusOK, &animals); err != nil {
		return "", err
	}
	at := "/events/shows/" + show.ID
	if err := r.player.call(ctx, "POST", at+"/enter", map[string]string{"animalId": animals[0].ID}, http.StatusCreated, nil); err != nil {
		return "", err
	}
	changes, err := r.deploy(ctx, map[string]string{"JudgeDueShows": "on"})
	if err != nil {
		return "", err
	}
	if len(changes) != 1 || changes[0] != (change{"Modify", "JudgeDueMinute"}) {
		return "", fmt.Errorf("JudgeDueShows=on does %v", changes)
	}
	select {
	case <-closed:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if err := r.wantJudged(ctx, show.ID); err != nil {
		return "", err
	}
	var detail client.ShowDetail
	if err := r.player.call(ctx, "GET", at, nil, http.StatusOK, &detail); err != nil {
		return "", err
	}
	if len(detail.Entries) != 1 || detail.Entries[0].Rank == nil || *detail.Entries[0].Rank != 1 {
		return "", fmt.Errorf("the show that was judged has the entries %+v", detail.Entries)
	}
	return "a show that had closed was judged, and a spoiled ledger found", r.wantAudits(ctx)
}

// wantJudged wants one run to judge the show, and the next one to find nothing.
func (r *rehearsal) wantJudged(ctx context.Context, show string) error {
	for _, want := range [][]string{{show}, {}} {
		var line struct{ Judged []string }
		if err := r.runScheduled(ctx, "JudgeDue", &line); err != nil {
			return err
		}
		if !slices.Equal(line.Judged, want) {
			return fmt.Errorf("JudgeDue judges %q, want %q", line.Judged, want)
		}
	}
	return nil
}

// wantAudits wants an audit to find nothing, to find the player's first row when that says another amount, and nothing
// again when it is what it was.
func (r *rehearsal) wantAudits(ctx context.Context) error {
	var ledgers []struct {
		User string `json:"user_id"`
	}
	if err := r.operate(ctx, &ledgers, "ledger", "verify", r.player.email); err != nil {
		return err
	}
	user := ledgers[0].User
	for _, step := range []struct {
		amount, drift int
		users         []string
	}{{500, 0, nil}, {501, 1, []string{user}}, {500, 0, nil}} {
		if err := r.setFirstAmount(ctx, user, step.amount); err != nil {
			return err
		}
		var line struct {
			LedgersAudited, LedgerDrift int
			Users                       []string `json:"drift_users"`
			Complete                    bool
		}
		if err := r.runScheduled(ctx, "AuditLedgers", &line); err != nil {
			return err
		}
		if !line.Complete || line.LedgersAudited < 1 || (line.LedgerDrift > 0) != (step.drift > 0) || !slices.Equal(line.Users, step.users) {
			return fmt.Errorf("with a first row of %d gold AuditLedgers says %+v", step.amount, line)
		}
	}
	return nil
}

// setFirstAmount changes the user's first row past the service: what it says is paid, and no balance.
func (r *rehearsal) setFirstAmount(ctx context.Context, user string, gold int) error {
	_, err := r.clients.dynamoDB.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName: aws.String(r.stack.outputs["TableName"]), UpdateExpression: aws.String("SET am = :gold"), ConditionExpression: aws.String("attribute_exists(PK)"),
		Key: map[string]dynamodbtypes.AttributeValue{
			"PK": &dynamodbtypes.AttributeValueMemberS{Value: "USER#" + user},
			"SK": &dynamodbtypes.AttributeValueMemberS{Value: fmt.Sprintf("LEDGER#%012d", 1)},
		},
		ExpressionAttributeValues: map[string]dynamodbtypes.AttributeValue{":gold": &dynamodbtypes.AttributeValueMemberN{Value: fmt.Sprint(gold)}},
	})
	return err
}

// runScheduled runs a scheduled function, and decodes the line of its log. LocalStack may answer before it has read
// what the process has written, on a busy machine, and brings that with the next run: then there is one more.
func (r *rehearsal) runScheduled(ctx context.Context, logicalID string, line any) error {
	var log []byte
	for range 3 {
		read, err := r.runOnce(ctx, logicalID)
		if err != nil {
			return err
		}
		log = append(log, read...)
		for text := range bytes.Lines(log) {
			if bytes.Contains(text, []byte(`"msg":"run"`)) {
				return json.Unmarshal(text, line)
			}
		}
	}
	return fmt.Errorf("%s has logged no run: %s", logicalID, log)
}

// runOnce runs a scheduled function once, and returns its log.
func (r *rehearsal) runOnce(ctx context.Context, logicalID string) (log []byte, err error) {
	answer, err := r.clients.lambda.Invoke(ctx, &lambda.InvokeInput{
		FunctionName: aws.String(r.stack.ids[logicalID+"Alias"+aliasName]), Payload: []byte("{}"), LogType: lambdatypes.LogTypeTail,
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", logicalID, err)
	}
	if log, err = base64.StdEncoding.DecodeString(aws.ToString(answer.LogResult)); err != nil {
		return nil, err
	}
	if answer.FunctionError != nil {
		return nil, fmt.Errorf("%s: %s: %s\n%s", logicalID, aws.ToString(answer.FunctionError), answer.Payload, log)
	}
	return log, nil
}
