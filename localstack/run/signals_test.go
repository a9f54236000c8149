package main

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"

	"github.com/ranch-game/ranch/infra/logcheck"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/run/player"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/localstack/sam/cloudwatch"
	"github.com/ranch-game/ranch/shared/client"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// TestSignals plays the loop with the real functions, and adds up their log lines. The gold in the metrics is the gold
// in the ledgers. Each refusal, entry and judging is there once. No line has a secret.
func TestSignals(t *testing.T) {
	template, e := treeOfPrograms(t), startEngine(t)
	table := store.New(dynamodb.New(e.Client().Options(), store.ClientOptions), stack.TableName, time.Now)
	if err := engine.CreateTable(t.Context(), e.Client(), stack.TableName); err != nil {
		t.Fatal(err)
	}
	show := createShow(t, table, time.Hour)
	var mu sync.Mutex
	var lines []string
	served, err := stack.Serve(t.Context(), stack.Config{Template: template, Engine: e, Kind: engine.Embedded, Processes: 1, Log: func(_, line string) {
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, line)
	}})
	if err != nil {
		t.Fatal(err)
	}
	secrets := playALoop(t, served.API, show)
	if err := served.Close(); err != nil { // from here on, no line can come
		t.Error(err)
	}

	sums, gates := map[string]float64{}, 0
	for _, line := range lines {
		for _, secret := range append(secrets, player.Password, "@example.com", "eyJ", "127.0.0.1") {
			if strings.Contains(line, secret) {
				t.Errorf("the log has %q: %s", secret, line)
			}
		}
		data, err := cloudwatch.ReadEMF([]byte(line))
		for _, d := range data {
			name := d.Name
			for _, key := range []string{"Code", "FunctionName"} {
				if value, ok := d.Dimensions[key]; ok {
					name += " " + value
				}
			}
			if sums[name] += d.Value; d.Namespace != "ranch-local" {
				t.Errorf("the namespace %s", d.Namespace)
			}
		}
		var r struct {
			Route, Version, User, Show string
			LambdaRequestID            string `json:"lambda_request_id"`
			TraceID                    string `json:"trace_id"`
			Gate                       int
		}
		if err != nil || json.Unmarshal([]byte(line), &r) != nil || r.Gate < 0 || r.Gate > 3 || r.Version != "$LATEST" ||
			r.TraceID == "" || r.LambdaRequestID == "" || strings.Contains(r.Route, "{id}") && r.Show != string(show.ID) || !strings.Contains(r.Route, "/auth/") && r.User == "" {
			t.Errorf("%v: %s", err, line)
		}
		if r.Gate > 0 {
			gates++
		}
	}
	if sums["JudgingDuration"] <= 0 || sums["Attempts"] < 7 || gates != 2 {
		t.Errorf("the judging took %v ms, all writes %v attempts, %d gates", sums["JudgingDuration"], sums["Attempts"], gates)
	}
	for _, byTheMachine := range []string{"JudgingDuration", "Attempts", "Conflicts", "Retries", "Leases"} {
		delete(sums, byTheMachine)
	}
	r := checkHistory(t, table, lines)
	want := map[string]float64{
		"GoldPaid": float64(r.Table.Paid), "GoldCharged": 20, "Entries": 2, "JudgedEntries": 2, "EarlyJudgings": 1, "RefreshRefusals": 1,
		"Refusals DUPLICATE": 1, "Refusals INVALID_CREDENTIALS": 2, "Refusals INVALID_TOKEN": 1, "Refusals ALREADY_CLAIMED": 1,
	}
	for _, function := range []string{"Register", "Login", "Refresh", "ListAnimals", "EnterShow", "JudgeShow", "ClaimReward"} {
		want["ColdStarts "+function] = 1
	}
	if diff := cmp.Diff(want, sums); diff != "" || r.Table.Charged != 20 || r.Table.Paid <= 1000 {
		t.Errorf("metrics (-want +got), of the table %+v:\n%s", r.Table, diff)
	}
	t.Log(strings.Join(lines, "\n"))
}

// createShow opens a show with three gates and a fee of ten gold, in a season of its own.
func createShow(t *testing.T, s *store.Store, closesIn time.Duration) game.Show {
	t.Helper()
	now := game.InstantOf(time.Now())
	season := game.Season{ID: game.NewID(), Name: "Signals", StartDate: now.Add(-time.Hour), EndDate: now.Add(24 * time.Hour), IsActive: true}
	if err := s.Operator(store.NewChange("test", "", now)).CreateSeason(t.Context(), season); err != nil {
		t.Fatal(err)
	}
	show := game.Show{
		ID: game.NewID(), SeasonID: season.ID, Name: "County Fair", Tier: game.TierRookie, EntryFee: 10, Status: game.ShowOpen, EntryClosesAt: now.Add(closesIn),
	}
	if err := s.Operator(store.NewChange("test", "", now.Add(min(0, closesIn)))).CreateShow(t.Context(), show, 3); err != nil {
		t.Fatal(err)
	}
	return show
}

