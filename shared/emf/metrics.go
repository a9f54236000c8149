// Package emf makes metrics from log lines, in CloudWatch's Embedded Metric Format: a member _aws in a line of JSON
// names the members that are metrics. CloudWatch reads them from the log by itself (docs/adr/0014-signals.md).
//
// Metrics returns all of them. template.yaml's alarms and dashboard use their names, which a change must keep.
package emf

import (
	"slices"

	"github.com/ranch-game/ranch/shared/tally"
)

// The units, in CloudWatch's spelling. Unitless is CloudWatch's unit of a metric without one.
const (
	Count        = "Count"
	Milliseconds = "Milliseconds"
	Seconds      = "Seconds"
	Unitless     = "None"
)

// The dimensions: members of the line whose values distinguish a metric. Each combination of values is a metric of its
// own, and costs as much as one.
const (
	FunctionName    = "FunctionName"    // the function's name in Lambda
	FunctionVersion = "FunctionVersion" // the published version, or "$LATEST"
	Code            = "Code"            // the error code of a refusal
)

// Metric is CloudWatch's metric of a figure.
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

// definitions are the metrics of the figures. AWS counts some things for free, which are not among them: calls, their
// duration, 5xx answers, throttles.
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
	tally.Gate:             {}, // none: it would be one metric for each gate
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
