package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/password"
	"github.com/ranch-game/ranch/shared/token"
)

// printEvent prints an event for the function with the logical id. setUp must have set up the engine, a LocalStack.
func printEvent(ctx context.Context, t *samtemplate.Template, e *engine.Engine, logicalID string, out io.Writer) error {
	f, known := t.Function(logicalID)
	if !known {
		return fmt.Errorf("template.yaml has no function %q: FUNCTION is a name in template.yaml, such as GetSeason", logicalID)
	}
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
// file with a success, sent by a rival of the demo with fresh tokens, or by a new player if it changes the account. Its
// show is a new one, which the rival has entered if the function is JudgeShow or ClaimReward, and which is judged if it is
// ClaimReward. The event of a scheduled function is an empty object, as in template.yaml.
func newEvent(ctx context.Context, table operate.Desk, keys *token.Keys, t *samtemplate.Template, f samtemplate.Function, now game.Instant) (string, error) {
	if f.Schedule != nil {
		return "{}", nil
	}
	request, err := goldenRequest(filepath.Join(t.Root, f.Folder, "testdata"))
	if err != nil {
		return "", err
	}
	email, name := strings.ToLower(rivals[0].name)+"@example.com", fmt.Sprintf("new-%08x", rand.Uint32())
	if slices.Contains([]string{"ChangePassword", "ChangeEmail", "DeleteAccount"}, f.LogicalID) {
		email = name + "@example.com"
		if err := addPlayer(ctx, table, keys, email, name, now); err != nil {
			return "", err
		}
	}
	season, err := table.ActiveSeason(ctx)
	if err != nil {
		return "", err
	}
	rival, _, err := table.AccountByEmail(ctx, email)
	if season == nil || rival == nil {
		return "", cmp.Or(err, errors.New("the table has no demo: run `make localstack-init`"))
	}
	session, err := keys.IssueSession(rival.User, now)
	if err != nil {
		return "", err
	}
	show := game.Show{ID: game.NewID(), Name: name, Tier: game.TierRookie, EntryClosesAt: season.EndDate, Status: game.ShowOpen, SeasonID: season.ID}
	if _, err = table.RecordLogin(ctx, *rival, session.Record, game.Rehash{}, now); err == nil {
		err = (&demo{table: table}).operator(now).CreateShow(ctx, show, demoGates)
	}
	if judged := f.LogicalID == "ClaimReward"; err == nil && (judged || f.LogicalID == "JudgeShow") {
		if _, _, err = table.Enter(ctx, rival.ID, show.ID, animalOf(0, 0), now); err == nil && judged {
			_, err = table.Judge(ctx, rival.ID, show.ID, now)
		}
	}
	return strings.NewReplacer(
		"<access token>", session.Access, "<refresh token>", session.Refresh, "ann@example.com", email, "correct horse", rivalPassword,
		"battery staple", rivalPassword, "Annie@Example.com", name+"@example.org",
		"Ann.Lee+Ranch@Example.COM", name+"@example.com", "Ann_Lee-1", name,
		"00009000-0000-4000-8000-000000000000", string(show.ID), "00000102-0000-4000-8000-000000000000", string(animalOf(0, 0)),
	).Replace(request), err
}

// addPlayer registers a player without animals, who has the rivals' password.
func addPlayer(ctx context.Context, table operate.Desk, keys *token.Keys, email, name string, now game.Instant) error {
	a := game.NewAccount(game.Registration{Email: email, Username: name, RanchName: name}, now)
	session, err := keys.IssueSession(a.User, now)
	if err != nil {
		return err
	}
	return table.CreateAccount(ctx, a, password.Hash(rivalPassword), nil, game.StarterEntry(a.ID, now), session.Record)
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
