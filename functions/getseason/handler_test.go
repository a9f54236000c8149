package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/ranch-game/ranch/localstack/functiontest"
	"github.com/ranch-game/ranch/localstack/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/httpapi"
	"github.com/ranch-game/ranch/shared/store"
	"github.com/ranch-game/ranch/shared/token"
)

func TestMain(m *testing.M) { storetest.Main(m) }

func newBench(t *testing.T) *functiontest.Bench {
	return functiontest.New(t, func(s *store.Store, k *token.Keys) httpapi.Endpoint { return endpoint(s, k) })
}

const (
	inactive   = `{"active":false}`
	unexpected = `{"error":"INTERNAL_ERROR"}`
)

// autumn is the answer of a player with so many points.
func autumn(points int) string {
	return fmt.Sprintf(`{"id":"%s","name":"Autumn","startDate":"2026-11-20T08:30:00.000Z","endDate":"2026-12-20T09:30:00.000Z","isActive":true,"mySeasonScore":%d}`,
		functiontest.ID(functiontest.Autumn), points)
}

func request(t *testing.T, b *functiontest.Bench, p storetest.Player) functiontest.Request {
	return functiontest.Request{Token: b.Access(t, p.User)}
}

func TestNoSeason(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ann := b.Player(t, functiontest.Ann)
	b.Golden(t, "inactive", request(t, b, ann)).Want(t, 200, inactive)
	season := b.AddSeason(t, functiontest.Autumn, func(s *game.Season) { s.IsActive = false })
	b.Do(t, request(t, b, ann)).Want(t, 200, inactive)
	for _, active := range []bool{true, false} {
		if _, err := b.Rival.SetSeasonActive(t.Context(), season.ID, active); err != nil {
			t.Fatal(err)
		}
		want := inactive
		if active {
			want = autumn(0)
		}
		b.Do(t, request(t, b, ann)).Want(t, 200, want)
	}
}

