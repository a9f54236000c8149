package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
	"github.com/ranch-game/ranch/localstack/dynamo/faults"
	"github.com/ranch-game/ranch/localstack/run/player"
	"github.com/ranch-game/ranch/localstack/sam/gateway"
	"github.com/ranch-game/ranch/shared/game"
)

// action is one step of a scene.
type action func(context.Context, *drill) error

// scene makes an alarm fire.
type scene struct {
	alarm, fault string // the latter in words
	// round makes the calls of a period. faulty, if not nil, replaces round while the fault lasts.
	round, faulty action
	table         faults.Fault // how the table fails
	reads         float64      // reads of a key that the table serves in a second
	off           string       // the function whose schedule is off
	reserved      string       // the function without concurrency
	limited       string       // the function whose route takes one request
	// begin causes any other fault, and returns its end.
	begin func(context.Context, *drill) (end action, err error)

	// also are the other alarms that the fault must fire before it ends. The alarms in perhaps can fire, too, since
	// that depends on the duration of the calls.
	also, perhaps []string

	parameters map[string]string // parameters of the template whose defaults suit more calls
	// exit is the exit code of the runbook's command during the fault, and prints is a part of its output.
	exit   int
	prints string
}

// start causes the scene's fault. It returns the action that ends the fault. The caller must run end also after an
// error.
func (s scene) start(ctx context.Context, d *drill) (end action, err error) {
	d.off = s.off
	if s.table != nil {
		d.cloud.fail(s.table)
	}
	if s.reads > 0 {
		d.cloud.limit(capacity.Options{PartitionRead: s.reads})
	}
	if s.reserved != "" {
		err = d.stack.Reserve(s.reserved, 0)
	}
	if s.limited != "" {
		err = errors.Join(err, d.stack.Limit(s.limited, gateway.Throttle{Rate: 1e-9, Burst: 1}))
	}
	var begun action
	if s.begin != nil {
		begun, err = s.begin(ctx, d)
	}
	return func(ctx context.Context, d *drill) (err error) {
		d.off = ""
		d.cloud.fail(faults.Pass)
		if s.reads > 0 {
			d.cloud.limit(capacity.Options{})
		}
		if s.reserved != "" {
			err = d.stack.Reserve(s.reserved, gateway.Unreserved)
		}
		if s.limited != "" {
			err = errors.Join(err, d.stack.Limit(s.limited, gateway.Throttle{}))
		}
		if begun != nil {
			err = errors.Join(err, begun(ctx, d))
		}
		return err
	}, err
}

// expects returns an error unless the other alarms that have fired are the alarms that the scene expects.
func (s scene) expects(fired []string) error {
	for _, name := range s.also {
		if !slices.Contains(fired, name) {
			return fmt.Errorf("%s did not fire as well, which the scene expects", name)
		}
	}
	for _, name := range fired {
		if !slices.Contains(s.also, name) && !slices.Contains(s.perhaps, name) {
			return fmt.Errorf("%s fired as well, which the scene does not expect", name)
		}
	}
	return nil
}

