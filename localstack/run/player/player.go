// Package player is a client of the service for tests that need the answer to each request. Unlike client.Client, it
// never refreshes a token by itself.
package player

import (
	"context"
	"fmt"
	"net/http"

	"github.com/ranch-game/ranch/shared/client"
)

// Password is the password of every player.
const Password = "correct horse"

// Player is a client of the API.
type Player struct {
	API, Email string
	Tokens     client.Tokens
}

// Register registers a player with that name and returns its client.
func Register(ctx context.Context, api, name string) (*Player, error) {
	p := &Player{API: api, Email: name + "@example.com"}
	account := client.Registration{Email: p.Email, Username: name, Password: Password, RanchName: "Sunny Acres"}
	return p, p.Call(ctx, "POST", "/auth/register", account, http.StatusCreated, &p.Tokens)
}

// Login replaces the player's tokens.
func (p *Player) Login(ctx context.Context) error {
	return p.Call(ctx, "POST", "/auth/login", map[string]string{"email": p.Email, "password": Password}, http.StatusOK, &p.Tokens)
}

// Refresh renews the tokens with the refresh token. It returns an error unless the answer has the given status. With
// status 200, it keeps the answer's new tokens.
func (p *Player) Refresh(ctx context.Context, status int) error {
	into := any(&p.Tokens)
	if status != http.StatusOK {
		into = nil
	}
	return p.Call(ctx, "POST", "/auth/refresh", map[string]string{"refreshToken": p.Tokens.RefreshToken}, status, into)
}

// Call sends a request with the access token. It returns an error unless the answer has the given status. It decodes
// the answer's body into the value at into; nil ignores the body.
func (p *Player) Call(ctx context.Context, method, path string, body any, status int, into any) error {
	transport := client.Transport{API: p.API}
	answer, err := transport.Send(ctx, client.Request{Method: method, Path: path, Token: p.Tokens.Token, Body: body})
	if err == nil {
		err = answer.Read(status, into)
	}
	if err != nil {
		return fmt.Errorf("the call of the player %s, %s %s, got the status %d instead of %d: %w", p.Email, method, path, answer.Status, status, err)
	}
	return nil
}
