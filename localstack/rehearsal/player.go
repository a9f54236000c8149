package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// player is a client of the API.
type player struct {
	api, email      string
	access, refresh string
}

const password = "a long password"

// call sends a request, wants that status, and decodes the answer into it, unless that is nil.
func (p *player) call(ctx context.Context, method, path string, body any, status int, into any) error {
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		sent = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, p.api+path, sent)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	if p.access != "" {
		request.Header.Set("Authorization", "Bearer "+p.access)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode != status {
		return fmt.Errorf("%s %s: %d %s, want %d", method, path, answer.StatusCode, text, status)
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s %s: %w: %s", method, path, err, text)
	}
	return nil
}

type tokens struct {
	Token        string `json:"token"`
	RefreshToken string `json:"refreshToken"`
}

// register makes an account.
func register(ctx context.Context, api, name string) (*player, error) {
	p := &player{api: api, email: name + "@example.com"}
	var got tokens
	body := map[string]string{"email": p.email, "username": name, "password": password, "ranchName": "Sunny Acres"}
	if err := p.call(ctx, "POST", "/auth/register", body, http.StatusCreated, &got); err != nil {
		return nil, err
	}
	p.access, p.refresh = got.Token, got.RefreshToken
	return p, nil
}

// login replaces the player's tokens.
func (p *player) login(ctx context.Context) error {
	var got tokens
	body := map[string]string{"email": p.email, "password": password}
	if err := p.call(ctx, "POST", "/auth/login", body, http.StatusOK, &got); err != nil {
		return err
	}
	p.access, p.refresh = got.Token, got.RefreshToken
	return nil
}

// renew wants that status for the refresh token, and takes the new access token if there is one.
func (p *player) renew(ctx context.Context, status int) error {
	var got tokens
	err := p.call(ctx, "POST", "/auth/refresh", map[string]string{"refreshToken": p.refresh}, status, &got)
	if got.Token != "" {
		p.access = got.Token
	}
	return err
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
