package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// rotateKeys rotates the keys as README says, with a player who was logged in before. Functions that run learn of a new
// key within minutes, which TestRun_keysAreRotated in localstack/run plays with its clock; those that start, with the
// next deployment here, know it.
func (r *rehearsal) rotateKeys(ctx context.Context) (string, error) {
	earlier := *r.player // with the tokens that k1 has signed
	r.earlier = &earlier
	var keys []struct{ Kid string }
	if err := r.operateKeys(ctx, &keys, "rotate", "--signs-in", "0s", "--yes"); err != nil {
		return "", err
	}
	if len(keys) != 2 || keys[1].Kid != "k1" {
		return "", fmt.Errorf("the keys are %v", keys)
	}
	r.key = keys[0].Kid
	if err := r.earlier.call(ctx, "GET", "/animals", nil, http.StatusOK, nil); err != nil {
		return "", fmt.Errorf("functions that run: %w", err)
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
	got, err := keyOf(p.tokens.Token)
	if err == nil && got != key {
		err = fmt.Errorf("a token is signed with %s, want %s", got, key)
	}
	return err
}
