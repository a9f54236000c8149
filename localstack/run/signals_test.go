package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"

	"github.com/ranch-game/ranch/infra/logcheck"
	"github.com/ranch-game/ranch/localstack/engine"
	"github.com/ranch-game/ranch/localstack/kit/build"
	"github.com/ranch-game/ranch/localstack/run/stack"
	"github.com/ranch-game/ranch/localstack/sam/cloudwatch"
	"github.com/ranch-game/ranch/shared/client"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// functionLogs are the lines of all functions, as they write them.
type functionLogs struct {
	mu    sync.Mutex
	lines []string
}

func (l *functionLogs) add(_, line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
}

// TestSignals plays the loop with the real functions, and adds up what they log: the gold in the metrics is the gold in
// the ledgers, and what was refused, entered and judged is there once.
func TestSignals(t *testing.T) {
	template := treeOfPrograms(t)
	if err := build.Make(t.Context(), template.Root, t.Output(), os.Environ(), "functions"); err != nil {
		t.Fatal(err)
	}
	e := startEngine(t, engine.Options{})
	table := store.New(dynamodb.New(e.Client().Options(), store.ClientOptions), stack.TableName, time.Now)
	if err := engine.CreateTable(t.Context(), e.Client(), stack.TableName); err != nil {
		t.Fatal(err)
	}
	show := openShow(t, table)
	logs := &functionLogs{}
	served, err := stack.Serve(t.Context(), stack.Config{Template: template, Engine: e, Kind: engine.Embedded, Processes: 1, Log: logs.add})
	if err != nil {
		t.Fatal(err)
	}
	secrets := playALoop(t, served.API, show)
	if err := served.Close(); err != nil { // no line is under way any more
		t.Error(err)
	}

	sums := map[string]float64{}
	users, gates := map[string]bool{}, 0
	for _, line := range logs.lines {
		for _, secret := range append(secrets, aPassword, "@example.com", "eyJ", "127.0.0.1") {
			if strings.Contains(line, secret) {
				t.Errorf("the log has %q: %s", secret, line)
			}
		}
		data, err := cloudwatch.ReadEMF([]byte(line))
		if err != nil {
			t.Errorf("%v: %s", err, line)
		}
		for _, d := range data {
			if d.Namespace != "ranch-local" {
				t.Errorf("the namespace %s", d.Namespace)
			}
			sums[nameOf(d)] += d.Value
		}
		record := recordOf(t, line)
		users[record.User] = true
		if record.Gate > 0 {
			gates++
		}
		if record.Gate < 0 || record.Gate > 3 || record.Version != "$LATEST" || record.TraceID == "" || record.LambdaRequestID == "" ||
			strings.Contains(record.Route, "{id}") && record.Show != string(show.ID) || !strings.Contains(record.Route, "/auth/") && record.User == "" {
			t.Error(line)
		}
	}
	if sums["JudgingDuration"] <= 0 || sums["Attempts"] < 7 {
		t.Errorf("the judging took %v ms, all writes %v attempts", sums["JudgingDuration"], sums["Attempts"])
	}
	for _, byTheMachine := range []string{"JudgingDuration", "Attempts", "Conflicts", "Retries", "Seals"} {
		delete(sums, byTheMachine)
	}
	checkHistory(t, table, logs.lines)
	paid, charged, accounts := goldInLedgers(t, table)
	want := map[string]float64{
		"GoldPaid": paid, "GoldCharged": charged, "Entries": 2, "JudgedEntries": 2, "EarlyJudgings": 1, "RefreshRefusals": 1,
		"Refusals Code=DUPLICATE": 1, "Refusals Code=INVALID_CREDENTIALS": 2, "Refusals Code=INVALID_TOKEN": 1, "Refusals Code=ALREADY_CLAIMED": 1,
	}
	for _, function := range []string{"Register", "Login", "Refresh", "ListAnimals", "EnterShow", "JudgeShow", "ClaimReward"} {
		want["ColdStarts FunctionName="+function+" FunctionVersion=$LATEST"] = 1
	}
	if diff := cmp.Diff(want, sums); diff != "" {
		t.Errorf("metrics (-want +got):\n%s", diff)
	}
	delete(users, "")
	if charged != 20 || paid <= 1000 || gates != 2 || len(users) != accounts || accounts != 2 {
		t.Errorf("%v gold charged, %v paid, %d gates, users %v of %d", charged, paid, gates, users, accounts)
	}
	t.Log(strings.Join(logs.lines, "\n"))
}

