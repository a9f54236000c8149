package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/ranch-game/ranch/shared/client"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/schedule"
	"github.com/ranch-game/ranch/shared/tally"
)

// patience is the time limit of each call. A log-in by a process that has just started takes less than a second.
const patience = 5 * time.Second

func job(api, stackID string) schedule.Job {
	p := player{transport: client.Transport{API: api, HTTP: &http.Client{Timeout: patience}}}
	p.username = "synthetic-" + derived("name", stackID)[:12]
	p.email, p.password = p.username+"@example.com", derived("password", stackID)
	return schedule.New("play-synthetic", p.play)
}

// derived returns a text for a purpose that only those can know who may look at the stack.
func derived(purpose, stackID string) string {
	sum := sha256.Sum256([]byte(purpose + " of " + stackID))
	return hex.EncodeToString(sum[:])
}

// player is a player that every stack has. Its name and its password follow from the stack's id, so that they need no
// storage.
type player struct {
	transport                 client.Transport
	email, username, password string
}

// errClosed means that an operator has closed the doors: the API answers as it should.
var errClosed = errors.New("the doors are closed")

// play logs in, reads the player and the shows, and refreshes the session. It enters no show. The first run of a stack
// registers the player. It repeats nothing: if a call fails, the run fails. If the doors are closed, the run succeeds,
// and its line says so.
func (p player) play(ctx context.Context, _ game.Instant) (schedule.Report, error) {
	calls, err := p.calls(ctx)
	closed := errors.Is(err, errClosed)
	if closed {
		err = nil
	}
	if err == nil {
		tally.Add(ctx, tally.SyntheticPlays, 1)
	}
	return schedule.Report{Line: []slog.Attr{slog.Int("calls", calls), slog.Bool("closed", closed)}, Always: []tally.Figure{tally.SyntheticPlays}}, err
}

func (p player) calls(ctx context.Context) (n int, err error) {
	var session client.Tokens
	call := func(method, path string, body, into any, wants ...int) (status int) {
		if err != nil {
			return 0
		}
		var answer client.Answer
		n++
		answer, err = p.transport.Send(ctx, client.Request{Method: method, Path: path, Token: session.Token, Body: body})
		if err != nil {
			err = fmt.Errorf("%s %s: %w", method, path, err)
			return 0
		}
		for i, want := range wants {
			if answer.Status != want {
				continue
			}
			if i == 0 {
				if err = json.Unmarshal(answer.Body, into); err != nil {
					err = fmt.Errorf("%s %s: %w", method, path, err)
				}
			}
			return answer.Status
		}
		var refusal struct{ Error string }
		if json.Unmarshal(answer.Body, &refusal) == nil && answer.Status == http.StatusServiceUnavailable && refusal.Error == "CLOSED" {
			err = errClosed
			return answer.Status
		}
		err = fmt.Errorf("%s %s: %d %.200s, want %v (request %s)", method, path, answer.Status, answer.Body, wants, answer.Header.Get("Apigw-Requestid"))
		return answer.Status
	}
	credentials := map[string]string{"email": p.email, "password": p.password}
	if call(http.MethodPost, "/auth/login", credentials, &session, http.StatusOK, http.StatusUnauthorized) == http.StatusUnauthorized {
		credentials["username"], credentials["ranchName"] = p.username, "Synthetic Ranch"
		call(http.MethodPost, "/auth/register", credentials, &session, http.StatusCreated)
	}
	var me struct{ Username string }
	call(http.MethodGet, "/me", nil, &me, http.StatusOK)
	if err == nil && me.Username != p.username {
		err = fmt.Errorf("GET /me: the player is %q, want %q", me.Username, p.username)
	}
	var shows []json.RawMessage
	call(http.MethodGet, "/events/shows", nil, &shows, http.StatusOK)
	refresh := map[string]string{"refreshToken": session.RefreshToken}
	call(http.MethodPost, "/auth/refresh", refresh, &session, http.StatusOK)
	return n, err
}
