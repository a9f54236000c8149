package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
	notFound   = `{"error":"NOT_FOUND"}`
	unexpected = `{"error":"INTERNAL_ERROR"}`
)

var (
	showShape = functiontest.Shape{
		"id": functiontest.UUID, "name": functiontest.Text, "tier": functiontest.Text, "entryFee": functiontest.Integer, "entryClosesAt": functiontest.Time,
		"judgedAt": functiontest.Null, "status": functiontest.Text, "seasonId": functiontest.UUID, "entries": functiontest.List,
	}
	entryShape = functiontest.Shape{
		"id": functiontest.UUID, "playerId": functiontest.UUID, "playerUsername": functiontest.Text, "animalId": functiontest.UUID,
		"animalName": functiontest.Text, "breed": functiontest.Text, "rarityTier": functiontest.Text, "score": functiontest.Null,
		"rank": functiontest.Null, "rewardClaimed": functiontest.Boolean,
	}
	rankedShape = entryShape.And(functiontest.Shape{"score": functiontest.Decimal, "rank": functiontest.Integer})
)

// entries returns the entries of an answer.
func entries(t *testing.T, a functiontest.Answer) []map[string]any {
	t.Helper()
	a.WantStatus(t, 200)
	return functiontest.Objects(t, functiontest.In[[]any](t, a.Object(t), "entries"))
}

// members returns some members of each entry, as texts.
func members(entries []map[string]any, names ...string) []string {
	texts := make([]string, len(entries))
	for i, e := range entries {
		values := make([]string, len(names))
		for j, name := range names {
			values[j] = fmt.Sprint(e[name])
		}
		texts[i] = strings.Join(values, " ")
	}
	return texts
}

func TestNoEntries(t *testing.T) {
	t.Parallel()
	c := newBench(t).NewCase(t)
	c.Golden(t, "no-entries", c.Request).Want(t, 200, `{"id":"`+string(c.Show.ID)+`","name":"County Fair","tier":"rookie","entryFee":50,`+
		`"entryClosesAt":"2026-11-20T10:30:00.000Z","judgedAt":null,"status":"open","seasonId":"`+string(c.Show.SeasonID)+`","entries":[]}`)
}

func TestOpenShow(t *testing.T) {
	t.Parallel()
	c := newBench(t).NewCase(t)
	c.MustEnter(t, c.Bob, c.Show, c.Bob.Animals[1], c.Now+9) // in the order of the entries' times, not of their arrival
	c.MustEnter(t, c.Ann, c.Show, c.Ann.Animals[2], c.Now+7)
	c.MustEnter(t, c.Bob, c.Show, c.Bob.Animals[0], c.Now+8)
	c.Unchanged(t, func() {
		a := c.Golden(t, "open", c.Request)
		showShape.Check(t, a.Object(t))
		list := entries(t, a)
		for _, e := range list {
			entryShape.Check(t, e)
		}
		want := []string{"Ann Millie Holstein false", "Bob Buck Angus false", "Bob Bessie Angus false"}
		if diff := cmp.Diff(want, members(list, "playerUsername", "animalName", "breed", "rewardClaimed")); diff != "" {
			t.Error(diff)
		}
	})
}

// At one instant the entries are in the order of their ids.
func TestEntriesAtOneInstant(t *testing.T) {
	t.Parallel()
	c := newBench(t).NewCase(t)
	for i := range c.Ann.Animals {
		c.MustEnter(t, c.Ann, c.Show, c.Ann.Animals[i], c.Now)
		c.MustEnter(t, c.Bob, c.Show, c.Bob.Animals[i], c.Now)
	}
	if ids := members(entries(t, c.Do(t, c.Request)), "id"); len(ids) != 6 || !slices.IsSorted(ids) {
		t.Error(ids)
	}
}

