package costs

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/ranch-game/ranch/localstack/sam/samtemplate"
	"github.com/ranch-game/ranch/shared/boot"
)

// These are the times, in seconds, for which a call waits for the table. docs/costs.md states these assumptions.
const (
	secondsPerRoundTrip = 0.005
	secondsPerWrite     = 0.010 // the additional time of a transaction
)

// waits returns how long, in seconds, a call waits for the table.
func (o Operation) waits() float64 {
	s := float64(o.RoundTrips) * secondsPerRoundTrip
	if o.WCU > 0 {
		s += secondsPerWrite
	}
	return s
}

// processor has the time, in seconds, that a call computes on a whole processor, by the name of the function's program.
type processor map[string]float64

var measuredRow = regexp.MustCompile(`(?m)^\| [^|]+ \| ([a-z]+) \| [\d.]+ \| [\d.]+ \| [\d.]+ \| ([\d.]+) \| \d+ \| \d+ \|$`)

// readProcessor reads the median processor times of docs/processor.md: for each function, the longest time of a call.
func readProcessor(template *samtemplate.Template) (processor, error) {
	page, err := os.ReadFile(filepath.Join(template.Root, "docs", "processor.md"))
	if err != nil {
		return nil, err
	}
	p := processor{}
	for _, row := range measuredRow.FindAllStringSubmatch(string(page), -1) {
		milliseconds, err := strconv.ParseFloat(row[2], 64)
		if err != nil {
			return nil, fmt.Errorf("docs/processor.md: %s: %w", row[1], err)
		}
		p[row[1]] = max(p[row[1]], milliseconds/1000)
	}
	return p, nil
}

// share returns the share of a processor that Lambda gives to a call of the function, at most 1. More than one
// processor would not make a call shorter, because calls do little in parallel.
func share(f samtemplate.Function) float64 {
	return min(1, float64(f.MemoryMB)/boot.MemoryOfAProcessor)
}

// own returns the time, in seconds, that a call of the function computes in Lambda, without its waits for the table.
func (p processor) own(f samtemplate.Function) (float64, error) {
	whole, known := p[path.Base(f.Folder)]
	if !known {
		return 0, fmt.Errorf("docs/processor.md has no call of %s", f.LogicalID)
	}
	return whole / share(f), nil
}

// InLambda returns a table in Markdown with the expected duration in Lambda of the calls of Flood.
func InLambda(operations map[string]Operation, template *samtemplate.Template) (string, error) {
	p, err := readProcessor(template)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("| Function | MB | Share of a processor | Own ms | Waits ms | Expected ms |\n|---|---:|---:|---:|---:|---:|\n")
	for _, f := range template.Endpoints() {
		own, err := p.own(f)
		if err != nil {
			return "", err
		}
		row, err := dearest(f, operations)
		if err != nil {
			return "", err
		}
		waits := operations[row].waits()
		fmt.Fprintf(&b, "| %s | %d | %.2f | %.1f | %.0f | %.1f |\n", f.LogicalID, f.MemoryMB, share(f), 1000*own, 1000*waits, 1000*(own+waits))
	}
	return b.String(), nil
}
