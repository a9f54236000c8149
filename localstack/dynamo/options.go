package dynamo

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
	"github.com/ranch-game/ranch/localstack/dynamo/settings"
)

// Kind names a random fault.
type Kind string

// These are the faults. Only writes and condition checks can get ErrorAfter or Late. They and TransactGetItems can get
// Conflict. Only a BatchGetItem of two or more keys can get Unprocessed. Every request for items can get the others.
const (
	Conflict    Kind = "conflict"    // refused as if a transaction held an item; nothing is applied
	Throttle    Kind = "throttle"    // refused for capacity; nothing is applied
	Unprocessed Kind = "unprocessed" // a part of a batch is left unprocessed
	Error       Kind = "error"       // a 500; nothing is applied
	ErrorAfter  Kind = "error-after" // applied; the answer is a 500
	Lost        Kind = "lost"        // applied; the connection is cut before the answer
	Broken      Kind = "broken"      // applied; the connection is cut in the middle of the answer
	Late        Kind = "late"        // a 500 or a cut connection; the request reaches the engine later
	Slow        Kind = "slow"        // applied; the answer arrives later
	Refuse      Kind = "refuse"      // the connection is cut, and for Options.Outage the server refuses new ones
)

// All lists the faults in the order of the intervals from which the simulator draws them.
var All = []Kind{Conflict, Throttle, Unprocessed, Error, ErrorAfter, Lost, Broken, Late, Slow, Refuse}

// befalls reports whether the request can get the fault.
func (k Kind) befalls(r *protocol.Request) bool {
	switch k {
	case Conflict:
		return r.Changes() || r.Operation == "TransactGetItems"
	case Unprocessed:
		return r.Batch.Len() > 1
	case ErrorAfter, Late:
		return r.Changes()
	}
	return true
}

// Options are the chances and the durations of the faults.
type Options struct {
	Seed   uint64
	Chance map[Kind]float64 // each fault's chance, from 0 to 1, for a request that can get it; their sum is at most 1

	Hold   time.Duration // the longest time for which a transaction holds its items after the engine applied it
	LateBy time.Duration // the longest delay of late attempts
	SlowBy time.Duration // the longest delay of slow answers
	Outage time.Duration // how long connections are refused after Refuse
}

// Parse reads options from one line: settings between commas, such as "all=0.5%,late=2%,hold=20ms,seed=7". The setting
// all sets the chance of every fault, and later settings can change single faults. A fault that the line does not name
// has the chance 0. If a setting is wrong, the error lists the allowed settings. Chances above 100% in all are an
// error, too.
func Parse(line string) (Options, error) {
	o := Options{Chance: map[Kind]float64{}, LateBy: 500 * time.Millisecond, SlowBy: 500 * time.Millisecond, Outage: 100 * time.Millisecond}
	flags := flag.NewFlagSet("dynamo", flag.ContinueOnError)
	chance := func(name, usage string, of ...Kind) {
		flags.Func(name, usage, func(value string) error {
			chance, err := parseChance(value)
			for _, k := range of {
				o.Chance[k] = chance
			}
			return err
		})
	}
	for _, k := range All {
		chance(string(k), string(k)+"=CHANCE", k)
	}
	chance("all", "all=CHANCE (0.5% or 0.005)", All...)
	for name, to := range map[string]*time.Duration{"hold": &o.Hold, "late-by": &o.LateBy, "slow-by": &o.SlowBy, "outage": &o.Outage} {
		settings.Duration(flags, to, name)
	}
	flags.Uint64Var(&o.Seed, "seed", 0, "seed=NUMBER")
	if err := settings.Set(flags, line); err != nil {
		return Options{}, err
	}
	sum := 0.0
	for _, f := range All {
		sum += o.Chance[f]
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
