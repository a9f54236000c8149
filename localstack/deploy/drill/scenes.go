package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/ranch-game/ranch/localstack/deploy/runbook"
	"github.com/ranch-game/ranch/localstack/dynamo/capacity"
	"github.com/ranch-game/ranch/localstack/sam/gateway"
	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// scene brings an alarm about.
type scene struct {
	alarm string
	fault string // in words
	// round makes the calls of a period, with the fault and without it. begin brings the fault about, and end takes it
	// away.
	round, begin, end func(context.Context, *drill) error
	parameters        map[string]string // of the template, where the default is for more calls than a drill makes
	// exit and says are what the runbook's command ends with, and what is in its output, while there is the fault.
	exit int
	says string
}

// scenes are in the order of the template's alarms.
var scenes = []scene{
	{
		alarm: "FaultsAlarm", fault: "the table is gone",
		round: calls(4, "GET", "/animals"), begin: table(gone), end: table(nil),
		exit: 1, says: "there is no table",
	},
	{
		alarm: "FaultsBurnAlarm", fault: "the table is gone",
		round: calls(20, "GET", "/animals"), begin: table(gone), end: table(nil),
		exit: 1, says: "there is no table",
	},
	{
		alarm: "LatencyAlarm", fault: "the table answers after longer than an attempt lasts",
		round: calls(1, "GET", "/animals"), begin: table(slow), end: table(nil),
		exit: 1, says: "real",
	},
	{
		alarm: "AuthThrottlesAlarm", fault: "no log-in may run",
		round: logIns(5), begin: reserve("Login", 0), end: reserve("Login", gateway.Unreserved),
		says: "PasswordConcurrency=20",
	},
	{
		alarm: "PlayThrottlesAlarm", fault: "no list of animals may run",
		round: calls(5, "GET", "/animals"), begin: reserve("ListAnimals", 0), end: reserve("ListAnimals", gateway.Unreserved),
		says: "EnterConcurrency=400",
	},
	{
		alarm: "TableThrottlesAlarm", fault: "a key serves a read a second",
		round: calls(5, "GET", "/animals"), begin: limited(capacity.Options{PartitionRead: 1}), end: limited(capacity.Options{}),
		says: "TIER",
	},
	{
		alarm: "ConflictsAlarm", fault: "two of three transactions meet another one",
		round: entries(3, false), begin: table(conflicting()), end: table(nil),
		says: "The Drill",
	},
	{
		alarm: "RefreshRefusalsAlarm", fault: "the refresh tokens' records are lost",
		round: refreshes(60), begin: loseSessions, end: returnSessions,
		says: "k1",
	},
	{
		alarm: "LedgerDriftAlarm", fault: "somebody has changed a balance by hand",
		round: scheduled("AuditLedgers"), begin: addGold("1"), end: addGold("-1"),
		exit: 1, says: "1 differences in 1 of 1 ledgers",
	},
	{
		alarm: "AuditAlarm", fault: "the audit does not run",
		round: untilTold(scheduled("AuditLedgers"), calls(1, "GET", "/animals")), begin: tell, end: tellNoMore,
		says: "1 of 1 ledgers are right",
	},
	{
		alarm: "JudgeDueAlarm", fault: "the table is gone",
		round: scheduled("JudgeDue"), begin: table(gone), end: table(nil),
		exit: 1, says: "there is no table",
	},
	{
		alarm: "EarlyJudgingsAlarm", fault: "a player judges the shows that only they have entered",
		round: untilTold(entries(1, false), entries(3, true)), begin: tell, end: tellNoMore,
		says: "completed",
	},
	{
		alarm: "KeysAlarm", fault: "the secret is no JSON",
		round: refreshesUntilKeysAge, begin: spoilKeys, end: mendKeys,
		exit: 1, says: "no JSON object",
	},
	{
		alarm: "CostAlarm", fault: "a client calls without end",
		round: untilTold(calls(2, "GET", "/animals"), calls(40, "GET", "/animals")), begin: tell, end: tellNoMore,
		parameters: map[string]string{"HourlyCostLimit": "0.00002"},
		says:       "$ a month",
	},
}

// check compares the lists of alarms: each has a scene and a section of the runbook, and there are no others.
func check(t *samtemplate.Template, scenes []scene, sections []runbook.Section) error {
	var alarms, played, described []string
	for _, a := range t.Alarms {
		alarms = append(alarms, a.LogicalID)
	}
	for _, s := range scenes {
		played = append(played, s.alarm)
	}
	for _, s := range sections {
		described = append(described, s.Alarm)
	}
	return errors.Join(
		missing(alarms, played, "the alarm %s has no scene in the drill"), missing(played, alarms, "the drill plays %s, which is no alarm"),
		missing(alarms, described, "the alarm %s has no section in "+runbook.Page), missing(described, alarms, runbook.Page+" has a section on %s, which is no alarm"))
}

// missing returns an error for each that the others have not.
func missing(all, others []string, format string) (err error) {
	for _, one := range all {
		if !slices.Contains(others, one) {
			err = errors.Join(err, fmt.Errorf(format, one))
		}
	}
	return err
}

// calls makes n calls.
func calls(n int, method, path string) func(context.Context, *drill) error {
	return func(ctx context.Context, d *drill) error { return d.players.repeat(ctx, n, method, path, nil) }
}

// logIns makes n log-ins.
func logIns(n int) func(context.Context, *drill) error {
	return func(ctx context.Context, d *drill) error {
		return d.players.repeat(ctx, n, http.MethodPost, "/auth/login", map[string]string{"email": d.players.email, "password": password})
	}
}

// refreshes presents the player's refresh token n times.
func refreshes(n int) func(context.Context, *drill) error {
	return func(ctx context.Context, d *drill) error {
		return d.players.repeat(ctx, n, http.MethodPost, "/auth/refresh", map[string]string{"refreshToken": d.players.tokens.RefreshToken})
	}
}

// scheduled runs a function as its schedule does, counts as Lambda does whether it failed, and returns once it has
// written its line.
func scheduled(function string) func(context.Context, *drill) error {
	return func(ctx context.Context, d *drill) error {
		before, failed := d.linesOf(function), 0.0
		if _, err := d.stack.Invoke(ctx, function, []byte("{}")); ctx.Err() != nil {
			return err
		} else if err != nil {
			failed = 1
		}
		d.count("AWS/Lambda", "Errors", map[string]string{"FunctionName": function}, failed)
		return d.await(ctx, "line of "+function, func() bool { return d.linesOf(function) > before })
	}
}

// entries has the player enter all animals in so many new shows, and then judge these, or not.
func entries(shows int, judged bool) func(context.Context, *drill) error {
	return func(ctx context.Context, d *drill) error {
		for range shows {
			id, err := d.players.show(ctx)
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