func TestSeason(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	show, ann := b.Fairground(t)
	r := request(t, b, ann)
	b.Do(t, r).Want(t, 200, autumn(0))
	b.EnterAll(t, ann, show, 0, 2)
	b.Do(t, r).Want(t, 200, autumn(0)) // open shows do not count
	b.MustJudge(t, ann, show, b.Now)
	b.Unchanged(t, func() {
		a := b.Golden(t, "active", r)
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
	b := newBench(t)
	b.AddSeason(t, functiontest.Autumn, functiontest.AsItIs)
	show := b.AddShow(t, functiontest.Fair, func(s *game.Show) { s.EntryFee = 0 })
	ann := b.NewPlayer(functiontest.Ann, 90_00, 80_00, 70_00, 60_00, 50_00, 40_00, 95_00)
	ann.Animals[6].Phenotype = nil
	b.Add(t, ann, b.Now)
	bob := b.Player(t, functiontest.Bob, 10_00)
	b.EnterAll(t, bob, show, 0)
	b.EnterAll(t, ann, show, 6, 5, 4, 3, 2, 1, 0)
	b.MustJudge(t, ann, show, b.Now)
	b.Do(t, request(t, b, ann)).Want(t, 200, autumn(100+60+30+15+10+5+5))
	b.Do(t, request(t, b, bob)).Want(t, 200, autumn(5))
	b.Do(t, request(t, b, b.Player(t, functiontest.Cid))).Want(t, 200, autumn(0))
}

func TestWhichShowsCount(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	show, ann := b.Fairground(t)
	spring := b.AddSeason(t, functiontest.Autumn-1, func(s *game.Season) { s.Name, s.IsActive = "Spring", false })
	second := b.AddShow(t, functiontest.Fair+1, func(s *game.Show) { s.Tier = "no tier with prizes" })
	elsewhere := b.AddShow(t, functiontest.Fair+2, func(s *game.Show) { s.SeasonID = spring.ID })
	open := b.AddShow(t, functiontest.Fair+3, functiontest.AsItIs)
	for _, s := range []game.Show{show, second, elsewhere, open} {
		b.EnterAll(t, ann, s, 0)
	}
	for i, s := range []game.Show{elsewhere, show, second} {
		b.MustJudge(t, ann, s, b.Now)
		b.Do(t, request(t, b, ann)).Want(t, 200, autumn(100*i)) // right after each judging
	}
	if _, _, err := b.Rival.Claim(t.Context(), ann.ID, show.ID, b.Now); err != nil {
		t.Fatal(err)
	}
	b.Do(t, request(t, b, ann)).Want(t, 200, autumn(200)) // a claim changes nothing
	if _, err := b.Rival.SetSeasonActive(t.Context(), functiontest.ID(functiontest.Autumn), false); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Rival.SetSeasonActive(t.Context(), spring.ID, true); err != nil {
		t.Fatal(err)
	}
	a := b.Do(t, request(t, b, ann))
	if object := a.Object(t); object["name"] != "Spring" || fmt.Sprint(object["mySeasonScore"]) != "100" {
		t.Error(a.Body)
	}
}

// Of several active seasons the one with the earliest start counts, then the one with the lowest id, whatever their ends and the order of creation.
func TestSeveralActiveSeasons(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ann := b.Player(t, functiontest.Ann)
	add := func(n int, start time.Duration) {
		b.AddSeason(t, n, func(s *game.Season) { s.Name, s.StartDate = fmt.Sprint(n), s.StartDate.Add(start) })
	}
	for _, step := range []struct {
		n     int
		start time.Duration
		want  string
	}{
		{9905, 0, "9905"}, {9901, time.Millisecond, "9905"}, {9906, 0, "9905"}, {9904, 0, "9904"}, {9909, -time.Millisecond, "9909"},
	} {
		add(step.n, step.start)
		if got := b.Do(t, request(t, b, ann)).Object(t)["name"]; got != step.want {
			t.Errorf("after %d: %v, want %s", step.n, got, step.want)
		}
	}
}

// Reads live on until the token expires.
func TestBannedAndDeletedCallers(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	show, ann := b.Fairground(t)
	b.EnterAll(t, ann, show, 0)
	b.MustJudge(t, ann, show, b.Now)
	r := request(t, b, ann)
	b.Ban(t, ann.ID)
	b.Do(t, r).Want(t, 200, autumn(100))
	b.DeleteUser(t, ann.ID)
	b.Do(t, r).Want(t, 200, autumn(100))
	stranger := b.Access(t, game.User{ID: functiontest.ID(1)})
	b.Do(t, functiontest.Request{Token: stranger}).Want(t, 200, autumn(0))
}

func TestFaults(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	show, ann := b.Fairground(t)
	b.EnterAll(t, ann, show, 0)
	b.MustJudge(t, ann, show, b.Now)
	r := request(t, b, ann)
	functiontest.Faults(t, b, r, 500, unexpected, endpoint(nil, functiontest.Keys()))
	b.Wire.Next("Query", storetest.Throttle, storetest.Unavailable, storetest.LoseAnswer)
	b.Wire.Next("BatchGetItem", storetest.Throttle, storetest.Unprocessed)
	b.Do(t, r).Want(t, 200, autumn(100))
	b.At("SHOW#"+string(show.ID)+"#0", "GATE").Edit(t, "SET n = :damaged", map[string]any{":damaged": "many"})
	b.Golden(t, "failed", r).Want(t, 500, unexpected)
}

func TestProtected(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	ann := b.Player(t, functiontest.Ann)
	functiontest.Protected(t, b, ann.User, functiontest.Request{}, 200)
	b.Golden(t, "no-credentials", functiontest.Request{}).WantUnauthorized(t, false)
}

func TestStrangeRequests(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	_, ann := b.Fairground(t)
	functiontest.Robust(t, b, request(t, b, ann))
}
