package costs

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"

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

var measuredRow = regexp.MustCompile(`(?m)^\| [^|]+ \| ([a-z]+) \| [\d.]+ \| [\d.]+ \| ([\d.]+) \|$`)

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

// own returns the time, in seconds, that a call of the function computes in Lambda, without its waits for the table.
// The function's memory determines its share of a processor. More than one processor would not make a call shorter,
// because calls do little in parallel.
func (p processor) own(f samtemplate.Function) (float64, error) {
	whole, known := p[path.Base(f.Folder)]
	if !known {
		return 0, fmt.Errorf("docs/processor.md has no call of %s: make measure", f.LogicalID)
	}
	return whole / min(1, float64(f.MemoryMB)/boot.MemoryOfAProcessor), nil
}
