package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/ranch-game/ranch/localstack/functiontest"
	"github.com/ranch-game/ranch/localstack/storetest"
	"github.com/ranch-game/ranch/shared/game"
)

func TestMain(m *testing.M) { functiontest.Main(m) }

const (
	inactive   = `{"active":false}`
	unexpected = `{"error":"INTERNAL_ERROR"}`
)

// autumn is the answer of a player with so many points.
func autumn(points int) string {
	return fmt.Sprintf(`{"id":"00009900-0000-4000-8000-000000000000","name":"Autumn","startDate":"2026-11-20T08:30:00.000Z",`+
		`"endDate":"2026-12-20T09:30:00.000Z","isActive":true,"mySeasonScore":%d}`, points)
}

// activate lets a season be active, or not any more.
func activate(t *testing.T, b *functiontest.Bench, season game.ID, active bool) {
	t.Helper()
	if err := b.Operator().SetSeasonActive(t.Context(), season, active); err != nil {
		t.Fatal(err)
	}
}

func TestNoSeason(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint)
	r := b.As(t, b.AddPlayer(t, storetest.Ann).User)
	b.Golden(t, "inactive", r).Want(t, 200, inactive)
	season := b.AddSeason(t, func(s *game.Season) { s.IsActive = false })
	b.Do(t, r).Want(t, 200, inactive)
	activate(t, b, season.ID, true)
	b.Do(t, r).Want(t, 200, autumn(0))
	activate(t, b, season.ID, false)
	b.Do(t, r).Want(t, 200, inactive)
}

func TestSeason(t *testing.T) {
	t.Parallel()
	c := functiontest.NewCase(t, endpoint)
	c.Do(t, c.Request).Want(t, 200, autumn(0))
	c.MustEnter(t, c.Ann, c.Show, 0, 2)
	c.Do(t, c.Request).Want(t, 200, autumn(0)) // open shows do not count
	c.MustJudge(t, c.Ann, c.Show)
	c.Unchanged(t, func() {
		a := c.Golden(t, "active", c.Request)
		a.Want(t, 200, autumn(160))
		functiontest.Shape{
			"id": functiontest.UUID, "name": functiontest.Text, "startDate": functiontest.Time, "endDate": functiontest.Time, "isActive": functiontest.Boolean,
			"mySeasonScore": functiontest.Integer,
		}.Check(t, a.Object(t))
	})
}

// Six animals of Ann's at the ranks 1 to 6, and one without: 100, 60, 30, 15, 10, 5 and 5. Bob has the rank 7.
func TestPoints(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint)
	b.AddSeason(t)
	show := b.AddShow(t, storetest.Fee(0))
	ann := b.AddPlayer(t, storetest.Ann, 90_00, 80_00, 70_00, 60_00, 50_00, 40_00, storetest.NoPhenotype)
	bob := b.AddPlayer(t, storetest.Bob, 10_00)
	b.MustEnter(t, bob, show)
	b.MustEnter(t, ann, show, 6, 5, 4, 3, 2, 1, 0)
	b.MustJudge(t, ann, show)
	b.Do(t, b.As(t, ann.User)).Want(t, 200, autumn(100+60+30+15+10+5+5))
	b.Do(t, b.As(t, bob.User)).Want(t, 200, autumn(5))
	b.Do(t, b.As(t, b.AddPlayer(t, storetest.Cid).User)).Want(t, 200, autumn(0))
}

func TestWhichShowsCount(t *testing.T) {
	t.Parallel()
	c := functiontest.NewCase(t, endpoint)
	spring := c.AddSeason(t, func(s *game.Season) { s.Name, s.IsActive = "Spring", false })
	second := c.AddShow(t, storetest.Tier("no tier with prizes"))
	elsewhere := c.AddShow(t, func(d *storetest.ShowDraft) { d.SeasonID = spring.ID })
	open, cancelled := c.AddShow(t), c.AddShow(t)
	for _, s := range []game.Show{c.Show, second, elsewhere, open, cancelled} {
		c.MustEnter(t, c.Ann, s, 0)
	}
	c.MustCancel(t, cancelled)
	for i, s := range []game.Show{elsewhere, c.Show, second} {
		c.MustJudge(t, c.Ann, s)
		c.Do(t, c.Request).Want(t, 200, autumn(100*i)) // right after each judging
	}
	c.MustClaim(t, c.Ann, c.Show)
	c.Do(t, c.Request).Want(t, 200, autumn(200)) // a claim changes nothing
	activate(t, c.Bench, c.Season.ID, false)
	activate(t, c.Bench, spring.ID, true)
	a := c.Do(t, c.Request)
	if object := a.Object(t); object["name"] != "Spring" || fmt.Sprint(object["mySeasonScore"]) != "100" {
		t.Error(a.Body)
	}
}

// Of several active seasons the one with the earliest start counts, then the one with the lowest id, whatever their
// ends and the order of creation.
func TestSeveralActiveSeasons(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint)
	r := b.As(t, b.AddPlayer(t, storetest.Ann).User)
	for _, step := range []struct {
		n     int
		start time.Duration
		want  string
	}{
		{9905, 0, "9905"}, {9901, time.Millisecond, "9905"}, {9906, 0, "9905"}, {9904, 0, "9904"}, {9909, -time.Millisecond, "9909"},
	} {
		b.AddSeason(t, func(s *game.Season) {
			s.ID, s.Name, s.StartDate = storetest.ID(step.n), fmt.Sprint(step.n), s.StartDate.Add(step.start)
		})
		if got := b.Do(t, r).Object(t)["name"]; got != step.want {
			t.Errorf("after %d: %v, want %s", step.n, got, step.want)
		}
	}
}

// newCase is Ann who has 100 points.
func newCase(t *testing.T) *functiontest.Case {
	c := functiontest.NewCase(t, endpoint)
	c.MustEnter(t, c.Ann, c.Show, 0)
	c.MustJudge(t, c.Ann, c.Show)
	return c
}

// Reads live on until the token expires.
func TestBannedAndDeletedCallers(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	c.Ban(t, c.Ann.ID)
	c.Do(t, c.Request).Want(t, 200, autumn(100))
	c.DeleteUser(t, c.Ann.ID)
	c.Do(t, c.Request).Want(t, 200, autumn(100))
	stranger := c.Access(t, game.User{ID: storetest.ID(1)})
	c.Do(t, functiontest.Request{Token: stranger}).Want(t, 200, autumn(0))
}

func TestFaults(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	functiontest.Faults(t, c.Bench, c.Request, 500, unexpected, endpoint(nil, functiontest.Keys()))
	c.Wire.Next("Query", storetest.Throttle, storetest.Unavailable, storetest.LoseAnswer)
	c.Wire.Next("BatchGetItem", storetest.Throttle, storetest.Unprocessed)
	c.Do(t, c.Request).Want(t, 200, autumn(100))
	c.At("SHOW#"+string(c.Show.ID)+"#R", "RESULT").Edit(t, "SET re = :damaged", map[string]any{":damaged": "many"})
	c.Golden(t, "failed", c.Request).Want(t, 500, unexpected)
}

func TestProtected(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint)
	ann := b.AddPlayer(t, storetest.Ann)
	functiontest.Protected(t, b, ann.User, functiontest.Request{}, 200)
	b.Golden(t, "no-credentials", functiontest.Request{}).WantUnauthorized(t, false)
}

func TestStrangeRequests(t *testing.T) {
	t.Parallel()
	c := functiontest.NewCase(t, endpoint)
	functiontest.Robust(t, c.Bench, c.Request)
}
