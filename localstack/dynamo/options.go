package dynamo

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ranch-game/ranch/localstack/dynamo/settings"
)

// kinds lists the faults in the order of the intervals from which the Server draws them.
var kinds = []string{"conflict", "throttle", "unprocessed", "error", "error-after", "lost", "broken", "late", "slow"}

// Options are the chances and the durations of the faults.
type Options struct {
	Seed   uint64
	Chance map[string]float64 // each fault's chance, from 0 to 1; their sum is at most 1

	Hold   time.Duration // how long a transaction holds its items
	LateBy time.Duration // the longest delay of late attempts
	SlowBy time.Duration // the longest delay of slow answers
}

// Parse reads options from one line: settings between commas, such as "all=0.5%,late=2%,hold=20ms,seed=7". The setting
// all sets the chance of every fault, and later settings can change single faults. A fault that the line does not name
// has the chance 0. If a setting is wrong, the error lists the allowed settings. Chances above 100% in all are an
// error, too.
func Parse(line string) (Options, error) {
	o := Options{Chance: map[string]float64{}, LateBy: 500 * time.Millisecond, SlowBy: 500 * time.Millisecond}
	flags := flag.NewFlagSet("dynamo", flag.ContinueOnError)
	chance := func(name, usage string, of ...string) {
		flags.Func(name, usage, func(value string) error {
			chance, err := parseChance(value)
			for _, k := range of {
				o.Chance[k] = chance
			}
			return err
		})
	}
	for _, k := range kinds {
		chance(k, k+"=CHANCE", k)
	}
	chance("all", "all=CHANCE (0.5% or 0.005)", kinds...)
	settings.Duration(flags, &o.Hold, "hold")
	settings.Duration(flags, &o.LateBy, "late-by")
	settings.Duration(flags, &o.SlowBy, "slow-by")
	flags.Uint64Var(&o.Seed, "seed", 0, "seed=NUMBER")
	if err := settings.Set(flags, line); err != nil {
		return Options{}, err
	}
	sum := 0.0
	for _, c := range o.Chance {
		sum += c
	}
	if sum > 1+1e-9 {
		return Options{}, fmt.Errorf("dynamo: %q: the chances are %.4g%% in all, more than 100%%", line, 100*sum)
	}
	return o, nil
}

// parseChance reads a chance such as "0.5%" or "0.005".
func parseChance(s string) (float64, error) {
	number, percent := strings.CutSuffix(s, "%")
	f, err := strconv.ParseFloat(number, 64)
	if percent {
		f /= 100
	}
	if err == nil && !(f >= 0 && f <= 1) {
		err = errors.New("a chance must be from 0 to 100%")
	}
	return f, err
}

// pick returns the fault that a number from 0 to 1 selects, or "" for none.
func (o *Options) pick(number float64) string {
	for _, k := range kinds {
		if number < o.Chance[k] {
			return k
		}
		number -= o.Chance[k]
	}
	return ""
}
