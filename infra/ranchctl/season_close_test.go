package main

import (
	"strings"
	"testing"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
)

func TestSeasonWarnings(t *testing.T) {
	x := newTool(t)
	create := func(args ...string) string {
		var season object
		return x.json(&season, append([]string{"season", "create", "--name", "S"}, args...)...)
	}
	if warned := create("--start", "-2h", "--end", "-1h"); !strings.Contains(warned, "over already") {
		t.Errorf("warned %q", warned)
	}
	if warned := create("--start", "-1h", "--end", "+0s"); !strings.Contains(warned, "over already") {
		t.Errorf("warned %q", warned)
	}
	if warned := create("--start", "-1h", "--end", "+2h", "--activate"); warned != "" {
		t.Errorf("warned %q", warned)
	}
	for times, want := range map[[2]string]bool{{"+7199s", "+3h"}: true, {"+2h", "+3h"}: false} {
		if warned := create("--start", times[0], "--end", times[1]); strings.Contains(warned, "begins before S (") != want {
			t.Errorf("%v: warned %q", times, warned)
		}
	}
}

func TestSeasonClose(t *testing.T) {
	x := newTool(t)
	x.AddFair(t)
	id := string(x.Season.ID)
	other := x.AddSeason(t)
	x.AddShow(t, func(d *storetest.ShowDraft) { d.SeasonID = other.ID })
	x.Unchanged(t, func() {
		x.refused(1, "1 shows of the season are open: County Fair ("+string(x.Show.ID)+")", "season", "close", id)
	})
	var season object
	if stderr := x.json(&season, "season", "close", id, "--force"); season["isActive"] != false || !strings.Contains(stderr, "still open: County Fair") {
		t.Errorf("closed %v, warned %q", season, stderr)
	}
	x.MustJudge(t, x.Ann, x.Show)
	x.json(&season, "season", "activate", id)
	if stderr := x.json(&season, "season", "close", id); season["isActive"] != false || stderr != "" {
		t.Errorf("closed %v, warned %q", season, stderr)
	}
	x.refused(1, "no such season", "season", "close", string(game.NewID()))
	x.refused(2, "must be a UUID", "season", "close", "autumn")
}

func TestSeasonStandings(t *testing.T) {
	x := newTool(t)
	x.AddFair(t)
	bob := x.AddPlayer(t, storetest.Bob, 60_00)
	x.MustEnter(t, x.Ann, x.Show, 0)
	x.MustEnter(t, bob, x.Show, 0)
	id := string(x.Season.ID)
	var standings []object
	if x.json(&standings, "season", "standings", id); standings == nil || len(standings) != 0 {
		t.Errorf("before the judging: %v", standings)
	}
	x.MustJudge(t, bob, x.Show)
	x.DeleteUser(t, bob.ID)
	x.json(&standings, "season", "standings", id)
	if len(standings) != 2 || standings[0]["username"] != "Ann" || standings[0]["points"] != 100.0 || standings[1]["rank"] != 2.0 ||
		standings[1]["playerId"] != string(bob.ID) || standings[1]["username"] != "deleted player" {
		t.Errorf("standings %v", standings)
	}
	if x.json(&standings, "season", "standings", id, "--top", "1"); len(standings) != 1 {
		t.Errorf("top %v", standings)
	}
	if stdout, _, exit := x.run("season", "standings", id); exit != 0 || !strings.HasPrefix(stdout, "RANK  USER ") || strings.Count(stdout, "\n") != 3 {
		t.Errorf("exit %d: %s", exit, stdout)
	}
	x.refused(1, "no such season", "season", "standings", string(game.NewID()))
	x.refused(2, "--top", "season", "standings", id, "--top", "-1")
}
