// Package emf adds metrics to log lines in CloudWatch's Embedded Metric Format. In this format the member _aws of a
// JSON line lists which other members are metrics. CloudWatch reads the metrics from the log, without a call of its API
// (docs/adr/0014-signals.md).
//
// The function Metrics returns all metrics. The alarms and the dashboard in template.yaml use the names: do not change
// them.
package emf

import "github.com/ranch-game/ranch/shared/tally"

// These are the units in CloudWatch's spelling. Unitless is CloudWatch's unit for a plain number.
const (
	Count        = "Count"
	Milliseconds = "Milliseconds"
	Seconds      = "Seconds"
	Unitless     = "None"
)

// These are the dimensions: members of a line whose values distinguish metrics. CloudWatch keeps a separate metric, and
// charges for it, for each combination of values.
const (
	FunctionName    = "FunctionName"    // the function's name in Lambda
	FunctionVersion = "FunctionVersion" // the published version, or "$LATEST"
	Code            = "Code"            // the error code of a refusal
)

// Metric is the metric in CloudWatch that belongs to a figure of package tally.
type Metric struct {
	Name string
	Unit string
	// Dimensions holds the metric's sets of dimensions. CloudWatch keeps the metric once for each set. The metric of
	// the empty set adds up the whole stack.
	Dimensions [][]string
}

// kind is an index of dimensions: the sets of dimensions of a metric.
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

// definitions holds the unit and the kind of each figure's metric. A figure without a unit has no metric. There are no
// metrics for what AWS counts without a charge: calls, their duration, 5xx answers and throttles.
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
	tally.OldestUnfolded:   {Seconds, ofStack},
	tally.SyntheticPlays:   {Count, ofStack},
	tally.TurnedAway:       {Count, ofStack},
	tally.Gate:             {}, // none: it would be one metric for each gate
}

// Metrics returns every metric that a function emits, in the order of the figures. Do not change the dimensions.
func Metrics() []Metric {
	var all []Metric
	for _, f := range tally.Figures() {
		if d := definitions[f]; d.unit != "" {
			all = append(all, Metric{f.String(), d.unit, dimensions[d.kind]})
		}
	}
	return all
}
