package main

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// TestRun_scheduledFunctions has the real programs run through Lambda's Runtime API: a show whose closing time is over
// is judged by itself, and an audit finds a balance that is not what its ledger says.
func TestRun_scheduledFunctions(t *testing.T) {
	treeOfPrograms(t)
	cfg := ports(t)
	cfg.judgeDue = 100 * time.Millisecond
	s, out := openStack(t, cfg)
	client := dynamodb.New(s.engine.Client().Options(), store.ClientOptions)
	table := store.New(client, stack.TableName, time.Now)
	open := openShow(t, table)
	closed := open
	closed.ID, closed.EntryClosesAt = game.NewID(), game.InstantOf(time.Now()).Add(-time.Minute)
	if err := table.Operator(store.NewChange("tester", "", closed.EntryClosesAt)).CreateShow(t.Context(), closed, 3); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the closed show is judged", func() bool {
		read, _, err := table.ShowWithEntries(t.Context(), closed.ID)
		return err == nil && read.Status == game.ShowCompleted
	})
	eventually(t, "the run says so", out.shows(string(closed.ID)))
	if read, _, err := table.ShowWithEntries(t.Context(), open.ID); err != nil || read.Status != game.ShowOpen {
		t.Errorf("%+v, %v", read, err)
	}

	player := sessions{t: t, api: s.served.API}
	player.register()
	account, err := table.AccountByEmail(t.Context(), player.email)
	if err != nil || account == nil {
		t.Fatal(account, err)
	}
	audit := func() (printed string) {
		t.Helper()
		before := len(out.String())
		if _, err := s.served.Invoke(t.Context(), "AuditLedgers", []byte("{}")); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the audit says what it has found", func() bool {
			printed = out.String()[before:]
			return strings.Contains(printed, "function=AuditLedgers")
		})
		return printed
	}
	if printed := audit(); !strings.Contains(printed, "LedgerDrift=0") || !strings.Contains(printed, "LedgersAudited=1") {
		t.Error(printed)
	}
	if _, err := client.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
		TableName: aws.String(stack.TableName), UpdateExpression: aws.String("SET g = :more"),
		Key: map[string]types.AttributeValue{
			"PK": &types.AttributeValueMemberS{Value: "USER#" + string(account.ID)}, "SK": &types.AttributeValueMemberS{Value: "PROFILE"},
		},
		ExpressionAttributeValues: map[string]types.AttributeValue{":more": &types.AttributeValueMemberN{Value: "501"}},
	}); err != nil {
		t.Fatal(err)
	}
	if printed := audit(); !strings.Contains(printed, "LedgerDrift=1") || !strings.Contains(printed, string(account.ID)) {
		t.Error(printed)
	}
	if text := out.String(); strings.Contains(text, "template.yaml does not allow") {
		t.Errorf("a permission is missing:\n%s", text)
	}
	if _, err := s.served.Invoke(t.Context(), "Nobody", []byte("{}")); err == nil {
		t.Error("a function that is not there runs")
	}
}

// What runs by itself runs one after the other, and has ended when it is told to, even where its next turn has come by
// then: that is tried often, since by chance the end may be seen first.
func TestRepeat(t *testing.T) {
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			var running, runs int
			enough := make(chan struct{})
			stop := repeat(t.Context(), time.Minute, func(ctx context.Context) {
				if running++; running != 1 {
					t.Error("two at once")
				}
				if runs++; runs == 3 {
					time.Sleep(2 * time.Minute)
					close(enough)
					<-ctx.Done()
				}
				running--
			})
			<-enough
			stop()
			if running != 0 || runs != 3 {
				t.Errorf("%d runs, %d under way", runs, running)
			}
		})
	}
}
