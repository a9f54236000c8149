package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/password"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/token"
)

// printEvent prints an event for the function with the logical id, for the developer's LocalStack after initialise.
func printEvent(ctx context.Context, logicalID string, out io.Writer) error {
	t, err := samtemplate.LoadRoot()
	if err != nil {
		return err
	}
	f, known := t.Function(logicalID)
	if !known {
		return fmt.Errorf("template.yaml has no function %q: FUNCTION is a name in template.yaml, such as GetSeason", logicalID)
	}
	e, err := engine.Start(ctx, engine.Options{Kind: engine.LocalStack})
	if err != nil {
		return err
	}
	defer e.Close()
	secret, err := secretsOf(e).GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: aws.String(stack.SecretName)})
	if err != nil {
		return fmt.Errorf("LocalStack has no signing keys: run `make localstack-init`: %w", err)
	}
	keys, err := token.ParseSecret(aws.ToString(secret.SecretString))
	if err != nil {
		return err
	}
	event, err := newEvent(ctx, tableOf(e), keys, t, f, game.InstantOf(time.Now()))
	if err == nil {
		_, err = fmt.Fprintln(out, event)
	}
	return err
}

// newEvent returns an event for the function f that the function answers with success: the request of its first golden
// file with a success, sent by a new player. It replaces the golden file's tokens, names and ids by the player's and by
// those of an open show. Before an event of JudgeShow or ClaimReward it enters the show, or also judges it. The event
// of a scheduled function is an empty object, as in template.yaml.
func newEvent(ctx context.Context, table *store.Store, keys *token.Keys, t *samtemplate.Template, f samtemplate.Function, now game.Instant) (string, error) {
	if f.Schedule != nil {
		return "{}", nil
	}
	request, err := goldenRequest(filepath.Join(t.Root, f.Folder, "testdata"))
	if err != nil {
		return "", err
	}
	name := fmt.Sprintf("rider-%08x", rand.Uint32())
	a := game.NewAccount(game.Registration{Email: name + "@example.com", Username: name, RanchName: "Sunny Acres"}, now)
	herd := game.Starters(rand.New(rand.NewPCG(rand.Uint64(), 0)), a.ID, a.Ranch.ID, now)
	session, err := keys.IssueSession(a.User, now)
	if err != nil {
		return "", err
	}
	err = table.CreateAccount(ctx, a, password.Hash("correct horse"), herd, game.StarterEntry(a.ID, now), session.Record)
	if err != nil {
		return "", err
	}
	show, err := openShow(ctx, table, a.GoldBalance)
	if judged := f.LogicalID == "ClaimReward"; err == nil && (judged || f.LogicalID == "JudgeShow") {
		if _, _, err = table.Enter(ctx, a.ID, show, herd[0].ID, now); err == nil && judged {
			_, err = table.Judge(ctx, a.ID, show, now)
		}
	}
	return strings.NewReplacer(
		"<access token>", session.Access, "<refresh token>", session.Refresh, "ann@example.com", name+"@example.com",
		"Ann.Lee+Ranch@Example.COM", "new-"+name+"@example.com", "Ann_Lee-1", "new-"+name,
		"00009000-0000-4000-8000-000000000000", string(show), "00000102-0000-4000-8000-000000000000", string(herd[0].ID),
	).Replace(request), err
}

// goldenRequest returns the request of the folder's first golden file with a success.
func goldenRequest(folder string) (string, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	for _, file := range files {
		var golden struct {
			Request  json.RawMessage
			Response struct{ StatusCode int }
		}
		text, err := os.ReadFile(file)
		if err := cmp.Or(err, json.Unmarshal(text, &golden)); err != nil {
			return "", fmt.Errorf("%s: %w", file, err)
		}
		if golden.Response.StatusCode < 300 {
			return string(golden.Request), nil
		}
	}
	return "", cmp.Or(err, fmt.Errorf("%s has no golden file with a success", folder))
}

// openShow returns the rookie show that closes last of those that the gold pays.
func openShow(ctx context.Context, table *store.Store, gold int64) (id game.ID, err error) {
	shows, err := table.AllShows(ctx, game.ShowOpen)
	last := game.Instant(0)
	for _, s := range shows {
		if s.Tier == game.TierRookie && s.EntryFee <= gold && s.EntryClosesAt > last {
			id, last = s.ID, s.EntryClosesAt
		}
	}
	if id == "" && err == nil {
		err = fmt.Errorf("no rookie show is open that %d gold can pay: run `make localstack-init` to add shows", gold)
	}
	return id, err
}