// By rank, the unranked last and in the order of their times; claimed are all of a player's entries.
func TestCompletedShow(t *testing.T) {
	t.Parallel()
	c := newBench(t).NewCase(t)
	c.EnterAll(t, c.Bob, c.Show, 2, 1)
	for _, i := range []int{1, 2} {
		if _, err := c.Rival.ChangeAnimal(t.Context(), c.Bob.ID, c.Bob.Animals[i].ID, store.AnimalChange{DropPhenotype: true}); err != nil {
			t.Fatal(err)
		}
	}
	c.EnterAll(t, c.Ann, c.Show, 2, 0, 1)
	c.MustJudge(t, c.Ann, c.Show, c.Now+7)
	if _, _, err := c.Rival.Claim(t.Context(), c.Ann.ID, c.Show.ID, c.Now); err != nil {
		t.Fatal(err)
	}
	c.Unchanged(t, func() {
		a := c.Golden(t, "completed", c.Request)
		body := a.Object(t)
		showShape.And(functiontest.Shape{"judgedAt": functiontest.Time}).Check(t, body)
		if body["status"] != "completed" || body["judgedAt"] != "2026-11-20T09:30:00.007Z" {
			t.Error(body)
		}
		list := entries(t, a)
		want := []string{"1 Ann Buck true", "2 Ann Bessie true", "3 Ann Millie true", "<nil> Bob Millie false", "<nil> Bob Bessie false"}
		if diff := cmp.Diff(want, members(list, "rank", "playerUsername", "animalName", "rewardClaimed")); diff != "" {
			t.Fatal(diff)
		}
		for _, e := range list[:3] {
			rankedShape.Check(t, e)
		}
		for _, e := range list[3:] {
			entryShape.Check(t, e)
		}
		first := c.Ann.Animals[0]
		score := game.NewScorer(c.Show.ID).Score(first.ID, *first.Phenotype, first.Condition)
		if fmt.Sprint(list[0]["score"]) != score.String() {
			t.Errorf("score %v, want %v", list[0]["score"], score)
		}
	})
	c.Invariants(t)
}

// A score of 0 shows as null beside its rank.
func TestAScoreOfZero(t *testing.T) {
	t.Parallel()
	c := newBench(t).NewCase(t)
	p := c.NewPlayer(functiontest.Cid, 0)
	for game.NewScorer(c.Show.ID).Score(p.Animals[0].ID, game.Phenotype{}, game.FixedMax) != 0 {
		p.Animals[0].ID = game.NewID()
	}
	c.Add(t, p, c.Now)
	c.EnterAll(t, p, c.Show, 0)
	c.MustJudge(t, p, c.Show, c.Now)
	list := entries(t, c.Do(t, c.Request))
	rankedShape.And(functiontest.Shape{"score": functiontest.Null}).Check(t, list[0])
	if diff := cmp.Diff([]string{"1 <nil>"}, members(list, "rank", "score")); diff != "" {
		t.Error(diff)
	}
}

// Names, breed and rarity are those at the time of entry.
func TestNamesThatChanged(t *testing.T) {
	t.Parallel()
	c := newBench(t).NewCase(t)
	c.EnterAll(t, c.Ann, c.Show, 0)
	want := c.Do(t, c.Request).Body
	c.At("USER#"+string(c.Ann.ID), "PROFILE").Edit(t, "SET un = :name", map[string]any{":name": "Anna"})
	c.At("USER#"+string(c.Ann.ID), "ANIMAL#"+string(c.Animal.ID)).Edit(t, "SET na = :name, br = :name, ti = :name", map[string]any{":name": "other"})
	c.Do(t, c.Request).Want(t, 200, want)
}

func TestPathIDs(t *testing.T) {
	t.Parallel()
	c := newBench(t).NewCase(t)
	for _, id := range functiontest.NoIDs() {
		r := c.Request
		r.ID = id
		if c.Do(t, r).Want(t, 404, notFound); t.Failed() {
			t.Fatal(id)
		}
	}
	show := c.AddShow(t, functiontest.Fair+1, func(s *game.Show) { s.ID = "fedcbafe-dcba-7dcb-bedc-fedcbafedcba" })
	c.Request.ID = strings.ToUpper(string(show.ID))
	if got := c.Do(t, c.Request).Object(t)["id"]; got != string(show.ID) {
		t.Error(got)
	}
}

func TestFlaws(t *testing.T) {
	t.Parallel()
	functiontest.Flaws(t, func(t *testing.T) *functiontest.Case { return newBench(t).NewCase(t) }, []functiontest.Flaw{
		{Name: "show-unknown", Order: 1, Status: 404, Body: notFound, Make: functiontest.ShowUnknown},
		{Name: "show-no-uuid", Order: 1, Status: 404, Body: notFound, Make: functiontest.NoUUID},
		functiontest.NoCredentials(0),
	})
}

