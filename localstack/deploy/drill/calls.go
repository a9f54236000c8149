package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/ranch-game/ranch/localstack/run/player"
	"github.com/ranch-game/ranch/shared/client"
	"github.com/ranch-game/ranch/shared/game"
)

// atOnce returns how many calls a period may make at the same time. If all calls of the period count in the same
// minute, it returns 4, which keeps two cores busy. In a longer period it returns 1: a call that ends after the clock
// has moved to the next call's minute would count in that minute.
func (d *drill) atOnce() int {
	if d.end.Sub(d.now) > time.Minute {
		return 1
	}
	return 4
}

// ofPlayers is the X-Ray trace of all players' calls. Their requests to the table also carry it, so that a fault can
// strike only these. The calls of the synthetic player, a scheduled test, have other traces.
const ofPlayers = "Root=1-00000000-0000000000000000000d0000"

// players makes the players' calls. It has one player with a session, and creates shows for the player's entries.
type players struct {
	*player.Player
	drill   *drill
	animals []client.Animal
}

func newPlayers(ctx context.Context, d *drill) (p *players, err error) {
	p = &players{drill: d}
	if err := d.operate(ctx, nil, "season", "create", "--name", "Drill", "--start", "-1h", "--end", "+24h", "--activate"); err != nil {
		return nil, err
	}
	if p.Player, err = player.Register(ctx, d.stack.API, newName()); err != nil {
		return nil, err
	}
	return p, p.Call(ctx, "GET", "/animals", nil, http.StatusOK, &p.animals)
}

// newName returns a user name that no player has.
func newName() string { return strings.ReplaceAll(string(game.NewID()), "-", "")[:20] }

// show creates an open rookie show with a fee, in gold, and returns the show's id.
func (p *players) show(ctx context.Context, fee string) (id string, err error) {
	var show struct{ ID string }
	err = p.drill.operate(ctx, &show, "show", "create", "--name", "The Drill", "--tier", game.TierRookie, "--fee", fee, "--closes-in", "1h", "-o", "json")
	return show.ID, err
}

// call makes a call and counts it as API Gateway does. It returns when the access log has a line about the call, and
// the function has written its own line if it was called.
func (p *players) call(ctx context.Context, method, path string, body any) (client.Answer, error) {
	p.drill.next()
	began := time.Now()
	transport := client.Transport{API: p.API}
	a, err := transport.Send(ctx, client.Request{
		Method: method, Path: path, Token: p.Tokens.Token, Body: body, Header: http.Header{"X-Amzn-Trace-Id": {ofPlayers}},
	})
	if err != nil {
		return a, err
	}
	ofAPI := map[string]string{"ApiId": apiID}
	p.drill.count("AWS/ApiGateway", "Latency", ofAPI, float64(time.Since(began).Milliseconds()))
	p.drill.count("AWS/ApiGateway", "Count", ofAPI, 1)
	for name, from := range map[string]int{"4xx": 400, "5xx": 500} {
		value := 0.0
		if a.Status >= from && a.Status < from+100 {
			value = 1
		}
		p.drill.count("AWS/ApiGateway", name, ofAPI, value)
	}
	request := a.Header.Get("Apigw-Requestid")
	if err := p.drill.awaitLines(ctx, accessed(request), 1); err != nil {
		return a, err
	}
	if a.Status >= 400 && !gjson.GetBytes(a.Body, "error").Exists() {
		return a, nil // the gateway itself may have answered: then no function writes a line
	}
	return a, p.drill.awaitLines(ctx, request, 1)
}

// requestOf returns the API Gateway request id in a line of a function's log, or "" if the line has none.
func requestOf(line string) string {
	var record struct {
		RequestID string `json:"request_id"`
	}
	_ = json.Unmarshal([]byte(line), &record)
	return record.RequestID
}

// linesAbout returns the number of log lines so far. what is a function's name, a request id, or accessed's result.
func (d *drill) linesAbout(what string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.lines[what]
}

// awaitLines waits until linesAbout(what) is at least n. A line can arrive after the answer to its request.
func (d *drill) awaitLines(ctx context.Context, what string, n int) error {
	poll := time.NewTicker(2 * time.Millisecond)
	defer poll.Stop()
	for d.linesAbout(what) < n {
		select {
		case <-ctx.Done():
			return fmt.Errorf("no line about %s: %w", what, ctx.Err())
		case <-poll.C:
		}
	}
	return nil
}
