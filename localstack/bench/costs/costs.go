// Package costs computes the price of a month of the service from the cost of each call. docs/costs.md states a call's
// cost in the table, and docs/processor.md its processor time. The result leaves out free tiers, logs, data transfer
// and storage, whose prices docs/costs.md states.
package costs

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
	"github.com/ranch-game/ranch/shared/game"
)

// These are AWS's on-demand prices in us-east-1, in dollars (aws.amazon.com/dynamodb/pricing/on-demand, since November
// 2024; aws.amazon.com/api-gateway/pricing, HTTP APIs, the first 300 million; aws.amazon.com/lambda/pricing, arm64;
// aws.amazon.com/ec2/pricing/on-demand, data to the internet, the first 10 TB).
const (
	perMillionReadUnits    = 0.125
	perMillionWriteUnits   = 0.625
	perMillionGatewayCalls = 1.00
	perMillionInvocations  = 0.20
	perGigabyteSecond      = 0.0000133334
	perGigabyteSent        = 0.09 // for CostAlarm. Month leaves answers out: they are short
)

// Operation is the cost of one kind of call in the table.
type Operation struct {
	RoundTrips int // in sequence
	RCU, WCU   float64
}

// PerMillion returns the table's price for a million calls, in dollars.
func (o Operation) PerMillion() float64 {
	return o.RCU*perMillionReadUnits + o.WCU*perMillionWriteUnits
}

var row = regexp.MustCompile(`(?m)^\| ([^|]+) \| (\d+) \| ([\d.]+) \| ([\d.]+) \| [^|]+ \| [\d.]+ \|$`)

// Read returns the operations in the tables of page, the text of docs/costs.md, by name.
func Read(page string) (map[string]Operation, error) {
	all := map[string]Operation{}
	for _, found := range row.FindAllStringSubmatch(page, -1) {
		roundTrips, err1 := strconv.Atoi(found[2])
		rcu, err2 := strconv.ParseFloat(found[3], 64)
		wcu, err3 := strconv.ParseFloat(found[4], 64)
		if err := errors.Join(err1, err2, err3); err != nil {
			return nil, fmt.Errorf("the costs of %s: %w", found[1], err)
		}
		all[found[1]] = Operation{roundTrips, rcu, wcu}
	}
	return all, nil
}

// These are the assumptions about a player's month. docs/costs.md has them in sentences.
const (
	// sessions is the number of times that a player plays in a month: on two days of three.
	sessions = 20
	// entriesPerShow is the number of entries of a show when it is judged, each of a different player. If a show has
	// fewer entries, there are more judgings, but the price hardly changes.
	entriesPerShow = 100
	// prizesPerShow is the number of entries of a show that win gold: ranks 1 to 3, in every tier with prizes. The
	// players of the other entries also make a claim, but get no gold.
	prizesPerShow = 3
	// showSeen is the row of docs/costs.md for an open show that a player reads. On average the show is half full,
	// because entries grow from none to entriesPerShow. It has the default number of gates (counters of entries).
	showSeen = "getShow (50 entries, open), 16 gates"
	// listSeen is the row of docs/costs.md for a list that a player reads: a full page of the open shows of one tier.
	listSeen = "listShows (50 open, by tier)"
	// seasonSeen is the row of docs/costs.md for the season that a player reads. On average the season has 9.5
	// completed shows, because their number grows from none to 19 in a month. A player reads the result of the last
	// session's show before entering the next show.
	seasonSeen = "getSeason (10 shows of 100 entries)"
)

// Step is one kind of call in a session, with the average number of such calls in a session.
type Step struct {
	Operation string // as in docs/costs.md
	Calls     float64
}

// Session has the calls of a player's session.
var Session = []Step{
	{"refresh", 1},
	{"claimReward (prize), 16 gates", 1.0 * prizesPerShow / entriesPerShow},
	{"claimReward (none), 16 gates", 1 - 1.0*prizesPerShow/entriesPerShow},
	{seasonSeen, 1},
	{"listAnimals", 1},
	{listSeen, 1},
	{showSeen, 1},
	{"enterShow (fee), 16 gates", 1},
	{"judgeShow (100 entries), 16 gates", 1.0 / entriesPerShow},
}