// Reads live on until the token expires, whoever the callers are by now, and whatever became of the players.
func TestBannedAndDeletedCallers(t *testing.T) {
	t.Parallel()
	c := newBench(t).NewCase(t)
	c.EnterAll(t, c.Ann, c.Show, 0)
	want := c.Do(t, c.Request).Body
	c.Ban(t, c.Ann.ID)
	c.Do(t, c.Request).Want(t, 200, want)
	c.DeleteUser(t, c.Ann.ID)
	c.Do(t, c.Request).Want(t, 200, want)
}

func TestALargeShow(t *testing.T) {
	t.Parallel()
	c := newBench(t).NewCase(t)
	p := c.Player(t, functiontest.Cid, make([]game.Fixed, 90)...)
	show := c.AddShow(t, functiontest.Fair+1, func(s *game.Show) { s.EntryFee = 0 })
	for i := range p.Animals {
		c.EnterAll(t, p, show, i)
	}
	c.MustJudge(t, p, show, c.Now)
	c.Request.ID = string(show.ID)
	plain := c.Do(t, c.Request)
	if len(entries(t, plain)) != 90 || plain.Header["Vary"] != "Accept-Encoding" || plain.Header["Content-Encoding"] != "" {
		t.Error(plain.Header)
	}
	for accepts, want := range map[string]string{
		"gzip": "gzip", "br, GZIP;q=0.5": "gzip", "*": "gzip", "gzip;q=0": "", "br": "", "identity": "", "*;q=0": "", "gzip;q=0, *": "", "": "",
	} {
		c.Request.Header = map[string]string{"accept-encoding": accepts}
		a := c.Do(t, c.Request)
		if a.Want(t, 200, plain.Body); a.Header["Content-Encoding"] != want || a.Header["Vary"] != "Accept-Encoding" {
			t.Errorf("%q: %v", accepts, a.Header)
		}
	}
}

// crowd is a show with so many entries of 4 KB each: few that are large take less of a test's time than many that are small.
type crowd int

func (n crowd) ShowWithEntries(context.Context, game.ID) (game.Show, []game.Entry, error) {
	entries := make([]game.Entry, n)
	for i := range entries {
		entries[i] = game.Entry{ID: game.NewID(), PlayerID: game.NewID(), AnimalID: game.NewID(), AnimalName: strings.Repeat("Buck", 1_000)}
	}
	return game.Show{ID: functiontest.ID(functiontest.Fair)}, entries, nil
}

// What Lambda would not take is the endpoint's own 500. Compressed, more goes through.
func TestAShowTooLarge(t *testing.T) {
	t.Parallel()
	c := newBench(t).NewCase(t)
	for _, test := range []struct {
		entries crowd
		accepts string
		status  int
	}{
		{1_400, "", 200}, {1_500, "", 500}, {1_500, "gzip", 200},
	} {
		c.Request.Header = map[string]string{"accept-encoding": test.accepts}
		a := c.With(endpoint(test.entries, functiontest.Keys())).Do(t, c.Request)
		if a.WantStatus(t, test.status); test.status == 500 {
			a.Want(t, 500, unexpected)
			if !strings.Contains(a.Log, "is larger than") {
				t.Error(a.Log)
			}
		}
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	c := newBench(t).NewCase(t)
	c.EnterAll(t, c.Ann, c.Show, 0)
	functiontest.Faults(t, c.Bench, c.Request, 500, unexpected, endpoint(nil, functiontest.Keys()))
	c.Wire.Next("GetItem", storetest.Throttle, storetest.Unavailable)
	c.Wire.Next("Query", storetest.LoseAnswer)
	if list := entries(t, c.Do(t, c.Request)); len(list) != 1 {
		t.Error(list)
	}
	c.At("SHOW#"+string(c.Show.ID)+"#0", "GATE").Edit(t, "SET n = :damaged", map[string]any{":damaged": "many"})
	c.Golden(t, "failed", c.Request).Want(t, 500, unexpected)
}

func TestProtected(t *testing.T) {
	t.Parallel()
	c := newBench(t).NewCase(t)
	unknown := c.Request
	unknown.ID = "rubbish"
	functiontest.Protected(t, c.Bench, c.Ann.User, c.Request, 200, unknown)
}

func TestStrangeRequests(t *testing.T) {
	t.Parallel()
	c := newBench(t).NewCase(t)
	functiontest.Robust(t, c.Bench, c.Request)
}
