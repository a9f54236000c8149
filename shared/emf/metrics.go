// Package emf makes metrics of what the log says, in CloudWatch's Embedded Metric Format: a member _aws in a line of
// JSON names those of its other members that are metrics. CloudWatch takes them from the log by itself
// (docs/adr/0014-signals.md).
//
// Metrics has all of them: template.yaml's alarms and dashboard go by their names, which a change must keep.
package emf

import (
	"slices"

	"github.com/ranch-game/ranch/shared/tally"
)

// The units, in CloudWatch's spelling. Unitless is what CloudWatch takes a metric for whose unit is not said.
const (
	Count        = "Count"
	Milliseconds = "Milliseconds"
	Seconds      = "Seconds"
	Unitless     = "None"
)

// The dimensions: members of the line whose values distinguish a metric. Each combination of values that occurs is a
// metric of its own, and costs as much as one.
const (
	FunctionName    = "FunctionName"    // what Lambda calls the function
	FunctionVersion = "FunctionVersion" // the published version, "$LATEST" where there is none
	Code            = "Code"            // the error code of a refusal
)

// Metric is what CloudWatch makes of a figure.
type Metric struct {
	Name string
	Unit string
	// Dimensions are its sets of dimensions: it exists once for each set. The empty set is the whole stack.
	Dimensions [][]string
}

// kind is the dimensions of a metric.
type kind int

const (
	ofStack kind = iota
	ofFunction
	ofStackAndFunction
	ofCode
	kinds
)

var dimensions = [kinds][][]string{
	ofStack:            {{}},
	ofFunction:         {{FunctionName, FunctionVersion}},
	ofStackAndFunction: {{}, {FunctionName, FunctionVersion}},
	ofCode:             {{Code}},
}

// definitions say what metric each figure is. What AWS counts for nothing is not among them: calls, their duration, 5xx
// answers, throttles.
var definitions = [...]struct {
	unit string
	kind kind
}{
	tally.Faults:           {Count, ofStackAndFunction},
	tally.ColdStarts:       {Count, ofFunction},
	tally.Refusals:         {Count, ofCode},
	tally.RefreshRefusals:  {Count, ofStack},
	tally.Attempts:         {Count, ofStack},
	tally.Conflicts:        {Count, ofStack},
	tally.Retries:          {Count, ofStack},
	tally.Leases:           {Count, ofStack},
	tally.DamagedShows:     {Count, ofStack},
	tally.GoldPaid:         {Unitless, ofStack},
	tally.GoldCharged:      {Unitless, ofStack},
	tally.Entries:          {Count, ofStack},
	tally.JudgedEntries:    {Unitless, ofStack},
	tally.JudgingDuration:  {Milliseconds, ofStack},
	tally.EarlyJudgings:    {Count, ofStack},
	tally.KeysUnparsable:   {Count, ofStack},
	tally.LedgersAudited:   {Count, ofStack},
	tally.LedgerDrift:      {Count, ofStack},
	tally.Leftovers:        {Count, ofStack},
	tally.NamesHidden:      {Count, ofStack},
	tally.OldestUnfinished: {Seconds, ofStack},
	tally.OldestOverdue:    {Seconds, ofStack},
	tally.SyntheticPlays:   {Count, ofStack},
	tally.TurnedAway:       {Count, ofStack},
	tally.Gate:             {}, // none: it would be as many metrics as a show has gates
}

// Metrics returns every metric that a function emits, in the order of the figures.
func Metrics() []Metric {
	var all []Metric
	for _, f := range tally.Figures() {
		if d := definitions[f]; d.unit != "" {
			sets := make([][]string, len(dimensions[d.kind]))
			for i, set := range dimensions[d.kind] {
				sets[i] = slices.Clone(set)
			}
			all = append(all, Metric{f.String(), d.unit, sets})
		}
	}
	return all
}