// Line is the price of all calls of one kind in a month, in dollars.
type Line struct {
	Operation                         string
	Calls                             float64
	Table, Time, Invocations, Gateway float64
}

// line returns the price of a number of calls of one kind, with Lambda's price from the memory of the function f.
func (p processor) line(name string, o Operation, f samtemplate.Function, calls float64) (Line, error) {
	own, err := p.own(f)
	seconds := own + o.waits()
	return Line{
		Operation: name, Calls: calls, Table: calls / 1e6 * o.PerMillion(),
		Time:        calls * seconds * float64(f.MemoryMB) / 1024 * perGigabyteSecond,
		Invocations: calls / 1e6 * perMillionInvocations, Gateway: calls / 1e6 * perMillionGatewayCalls,
	}, err
}

// Dollars is the line's sum.
func (l Line) Dollars() float64 { return l.Table + l.Time + l.Invocations + l.Gateway }

// Month returns the price of a month for the given number of players: a line for each step of a session, one for the
// standings, and a last line with the sum. It returns an error if a step has no function or no cost.
func Month(operations map[string]Operation, template *samtemplate.Template, players int) ([]Line, error) {
	p, err := readProcessor(template)
	if err != nil {
		return nil, err
	}
	var lines []Line
	sum := Line{Operation: "Sum"}
	for _, step := range Session {
		id, _, _ := strings.Cut(step.Operation, " ") // the logical id with a small first letter
		f, found := template.Function(strings.ToUpper(id[:1]) + id[1:])
		o, known := operations[step.Operation]
		if !found || !known {
			return nil, fmt.Errorf("%q has no function in template.yaml, or no row in docs/costs.md", step.Operation)
		}
		l, err := p.line(step.Operation, o, f, step.Calls*sessions*float64(players))
		if err != nil {
			return nil, err
		}
		lines = append(lines, l)
		sum.Calls += l.Calls
		sum.Table += l.Table
		sum.Time += l.Time
		sum.Invocations += l.Invocations
		sum.Gateway += l.Gateway
	}
	folds, err := standings(operations, players)
	sum.Calls += folds.Calls
	sum.Table += folds.Table
	return append(lines, folds, sum), err
}

// standingsFolded is the row of docs/costs.md for a fold of a season's standings, and of how many players it is.
const standingsFolded, foldedPlayers = "updateStandings (10,000 players)", 10_000

// standings returns the price of the standings of a season in which all players have entered. Each judged show makes a
// fold, but there is at most one in each interval. It leaves out Lambda, which costs less than a tenth of it.
func standings(operations map[string]Operation, players int) (Line, error) {
	fold, known := operations[standingsFolded]
	if !known {
		return Line{}, fmt.Errorf("%q has no row in docs/costs.md", standingsFolded)
	}
	shows := sessions * float64(players) / entriesPerShow
	most := float64(30 * 24 * time.Hour / max(game.StandingsInterval(players), time.Minute))
	l := Line{Operation: standingsFolded, Calls: min(shows, most)}
	l.Table = l.Calls / 1e6 * fold.PerMillion() * float64(players) / foldedPlayers
	return l, nil
}

// Page renders the lines as a table in Markdown.
func Page(lines []Line) string {
	var b strings.Builder
	b.WriteString("| Operation | Calls | Table | Lambda's time | Lambda's calls | Gateway | $ a month |\n" +
		"|---|---:|---:|---:|---:|---:|---:|\n")
	for _, l := range lines {
		fmt.Fprintf(&b, "| %s | %.0f | %.2f | %.2f | %.2f | %.2f | %.2f |\n",
			l.Operation, l.Calls, l.Table, l.Time, l.Invocations, l.Gateway, l.Dollars())
	}
	return b.String()
}
