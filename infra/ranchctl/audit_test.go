package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/store"
)

// An audit lists what was changed in the last 30 days, or what it is asked for.
func TestAudit(t *testing.T) {
	x := newTool(t)
	ann, bob := x.AddPlayer(t, storetest.Ann), x.AddPlayer(t, storetest.Bob)
	operator := func(ago time.Duration, by, reason string) store.Operator {
		return x.Store.Operator(store.NewChange(by, reason, x.Now.Add(-ago)))
	}
	const day = 24 * time.Hour
	for _, err := range []error{
		operator(40*day, "arn:aws:iam::123456789012:user/Eve", "").Ban(t.Context(), ann.ID),
		operator(20*day, "arn:aws:iam::123456789012:user/Eve", "=cheated\x1b[2J").Ban(t.Context(), bob.ID),
		operator(day, "local:dan", "an appeal").Unban(t.Context(), bob.ID),
		operator(-time.Minute, "local:dan", "").RevokeSessions(t.Context(), ann.ID), // of a clock that is ahead
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	const (
		first  = `2026-10-11T09:30:00.000Z,"arn:aws:iam::123456789012:user/Eve","ban","user ANN","status: active -> banned, sessionsFrom: - -> 2026-11-20T09:30:00.001Z",`
		second = `2026-10-31T09:30:00.000Z,"arn:aws:iam::123456789012:user/Eve","ban","user BOB","status: active -> banned, sessionsFrom: - -> 2026-11-20T09:30:00.001Z","'=cheated\x1b[2J"`
		third  = `2026-11-19T09:30:00.000Z,"local:dan","unban","user BOB","status: banned -> active","an appeal"`
		fourth = `2026-11-20T09:31:00.000Z,"local:dan","revoke sessions","user ANN","sessionsFrom: 2026-11-20T09:30:00.001Z -> 2026-11-20T09:31:00.001Z",`
	)
	name := strings.NewReplacer(string(ann.ID), "ANN", string(bob.ID), "BOB")
	for _, c := range []struct {
		args []string
		want []string
	}{
		{nil, []string{second, third, fourth}},
		{[]string{"--since", "2026-01-01T00:00:00Z"}, []string{first, second, third, fourth}},
		{[]string{"--since", "-60d", "--until", "-2d"}, []string{first, second}},
		{[]string{"--subject", strings.ToUpper(string(bob.ID))}, []string{second, third}},
		{[]string{"--by", "user/eve"}, []string{second}},
		{[]string{"--action", "Ban"}, []string{second}},
		{[]string{"--action", "ba"}, nil},
		{[]string{"--action", "unban", "--subject", string(ann.ID)}, nil},
	} {
		stdout, stderr, exit := x.run(append([]string{"audit", "-o", "csv"}, c.args...)...)
		got := strings.Split(strings.TrimSuffix(name.Replace(stdout), "\n"), "\n")
		if exit != exitDone || stderr != "" {
			t.Errorf("%v: exit %d: %s", c.args, exit, stderr)
		}
		storetest.Equal(t, strings.Join(c.args, " "), got, append([]string{"time,by,action,subject,change,reason"}, c.want...))
	}
	var records []store.AuditRecord
	if x.json(&records, "audit", "--action", "unban"); len(records) != 1 || records[0].Reason != "an appeal" || !json.Valid(records[0].Before) {
		t.Errorf("%+v", records)
	}
	x.refused(2, "--since must come before --until", "audit", "--since", "-1d", "--until", "-2d")
	x.refused(2, "neither RFC 3339 nor relative", "audit", "--since", "yesterday")
}
