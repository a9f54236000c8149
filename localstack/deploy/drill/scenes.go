package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
	"github.com/ranch-game/ranch/localstack/run/player"
)

// action is one step of a scene.
type action func(context.Context, *drill) error

// fault causes a fault and returns the action end, which ends it. After an error the fault may have begun: unless end
// is nil, the caller must run end.
type fault func(context.Context, *drill) (end action, err error)

// scene makes an alarm fire.
type scene struct {
	alarm string
	// round makes the calls of a period. faulty, if not nil, replaces round while the fault lasts.
	round, faulty action
	fault         fault  // nil: only the calls of faulty
	what          string // the fault in words

	// also are the other alarms that must fire in the scene. The alarms in perhaps may fire, too: whether they do
	// depends on the duration of the calls.
	also, perhaps []string

	parameters map[string]string // for alarms that need more calls with the template's defaults
	// exit is the exit code of the runbook's command during the fault, and prints is a part of its output.
	exit   int
	prints string
}

// expects returns an error unless fired, the other alarms that have fired, are as the scene expects.
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
		alarm: "FaultsAlarm", what: "the table is gone", round: calls(4, "GET", "/animals"), fault: table(gone),
		exit: 1, prints: "there is no table",
	},
	{
		alarm: "SyntheticAlarm", what: "no player calls, and GetMe may not run", round: calls(0, "GET", "/me"), fault: notRunning("GetMe"),
		prints: "REFUNDED",
	},
	{
		alarm: "FaultsBurnAlarm", what: "the table is gone", round: calls(20, "GET", "/animals"), fault: table(gone),
		exit: 1, prints: "there is no table",
		also: []string{"SyntheticAlarm", "UnfinishedWorkAlarm", "JudgeDueAlarm", "BrowseFaultsAlarm"},
	},
	{
		alarm: "LatencyAlarm", what: "the table answers after longer than an attempt lasts", round: calls(1, "GET", "/animals"), fault: table(slow),
		exit: 1, prints: "real",
		also: []string{"SyntheticAlarm", "AuthFaultsAlarm", "BrowseFaultsAlarm", "BrowseLatencyAlarm"}, perhaps: []string{"AuthLatencyAlarm"},
	},
	{
		alarm: "AuthFaultsAlarm", what: "one version of one function has lost a right: one registration a minute", round: logIns(1), faulty: signUps(1),
		fault: table(only(gone)), prints: "TIER",
	},
	{
		alarm: "BrowseFaultsAlarm", what: "the same for one list of animals a minute", round: logIns(1), faulty: calls(1, "GET", "/animals"),
		fault: table(only(gone)), prints: "TIER",
	},
	{
		alarm: "ShowFaultsAlarm", what: "the same for one judging a minute", round: logIns(1),
		faulty: calls(1, "POST", "/events/shows/00000000-0000-4000-8000-000000000000/judge"), fault: table(only(gone)), prints: "TIER",
	},
	{
		alarm: "AuthLatencyAlarm", what: "one version of one function crashes: one log-out a minute", round: logIns(1),
		faulty: logOuts(1), fault: crashing("Logout"), prints: "TIER",
	},
	{
		alarm: "BrowseLatencyAlarm", what: "one version of one function is slow: one look at the season a minute", round: logIns(1),
		faulty: calls(1, "GET", "/events/season"), fault: table(only(late)), prints: "TIER",
	},
	{
		alarm: "ShowLatencyAlarm", what: "the same as for log-outs, for one claim a minute", round: logIns(1),
		faulty: calls(1, "POST", "/events/shows/00000000-0000-4000-8000-000000000000/claim-reward"), fault: crashing("ClaimReward"), prints: "TIER",
	},
	{
		alarm: "AuthThrottlesAlarm", what: "no log-in may run", round: logIns(5), fault: notRunning("Login"),
		prints: "PasswordConcurrency=20",
		also:   []string{"FaultsAlarm"}, // the gateway answers 503
	},
	{
		alarm: "PlayThrottlesAlarm", what: "no list of animals may run", round: calls(5, "GET", "/animals"), fault: notRunning("ListAnimals"),
		prints: "EnterConcurrency=400",
		also:   []string{"FaultsAlarm"},
	},
	{
		alarm: "TableThrottlesAlarm", what: "a key serves a read a second", round: calls(5, "GET", "/animals"), fault: limits(capacity.Options{PartitionRead: 1}),
		prints:  "TIER",
		perhaps: []string{"FaultsAlarm", "LatencyAlarm", "SyntheticAlarm", "AuthFaultsAlarm", "BrowseFaultsAlarm", "AuthLatencyAlarm", "BrowseLatencyAlarm"},
	},
	{
		alarm: "ConflictsAlarm", what: "two of three transactions meet another one", round: entries(3, false), fault: table(conflicting()),
		prints: "The Drill",
	},
	{
		alarm: "RefreshRefusalsAlarm", what: "the refresh tokens' records are lost", round: refreshes(60), fault: loseSessions,
		prints: "k1",
	},
	{
		alarm: "LedgerDriftAlarm", what: "a balance was changed by hand", round: scheduled("AuditLedgers"), fault: spoilLedger,
		exit: 1, prints: "1 differences in 1 of 2 ledgers",
	},
	{
		alarm: "UnfinishedWorkAlarm", what: "a record of an entry is damaged, so that its fee cannot be given back", round: calls(1, "GET", "/animals"), fault: breakOffRefunds,
		exit: 1, prints: "pending work: 1",
	},
	{
		alarm: "AuditAlarm", what: "the audit does not run", round: scheduled("AuditLedgers"), faulty: calls(1, "GET", "/animals"),
		prints: "2 of 2 ledgers are right",
	},
	{
		alarm: "JudgeDueAlarm", what: "its schedule is off", round: calls(1, "GET", "/animals"), fault: notScheduled("JudgeDue"),
		prints: "Nothing is pending.",
	},
	{
		alarm: "EarlyJudgingsAlarm", what: "a player judges the shows that only they have entered", round: entries(1, false), faulty: entries(3, true),
		prints: "completed",
	},
	{
		alarm: "KeysAlarm", what: "the secret is no JSON", round: refreshesUntilKeysAge, fault: spoilKeys,
		exit: 1, prints: "is not a JSON object",
	},
	{
		alarm: "CostAlarm", what: "a client calls without end", round: calls(2, "GET", "/animals"), faulty: calls(40, "GET", "/animals"),
		parameters: map[string]string{"HourlyCostLimit": "0.00002"}, prints: "$ a month",
	},
	{
		alarm: "TooManyRequestsAlarm", what: "a machine without an account sends empty log-ins", round: logIns(1), faulty: calls(62, "POST", "/auth/login"),
		fault: oneRequest("Login"), prints: "LoginRate: {Type: Number, Default: 20",
	},
	{
		alarm: "FailedLoginsAlarm", what: "a machine guesses passwords", round: logIns(1), faulty: guesses(61),
		prints: "FailedLoginsAMinute",
	},
	{
		alarm: "SignUpsAlarm", what: "a machine makes accounts", round: logIns(1), faulty: signUps(61),
		prints: "RegisterRate",
	},
}

