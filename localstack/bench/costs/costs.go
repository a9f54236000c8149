// Package costs computes the price of a month of the service, from the cost of each call in docs/costs.md and in
// docs/processor.md. It leaves out the free tiers, logs, data transfer and storage; docs/costs.md has their prices.
package costs

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
)

// AWS's prices in us-east-1, on demand, in dollars (aws.amazon.com/dynamodb/pricing/on-demand, since November 2024;
// aws.amazon.com/api-gateway/pricing, HTTP APIs, the first 300 million; aws.amazon.com/lambda/pricing, arm64).
const (
	perMillionReadUnits    = 0.125
	perMillionWriteUnits   = 0.625
	perMillionGatewayCalls = 1.00
	perMillionInvocations  = 0.20
	perGigabyteSecond      = 0.0000133334
)

// Operation is the cost of a call at the table.
type Operation struct {
	RoundTrips int // in sequence
	RCU, WCU   float64
}

// PerMillion returns the table's price for a million calls, in dollars.
func (o Operation) PerMillion() float64 {
	return o.RCU*perMillionReadUnits + o.WCU*perMillionWriteUnits
}

var row = regexp.MustCompile(`(?m)^\| ([^|]+) \| (\d+) \| ([\d.]+) \| ([\d.]+) \| [^|]+ \| [\d.]+ \|$`)

// Read returns the operations of docs/costs.md, by name.
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

// The assumptions about a player's month. docs/costs.md has them in sentences.
const (
	// sessions is how often a player plays: on two days of three.
	sessions = 20
	// entriesPerShow is the number of entries of a show at its judging, one of each player. The fewer there are, the
	// more judgings there are, which hardly change the price.
	entriesPerShow = 100
	// prizesPerShow is the number of entries with gold: ranks 1 to 3, in every tier with prizes. The others claim, too.
	prizesPerShow = 3
	// showSeen is the open show that a player reads. It fills from none to entriesPerShow, so that it is half full on
	// average, and has the default number of gates.
	showSeen = "getShow (50 entries, open), 16 gates"
	// listSeen is the list that a player reads: the open shows of one tier, with a full page.
	listSeen = "listShows (50 open, by tier)"
	// seasonSeen is the season that a player reads. It has none to 19 of the month's shows, 9.5 on average. They are
	// judged: a player reads the result of the last session's show before entering the next one.
	seasonSeen = "getSeason (10 shows of 100 entries)"
)

// Step is a call, and how often it occurs in a session on average.
type Step struct {
	Operation string // as in docs/costs.md
	Calls     float64
}

// Session is a player's session.
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

// functionOf returns the function of a row of docs/costs.md: rows begin with the operationId, which is the function's
// logical id with a small first letter.
func functionOf(operation string, template *samtemplate.Template) (samtemplate.Function, error) {
	id, _, _ := strings.Cut(operation, " ")
	for _, f := range template.Functions {
		if strings.ToLower(f.LogicalID[:1])+f.LogicalID[1:] == id {
			return f, nil
		}
	}
	return samtemplate.Function{}, fmt.Errorf("%q: template.yaml has no such function", operation)
}

// Line is the price of one kind of call in a month, in dollars.
type Line struct {
	Operation                         string
	Calls                             float64
	Table, Time, Invocations, Gateway float64
}

// line returns the price of calls of a function.
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

// Month returns a line for each step of a session, and their sum as the last one.
func Month(operations map[string]Operation, template *samtemplate.Template, players int) ([]Line, error) {
	p, err := readProcessor(template)
	if err != nil {
		return nil, err
	}
	var lines []Line
	sum := Line{Operation: "Sum"}
	for _, step := range Session {
		f, err := functionOf(step.Operation, template)
		o, known := operations[step.Operation]
		if err != nil || !known {
			return nil, errors.Join(err, fmt.Errorf("docs/costs.md has no row of %q", step.Operation))
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
	return append(lines, sum), nil
}

// Page renders the lines as a table in Markdown.
func Page(lines []Line) string {
	var b strings.Builder
	b.WriteString("| Operation | Calls | Table | Lambda's time | Lambda's calls | Gateway | $ a month |\n|---|---:|---:|---:|---:|---:|---:|\n")
	for _, l := range lines {
		fmt.Fprintf(&b, "| %s | %.0f | %.2f | %.2f | %.2f | %.2f | %.2f |\n", l.Operation, l.Calls, l.Table, l.Time, l.Invocations, l.Gateway, l.Dollars())
	}
	return b.String()
}
