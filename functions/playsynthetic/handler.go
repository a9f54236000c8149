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

// patience is the time limit of each call to the API. A log-in takes less than a second, even in a new process.
const patience = 5 * time.Second

func job(api, stackID string) schedule.Job {
	// Lambda freezes the process between two runs. A connection may be dead when the next run begins, and no call is
	// repeated.
	connections := http.DefaultTransport.(*http.Transport).Clone()
	connections.DisableKeepAlives = true
	p := player{transport: client.Transport{API: api, HTTP: &http.Client{Timeout: patience, Transport: connections}}}
	p.username = "synthetic-" + derived("name", stackID)[:12]
	p.email, p.password = p.username+"@example.com", derived("password", stackID)
	return schedule.New("play-synthetic", p.play)
}

// derived returns a text that only people who may look at the stack, and so know its id, can compute.
func derived(purpose, stackID string) string {
	sum := sha256.Sum256([]byte(purpose + " of " + stackID))
	return hex.EncodeToString(sum[:])
}

// player is the synthetic player of a stack. Nothing stores the name and password: they are derived from the stack's
// id.
type player struct {
	transport                 client.Transport
	email, username, password string
}

// errClosed means that an operator has closed the API. The API then works as it should.
var errClosed = errors.New("an operator has closed the API for maintenance: every answer is a 503")

// play logs in, reads the player and the shows, and refreshes the session. It enters no show. If the log-in gets a 401,
// as in a stack's first run, play registers the player. If a call fails, play returns the call's error and repeats
// nothing. If an operator has closed the API, the run succeeds, and its log line has closed=true.
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
	call := func(method, path string, body, into any, want int) {
		if err != nil {
			return
		}
		n++
		answer, failure := p.transport.Send(ctx, client.Request{Method: method, Path: path, Token: session.Token, Body: body})
		if failure == nil {
			failure = answer.Read(want, into)
		}
		switch {
		case failure == nil:
		case client.CodeOf(failure) == client.Closed:
			err = errClosed
		case answer.Status != 0 && answer.Status != want: // with the wanted status, the body may have tokens
			err = fmt.Errorf("%s %s answered %d %.200s instead of the status %d: look for the request %s in the log: %w",
				method, path, answer.Status, answer.Body, want, answer.Header.Get("Apigw-Requestid"), failure)
		default:
			err = fmt.Errorf("%s %s: %w", method, path, failure)
		}
	}
	credentials := map[string]string{"email": p.email, "password": p.password}
	call(http.MethodPost, "/auth/login", credentials, &session, http.StatusOK)
	if refusal, ok := errors.AsType[*client.Error](err); ok && refusal.Status == http.StatusUnauthorized {
		err = nil
		credentials["username"], credentials["ranchName"] = p.username, "Synthetic Ranch"
		call(http.MethodPost, "/auth/register", credentials, &session, http.StatusCreated)
	}
	var me struct{ Username string }
	call(http.MethodGet, "/me", nil, &me, http.StatusOK)
	if err == nil && me.Username != p.username {
		err = fmt.Errorf("GET /me answered with the player %q instead of %q: the access token of the log-in names another user", me.Username, p.username)
	}
	var shows []json.RawMessage
	call(http.MethodGet, "/events/shows", nil, &shows, http.StatusOK)
	refresh := map[string]string{"refreshToken": session.RefreshToken}
	call(http.MethodPost, "/auth/refresh", refresh, &session, http.StatusOK)
	return n, err
}
