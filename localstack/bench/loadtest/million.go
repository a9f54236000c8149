package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/ranch-game/ranch/localstack/bench/loadtest/million"
	"github.com/ranch-game/ranch/localstack/bench/loadtest/report"
)

// dailyPlayers are those of the day on the page.
const dailyPlayers = 1_000_000

// popularities are how steep the shows' popularity is on the page: as Zipf has it, and flatter and steeper.
var popularities = []float64{0.8, 1, 1.2}

// aMillion plays nothing: it reckons the ceilings, and a day of a million players.
func aMillion(_ context.Context, b *bench, _ float64) (findings, error) {
	page, err := os.ReadFile(filepath.Join(b.template.Root, "docs", "costs.md"))
	if err != nil {
		return findings{}, err
	}
	return reckon(string(page), b.tell)
}

// reckon goes by what docs/costs.md says.
func reckon(page string, tell func(format string, args ...any)) (findings, error) {
	costs, err := million.ReadCosts(page)
	if err != nil {
		return findings{}, err
	}
	ceilings := report.Table{Header: []string{"Call", "The hottest", "Ceiling", "From", "What raises it"}}
	for _, c := range costs.Ceilings() {
		ceilings.Add(c.Call, c.Hottest, c.Most, c.Formula, c.Raises)
	}
	used := map[string]float64{}
	for _, use := range million.Usual.Uses(costs, dailyPlayers) {
		used[use.Limit] = use.Of
	}
	breaks := report.Table{Header: []string{"#", "Limit", "#used by 1,000,000 a day"}}
	columns := map[string][]string{}
	for _, popularity := range popularities {
		day := million.Usual
		day.Popularity = popularity
		breaks.Header = append(breaks.Header, fmt.Sprintf("#breaks at (Zipf %.1f)", popularity))
		for _, b := range day.Breaks(costs) {
			columns[b.Limit] = append(columns[b.Limit], thousands(b.Players))
		}
	}
	chart := report.Chart{Title: "Daily players for whom a limit is too small, each by itself", Goal: dailyPlayers, Says: "1,000,000 daily players", Log: true}
	for i, b := range million.Usual.Breaks(costs) {
		if i < 3 {
			tell("breaks at %s daily players: %s", thousands(b.Players), b.Limit)
		}
		row := append([]any{i + 1, b.Limit, percent(used[b.Limit])}, toAny(columns[b.Limit])...)
		breaks.Add(row...)
		name, what, _ := strings.Cut(b.Limit, ":")
		chart.Bars = append(chart.Bars, report.Bar{Label: short(name, what), Value: b.Players, Text: thousands(b.Players)})
	}
	breaks.Header[0] = "#No."
	return findings{nil, map[string]report.Table{"ceilings": ceilings, "million": breaks}, map[string]report.Chart{"million": chart}}, nil
}

func toAny(texts []string) []any {
	all := make([]any, len(texts))
	for i, text := range texts {
		all[i] = text
	}
	return all
}

// short is a limit's name for a narrow column.
func short(name, what string) string {
	name = strings.TrimPrefix(strings.Replace(name, "The most popular show's", "top show's", 1), "The ")
	if word, _, _ := strings.Cut(strings.TrimSpace(what), " "); word == "lists" || word == "entries" {
		name += ", " + word
	}
	return name
}

// thousands rounds a number to two digits, since a model has no more, and sets commas.
func thousands(f float64) string {
	digits := math.Pow(10, math.Floor(math.Log10(f))-1)
	text := fmt.Sprintf("%.0f", math.Round(f/digits)*digits)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
