package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/ranch-game/ranch/localstack/bench/loadtest/million"
	"github.com/ranch-game/ranch/localstack/bench/loadtest/report"
)

// dailyPlayers are those of the day on the page.
const dailyPlayers = 1_000_000

// popularities are how steep the shows' popularity is on the page: as Zipf has it, and flatter and steeper.
var popularities = []float64{0.8, 1, 1.2}

// aMillion plays nothing: it reckons a day of a million players.
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
	used := map[string]float64{}
	for _, use := range million.Usual.Uses(costs, dailyPlayers) {
		used[use.Limit] = use.Of
	}
	breaks := report.Table{Header: []string{"#No.", "Limit", "#used by 1,000,000 a day"}}
	columns := map[string][]string{}
	for _, popularity := range popularities {
		day := million.Usual
		day.Popularity = popularity
		breaks.Header = append(breaks.Header, fmt.Sprintf("#breaks at (Zipf %.1f)", popularity))
		for _, b := range day.Breaks(costs) {
			columns[b.Limit] = append(columns[b.Limit], thousands(b.Players))
		}
	}
	for i, b := range million.Usual.Breaks(costs) {
		if i < 3 {
			tell("breaks at %s daily players: %s", thousands(b.Players), b.Limit)
		}
		row := []any{i + 1, b.Limit, percent(used[b.Limit])}
		for _, players := range columns[b.Limit] {
			row = append(row, players)
		}
		breaks.Add(row...)
	}
	return findings{tables: map[string]report.Table{"million": breaks}}, nil
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