// scenes are in the order of the template's alarms.
var scenes = []scene{
	{
		alarm: "FaultsAlarm", fault: "the table is gone", round: calls(4, "GET", "/animals"), table: gone,
		exit: 1, prints: "there is no table",
	},
	{
		alarm: "SyntheticAlarm", fault: "nobody calls, and no player may be looked at", round: calls(0, "GET", "/me"), reserved: "GetMe",
		prints: "REFUNDED",
	},
	{
		alarm: "FaultsBurnAlarm", fault: "the table is gone", round: calls(20, "GET", "/animals"), table: gone,
		exit: 1, prints: "there is no table",
		also: []string{"SyntheticAlarm", "UnfinishedWorkAlarm", "JudgeDueAlarm", "BrowseFaultsAlarm"},
	},
	{
		alarm: "LatencyAlarm", fault: "the table answers after longer than an attempt lasts", round: calls(1, "GET", "/animals"), table: slow,
		exit: 1, prints: "real",
		also: []string{"SyntheticAlarm", "AuthFaultsAlarm", "BrowseFaultsAlarm", "BrowseLatencyAlarm"}, perhaps: []string{"AuthLatencyAlarm"},
	},
	{
		alarm: "AuthFaultsAlarm", fault: "one version of one function has lost a right: one registration a minute", round: logIns(1), faulty: signUps(1),
		table: only(gone), prints: "TIER",
	},
	{
		alarm: "BrowseFaultsAlarm", fault: "the same for one list of animals a minute", round: logIns(1), faulty: calls(1, "GET", "/animals"),
		table: only(gone), prints: "TIER",
	},
	{
		alarm: "ShowFaultsAlarm", fault: "the same for one judging a minute", round: logIns(1),
		faulty: calls(1, "POST", "/events/shows/00000000-0000-4000-8000-000000000000/judge"), table: only(gone), prints: "TIER",
	},
	{
		alarm: "AuthLatencyAlarm", fault: "one version of one function crashes: one log-out a minute", round: logIns(1),
		faulty: logOuts(1), begin: crashing("Logout"), prints: "TIER",
	},
	{
		alarm: "BrowseLatencyAlarm", fault: "one version of one function is slow: one look at the season a minute", round: logIns(1),
		faulty: calls(1, "GET", "/events/season"), table: only(late), prints: "TIER",
	},
	{
		alarm: "ShowLatencyAlarm", fault: "the same as for log-outs, for one claim a minute", round: logIns(1),
		faulty: calls(1, "POST", "/events/shows/00000000-0000-4000-8000-000000000000/claim-reward"), begin: crashing("ClaimReward"), prints: "TIER",
	},
	{
		alarm: "AuthThrottlesAlarm", fault: "no log-in may run", round: logIns(5), reserved: "Login",
		prints: "PasswordConcurrency=20",
		also:   []string{"FaultsAlarm"}, // the gateway answers 503
	},
	{
		alarm: "PlayThrottlesAlarm", fault: "no list of animals may run", round: calls(5, "GET", "/animals"), reserved: "ListAnimals",
		prints: "EnterConcurrency=400",
		also:   []string{"FaultsAlarm"},
	},
	{
		alarm: "TableThrottlesAlarm", fault: "a key serves a read a second", round: calls(5, "GET", "/animals"), reads: 1,
		prints:  "TIER",
		perhaps: []string{"FaultsAlarm", "LatencyAlarm", "SyntheticAlarm", "AuthFaultsAlarm", "BrowseFaultsAlarm", "AuthLatencyAlarm", "BrowseLatencyAlarm"},
	},
	{
		alarm: "ConflictsAlarm", fault: "two of three transactions meet another one", round: entries(3, false), table: conflicting(),
		prints: "The Drill",
	},
	{
		alarm: "RefreshRefusalsAlarm", fault: "the refresh tokens' records are lost", round: refreshes(60), begin: loseSessions,
		prints: "k1",
	},
	{
		alarm: "LedgerDriftAlarm", fault: "somebody has changed a balance by hand", round: scheduled("AuditLedgers"), begin: spoilLedger,
		exit: 1, prints: "1 differences in 1 of 2 ledgers",
	},
	{
		alarm: "UnfinishedWorkAlarm", fault: "a record of an entry is damaged, so that its fee cannot be given back", round: calls(1, "GET", "/animals"), begin: breakOffRefunds,
		exit: 1, prints: "pending work: 1",
	},
	{
		alarm: "AuditAlarm", fault: "the audit does not run", round: scheduled("AuditLedgers"), faulty: calls(1, "GET", "/animals"),
		prints: "2 of 2 ledgers are right",
	},
	{
		alarm: "JudgeDueAlarm", fault: "its schedule is off", round: calls(1, "GET", "/animals"), off: "JudgeDue",
		prints: "Nothing is pending.",
	},
	{
		alarm: "EarlyJudgingsAlarm", fault: "a player judges the shows that only they have entered", round: entries(1, false), faulty: entries(3, true),
		prints: "completed",
	},
	{
		alarm: "KeysAlarm", fault: "the secret is no JSON", round: refreshesUntilKeysAge, begin: spoilKeys,
		exit: 1, prints: "is not a JSON object",
	},
	{
		alarm: "CostAlarm", fault: "a client calls without end", round: calls(2, "GET", "/animals"), faulty: calls(40, "GET", "/animals"),
		parameters: map[string]string{"HourlyCostLimit": "0.00002"}, prints: "$ a month",
	},
	{
		alarm: "TooManyRequestsAlarm", fault: "a machine without an account sends empty log-ins", round: logIns(1), faulty: logInsWith(62, "", ""),
		limited: "Login", prints: "LoginRate: {Type: Number, Default: 20",
	},
	{
		alarm: "FailedLoginsAlarm", fault: "a machine guesses passwords", round: logIns(1), faulty: guesses(61),
		prints: "FailedLoginsAMinute",
	},
	{
		alarm: "SignUpsAlarm", fault: "a machine makes accounts", round: logIns(1), faulty: signUps(61),
		prints: "RegisterRate",
	},
}

