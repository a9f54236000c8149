package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
)

// rotateKeys rotates the keys as README says, with a player who was logged in before. Functions that run learn of a new
// key within minutes, which TestRun_keysAreRotated in localstack/run plays with its clock; here they start anew.
func (r *rehearsal) rotateKeys(ctx context.Context) (string, error) {
	old := *r.player // with the tokens that k1 has signed
	var keys []struct{ Kid string }
	if err := r.operateKeys(ctx, &keys, "rotate", "--signs-in", "0s", "--yes"); err != nil {
		return "", err
	}
	if len(keys) != 2 || keys[1].Kid != "k1" {
		return "", fmt.Errorf("the keys are %v", keys)
	}
	if err := old.call(ctx, "GET", "/animals", nil, http.StatusOK, nil); err != nil {
		return "", fmt.Errorf("functions that run: %w", err)
	}
	if err := r.restartFunctions(ctx); err != nil {
		return "", err
	}
	if err := r.loggedIn(ctx, &old, keys[0].Kid); err != nil {
		return "", fmt.Errorf("functions that start: %w", err)
	}
	if err := r.player.login(ctx); err != nil {
		return "", err
	}
	if err := r.loggedIn(ctx, r.player, keys[0].Kid); err != nil {
		return "", err
	}
	if err := r.operateKeys(ctx, &keys, "retire", "k1", "--yes"); err == nil || !strings.Contains(err.Error(), "may be live") {
		return "", fmt.Errorf("a key whose tokens are live is retired: %w", errors.Join(err, errors.New("want a refusal")))
	}
	return "nobody was logged out, and the old key cannot go yet", nil
}

// operateKeys runs the operators' tool on the deployed secret.
func (r *rehearsal) operateKeys(ctx context.Context, into any, arguments ...string) error {
	return r.operate(ctx, into, append([]string{"keys", "--secret", r.stack.outputs["SigningKeysSecret"]}, arguments...)...)
}

// loggedIn wants the player's tokens to be good, and a new one to be signed with that key.
func (r *rehearsal) loggedIn(ctx context.Context, p *player, key string) error {
	if err := p.call(ctx, "GET", "/animals", nil, http.StatusOK, nil); err != nil {
		return err
	}
	if err := p.renew(ctx, http.StatusOK); err != nil {
		return err
	}
	got, err := keyOf(p.access)
	if err == nil && got != key {
		err = fmt.Errorf("a token is signed with %s, want %s", got, key)
	}
	return err
}

// restartFunctions has every function's next call begin with a new process, as a change of its configuration does.
func (r *rehearsal) restartFunctions(ctx context.Context) error {
	updated := lambda.NewFunctionUpdatedV2Waiter(r.clients.lambda, func(o *lambda.FunctionUpdatedV2WaiterOptions) {
		o.MinDelay, o.MaxDelay = time.Second/5, time.Second
	})
	for _, f := range r.template.Functions {
		name := aws.String(r.stack.ids[f.LogicalID])
		if _, err := r.clients.lambda.UpdateFunctionConfiguration(ctx, &lambda.UpdateFunctionConfigurationInput{FunctionName: name, Description: aws.String("restarted")}); err != nil {
			return err
		}
		if err := updated.Wait(ctx, &lambda.GetFunctionInput{FunctionName: name}, time.Minute); err != nil {
			return fmt.Errorf("restarting %s: %w", f.LogicalID, err)
		}
	}
	return nil
}
