package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
)

// rotateKeys goes README's three steps, in minutes instead of the days between the last two, with a player who was
// logged in before the first.
func (r *rehearsal) rotateKeys(ctx context.Context) (string, error) {
	old := *r.player // with the tokens that k1 has signed
	if err := r.setKeys(ctx, 2, func(keys map[string]string) { keys["k2"] = rand.Text() + rand.Text() }); err != nil {
		return "", err
	}
	if err := r.loggedIn(ctx, &old, "k1"); err != nil {
		return "", fmt.Errorf("with another key: %w", err)
	}
	if err := r.setKeys(ctx, 3, func(keys map[string]string) { keys["current"] = "k2" }); err != nil {
		return "", err
	}
	before := old.access
	if err := r.loggedIn(ctx, &old, "k2"); err != nil {
		return "", fmt.Errorf("with a new current key: %w", err)
	}
	if err := r.player.login(ctx); err != nil {
		return "", err
	}
	if err := r.setKeys(ctx, 4, func(keys map[string]string) { delete(keys, "k1") }); err != nil {
		return "", err
	}
	if err := r.loggedIn(ctx, r.player, "k2"); err != nil {
		return "", fmt.Errorf("without the old key: %w", err)
	}
	old.access = before
	if err := old.call(ctx, "GET", "/animals", nil, http.StatusUnauthorized, nil); err != nil {
		return "", fmt.Errorf("without the old key: %w", err)
	}
	if err := old.renew(ctx, http.StatusUnauthorized); err != nil {
		return "", fmt.Errorf("without the old key: %w", err)
	}
	return "nobody was logged out before the old key went", nil
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

// setKeys changes the secret and has every function that signs or checks tokens start anew.
func (r *rehearsal) setKeys(ctx context.Context, generation int, change func(keys map[string]string)) error {
	secret := aws.String(r.stack.outputs["SigningKeysSecret"])
	value, err := r.clients.secrets.GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: secret})
	if err != nil {
		return err
	}
	keys := map[string]string{}
	if err := json.Unmarshal([]byte(aws.ToString(value.SecretString)), &keys); err != nil {
		return err
	}
	change(keys)
	text, err := json.Marshal(keys)
	if err != nil {
		return err
	}
	if _, err := r.clients.secrets.PutSecretValue(ctx, &secretsmanager.PutSecretValueInput{SecretId: secret, SecretString: aws.String(string(text))}); err != nil {
		return err
	}
	parameters := map[string]string{"SigningKeysGeneration": strconv.Itoa(generation)}
	changes, err := r.deploy(ctx, parameters)
	if err != nil {
		return err
	}
	var readers []string
	for _, f := range r.template.Functions {
		if _, reads := f.Environment["SIGNING_KEYS_SECRET"]; reads {
			readers = append(readers, f.LogicalID)
		}
	}
	if err := wantModified(changes, readers...); err != nil {
		return err
	}
	_, err = r.compareFunctions(ctx, parameters)
	return err
}