// openShow opens a show of three gates that closes in an hour, for a fee of ten gold.
func openShow(t *testing.T, s *store.Store) game.Show {
	t.Helper()
	now := game.InstantOf(time.Now())
	season := game.Season{ID: game.NewID(), Name: "Signals", StartDate: now.Add(-time.Hour), EndDate: now.Add(24 * time.Hour), IsActive: true}
	if err := s.Operator(store.NewChange("test", "", now)).CreateSeason(t.Context(), season); err != nil {
		t.Fatal(err)
	}
	show := game.Show{
		ID: game.NewID(), SeasonID: season.ID, Name: "County Fair", Tier: game.TierRookie, EntryFee: 10, Status: game.ShowOpen,
		EntryClosesAt: now.Add(time.Hour),
	}
	if err := s.Operator(store.NewChange("test", "", now)).CreateShow(t.Context(), show, 3); err != nil {
		t.Fatal(err)
	}
	return show
}

// playALoop has two players enter the show, one of whom judges it; both claim. Some of what they ask for is refused. It
// returns their tokens.
func playALoop(t *testing.T, api string, show game.Show) (tokens []string) {
	t.Helper()
	s := sessions{t: t, api: api}
	path := "/events/shows/" + string(show.ID)
	must := func(status int, path, access string, body any) {
		t.Helper()
		s.must(status, "POST", path, access, body, nil)
	}
	var players []client.Tokens
	for range 2 {
		player := s.register()
		var animals []client.Animal
		s.must(200, "GET", "/animals", player.Token, nil, &animals)
		entry := map[string]string{"animalId": animals[0].ID}
		must(201, path+"/enter", player.Token, entry)
		if len(players) == 0 {
			must(409, path+"/enter", player.Token, entry)
		}
		players, tokens = append(players, player), append(tokens, player.Token, player.RefreshToken)
	}
	must(200, path+"/judge", players[0].Token, nil)
	must(200, path+"/claim-reward", players[0].Token, nil)
	must(200, path+"/claim-reward", players[1].Token, nil)
	must(400, path+"/claim-reward", players[1].Token, nil)
	must(401, "/auth/login", "", map[string]string{"email": s.email, "password": "a wrong secret"})
	must(401, "/auth/login", "", map[string]string{"email": "nobody" + s.email, "password": "a wrong secret"})
	must(401, "/auth/refresh", "", map[string]string{"refreshToken": players[0].Token})
	return append(tokens, "a wrong secret")
}

// record is what a function's line has for queries.
type record struct {
	Route, Version, User, Show string
	LambdaRequestID            string `json:"lambda_request_id"`
	TraceID                    string `json:"trace_id"`
	Gate                       int
}

func recordOf(t *testing.T, line string) (r record) {
	t.Helper()
	if err := json.Unmarshal([]byte(line), &r); err != nil {
		t.Errorf("%v: %s", err, line)
	}
	return r
}

// nameOf returns the metric's name with its dimensions.
func nameOf(d cloudwatch.Datum) string {
	name := d.Name
	for _, key := range []string{"Code", "FunctionName", "FunctionVersion"} {
		if value, ok := d.Dimensions[key]; ok {
			name += fmt.Sprintf(" %s=%s", key, value)
		}
	}
	return name
}

func goldInLedgers(t *testing.T, s *store.Store) (paid, charged float64, accounts int) {
	t.Helper()
	err := s.EachAccount(t.Context(), func(a game.Account) error {
		accounts++
		rows, err := s.Ledger(t.Context(), a.ID)
		for _, row := range rows {
			paid, charged = paid+float64(max(row.Amount, 0)), charged-float64(min(row.Amount, 0))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paid, charged, accounts
}

// checkHistory judges what was played by the programs' own lines: it is right, and without one of them it is not.
func checkHistory(t *testing.T, table *store.Store, lines []string) {
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
	if r := check(lines); r.Found > 0 || r.Records != len(lines) || r.Table.Paid != r.Paid || r.Table.Charged != r.Charged {
		t.Errorf("%+v, of the table %+v", r, r.Table)
	}
	without := slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return strings.Contains(line, `"Entries":1`) })
	if r := check(without); r.Found == 0 || len(without) == len(lines) {
		t.Error("nobody misses the entries")
	}
}
