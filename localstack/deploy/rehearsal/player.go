package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/ranch-game/ranch/shared/client"
)

// player is a client of the API. It sends each request once: what is rehearsed is what each is answered.
type player struct {
	api, email string
	tokens     client.Tokens
}

const password = "a long password"

// call sends a request, wants that status, and decodes the answer into it, unless that is nil.
func (p *player) call(ctx context.Context, method, path string, body any, status int, into any) error {
	transport := client.Transport{API: p.api}
	answer, err := transport.Send(ctx, client.Request{Method: method, Path: path, Token: p.tokens.Token, Body: body})
	if err == nil {
		err = answer.Read(status, into)
	}
	if err != nil {
		return fmt.Errorf("%s %s: %d, want %d: %w", method, path, answer.Status, status, err)
	}
	return nil
}

// register makes an account.
func register(ctx context.Context, api, name string) (*player, error) {
	p := &player{api: api, email: name + "@example.com"}
	r := client.Registration{Email: p.email, Username: name, Password: password, RanchName: "Sunny Acres"}
	return p, p.call(ctx, "POST", "/auth/register", r, http.StatusCreated, &p.tokens)
}

// login replaces the player's tokens.
func (p *player) login(ctx context.Context) error {
	return p.call(ctx, "POST", "/auth/login", map[string]string{"email": p.email, "password": password}, http.StatusOK, &p.tokens)
}

// renew wants that status for the refresh token, and takes the new access token if there is one.
func (p *player) renew(ctx context.Context, status int) error {
	into := any(&p.tokens)
	if status != http.StatusOK {
		into = nil
	}
	return p.call(ctx, "POST", "/auth/refresh", map[string]string{"refreshToken": p.tokens.RefreshToken}, status, into)
}

// keyOf returns the id of the key that has signed a token.
func keyOf(token string) (string, error) {
	header, _, _ := strings.Cut(token, ".")
	text, err := base64.RawURLEncoding.DecodeString(header)
	if err != nil {
		return "", err
	}
	var fields struct {
		KID string `json:"kid"`
	}
	return fields.KID, json.Unmarshal(text, &fields)
}