// calls makes n calls.
func calls(n int, method, path string) action {
	return func(ctx context.Context, d *drill) error { return d.players.repeat(ctx, n, method, path, nil) }
}

// logIns makes n log-ins.
func logIns(n int) action {
	return func(ctx context.Context, d *drill) error {
		return logInsWith(n, d.players.Email, player.Password)(ctx, d)
	}
}

// guesses makes n log-ins with a wrong password.
func guesses(n int) action {
	return func(ctx context.Context, d *drill) error {
		return logInsWith(n, d.players.Email, "a wrong password")(ctx, d)
	}
}

func logInsWith(n int, email, password string) action {
	return func(ctx context.Context, d *drill) error {
		return d.players.repeat(ctx, n, http.MethodPost, "/auth/login", map[string]string{"email": email, "password": password})
	}
}

// logOuts ends no session n times.
func logOuts(n int) action {
	return func(ctx context.Context, d *drill) error {
		return d.players.repeat(ctx, n, http.MethodPost, "/auth/logout", map[string]string{"refreshToken": d.players.Tokens.RefreshToken + "x"})
	}
}

// signUps registers n players.
func signUps(n int) action {
	return func(ctx context.Context, d *drill) error {
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(atOnce)
		for range n {
			group.Go(func() error {
				name := strings.ReplaceAll(string(game.NewID()), "-", "")[:20]
				_, err := d.players.call(ctx, http.MethodPost, "/auth/register", map[string]string{
					"email": name + "@example.com", "username": name, "password": player.Password, "ranchName": "A Ranch",
				})
				return err
			})
		}
		return group.Wait()
	}
}

// refreshes presents the player's refresh token n times.
func refreshes(n int) action {
	return func(ctx context.Context, d *drill) error {
		return d.players.repeat(ctx, n, http.MethodPost, "/auth/refresh", map[string]string{"refreshToken": d.players.Tokens.RefreshToken})
	}
}

// scheduled returns an action that runs a function as its schedule does, and waits for the line in the function's log.
// A run that fails is no error of the action.
func scheduled(function string) action {
	return func(ctx context.Context, d *drill) error {
		before := d.linesAbout(function)
		if _, err := d.stack.Invoke(ctx, function, []byte("{}")); ctx.Err() != nil {
			return err
		}
		return d.awaitLines(ctx, function, before+1)
	}
}

// entries returns an action in which the player enters all animals in each of several new shows. If judged is true, the
// player also judges the shows.
func entries(shows int, judged bool) action {
	return func(ctx context.Context, d *drill) error {
		for range shows {
			id, err := d.players.show(ctx, "0")
			if err != nil {
				return err
			}
			path := "/events/shows/" + id
			for _, animal := range d.players.animals {
				if _, err := d.players.call(ctx, http.MethodPost, path+"/enter", map[string]string{"animalId": animal.ID}); err != nil {
					return err
				}
			}
			if judged {
				if _, err := d.players.call(ctx, http.MethodPost, path+"/judge", nil); err != nil {
					return err
				}
			}
		}
		return nil
	}
}