// calls makes the same call n times.
func calls(n int, method, path string) action {
	return requests(n, method, path, func(*players) any { return nil })
}

func logIns(n int) action {
	return requests(n, http.MethodPost, "/auth/login", func(p *players) any {
		return map[string]string{"email": p.Email, "password": player.Password}
	})
}

// guesses makes n log-ins with a wrong password.
func guesses(n int) action {
	return requests(n, http.MethodPost, "/auth/login", func(p *players) any {
		return map[string]string{"email": p.Email, "password": "a wrong password"}
	})
}

// logOuts makes n log-outs with an unknown refresh token.
func logOuts(n int) action {
	return requests(n, http.MethodPost, "/auth/logout", func(p *players) any {
		return map[string]string{"refreshToken": p.Tokens.RefreshToken + "x"}
	})
}

// refreshes presents the player's refresh token n times.
func refreshes(n int) action {
	return requests(n, http.MethodPost, "/auth/refresh", func(p *players) any {
		return map[string]string{"refreshToken": p.Tokens.RefreshToken}
	})
}

func signUps(n int) action {
	return requests(n, http.MethodPost, "/auth/register", func(*players) any {
		name := newName()
		return map[string]string{"email": name + "@example.com", "username": name, "password": player.Password, "ranchName": "A Ranch"}
	})
}

// requests makes n requests. body returns the body of each; nil means no body. The action returns an error only if a
// request gets no answer: an error status is no error of the action.
func requests(n int, method, path string, body func(*players) any) action {
	return func(ctx context.Context, d *drill) error {
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(d.atOnce())
		for range n {
			group.Go(func() error {
				_, err := d.players.call(ctx, method, path, body(d.players))
				return err
			})
		}
		return group.Wait()
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