// playALoop has two players enter the show; one of them judges it, and both claim. The service refuses some of their
// requests. playALoop returns their secrets.
func playALoop(t *testing.T, api string, show game.Show) (secrets []string) {
	t.Helper()
	at := "/events/shows/" + string(show.ID)
	must := func(p *player.Player, status int, path string, body any) {
		t.Helper()
		if err := p.Call(t.Context(), "POST", path, body, status, nil); err != nil {
			t.Error(err)
		}
	}
	players := []*player.Player{register(t, api), register(t, api)}
	for i, p := range players {
		var animals []client.Animal
		if err := p.Call(t.Context(), "GET", "/animals", nil, 200, &animals); err != nil || len(animals) == 0 {
			t.Fatal(err)
		}
		entry := map[string]string{"animalId": animals[0].ID}
		must(p, 201, at+"/enter", entry)
		if i == 0 {
			must(p, 409, at+"/enter", entry)
		}
		secrets = append(secrets, p.Tokens.Token, p.Tokens.RefreshToken)
	}
	must(players[0], 200, at+"/judge", nil)
	must(players[0], 200, at+"/claim-reward", nil)
	must(players[1], 200, at+"/claim-reward", nil)
	must(players[1], 400, at+"/claim-reward", nil)
	for _, email := range []string{players[1].Email, "nobody" + players[1].Email} {
		must(players[1], 401, "/auth/login", map[string]string{"email": email, "password": "a wrong secret"})
	}
	must(players[1], 401, "/auth/refresh", map[string]string{"refreshToken": players[0].Tokens.Token})
	return append(secrets, "a wrong secret")
}

// checkHistory checks the log lines of the run. The check passes, and it fails without the lines of the entries.
func checkHistory(t *testing.T, table *store.Store, lines []string) logcheck.Report {
	t.Helper()
	check := func(lines []string) logcheck.Report {
		c := logcheck.NewChecker(logcheck.Options{})
		if err := c.Read(strings.NewReader(strings.Join(lines, "\n"))); err != nil {
			t.Fatal(err)
		}
		if err := c.CheckTable(t.Context(), table, logcheck.Progress{}); err != nil {
			t.Fatal(err)
		}
		return c.Check()
	}
	without := slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return strings.Contains(line, `"Entries":1`) })
	if r := check(without); r.Found == 0 || len(without) == len(lines) {
		t.Error("the entries' lines can be left out unnoticed")
	}
	r := check(lines)
	if r.Found > 0 || r.Records != len(lines) || r.Table.Paid != r.Paid || r.Table.Charged != r.Charged {
		t.Errorf("%+v, of the table %+v", r, r.Table)
	}
	return r
}

// TestRun_runsTheSchedules runs the scheduled functions through Lambda's Runtime API. A show past its closing time is
// judged, and an interrupted cancellation is finished. (The drill of the alarms covers the audit.)
func TestRun_runsTheSchedules(t *testing.T) {
	treeOfPrograms(t)
	cfg := usual(t)
	cfg.judgeDue, cfg.processes = 100*time.Millisecond, 1
	s, out := openStack(t, cfg)
	table := store.New(dynamodb.New(s.engine.Client().Options(), store.ClientOptions), stack.TableName, time.Now)
	open, closed := createShow(t, table, time.Hour), createShow(t, table, -time.Minute)
	eventually(t, "the closed show is judged, and the run says so", func() bool {
		read, _, err := table.ShowWithEntries(t.Context(), closed.ID)
		return err == nil && read.Status == game.ShowCompleted && out.shows(string(closed.ID))()
	})
	cancelled := createShow(t, table, time.Hour)
	if err := table.Operator(store.NewChange("tester", "", game.InstantOf(time.Now()))).CancelShow(t.Context(), cancelled.ID); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the cancelled show is refunded, and the run says so", func() bool {
		record, err := table.ShowRecord(t.Context(), cancelled.ID)
		return err == nil && record.RefundedAt != nil && out.shows(string(cancelled.ID))()
	})
	if read, _, err := table.ShowWithEntries(t.Context(), open.ID); err != nil || read.Status != game.ShowOpen || out.shows("template.yaml does not allow")() {
		t.Errorf("%+v, %v, or a permission is missing:\n%s", read, err, out)
	}
}
