package dynamo

import (
	"math/rand/v2"
	"time"

	"github.com/ranch-game/ranch/localstack/dynamo/visibility"
)

// decision is all that is left to chance about one request.
type decision struct {
	fault  Fault         // "" for none
	hold   time.Duration // how long a transaction's items are held
	shows  []float64     // when its items are shown, from 0 to 1 of hold, by their order
	delay  time.Duration // of a late attempt, of a slow answer
	pick   float64       // from 0 to 1: which of the items, or how many of them
	second bool          // the fault's second form
}

// decide returns what becomes of the n-th request.
func (o *Options) decide(n uint64, r *visibility.Request) decision {
	random := rand.New(rand.NewPCG(o.Seed, n))
	d := decision{fault: o.draw(random.Float64(), r)}
	// All of it is drawn for every request, so that a chance that is changed leaves the rest as it was.
	d.pick, d.second = random.Float64(), random.Float64() < 0.5
	share := random.Float64()
	d.hold = time.Duration(random.Float64() * float64(o.Hold))
	switch d.fault {
	case Late:
		d.delay = time.Duration(share * float64(o.LateBy))
	case Slow:
		d.delay = time.Duration(share * float64(o.SlowBy))
	}
	for range r.Writes {
		d.shows = append(d.shows, random.Float64())
	}
	return d
}

// draw returns the fault that a number from 0 to 1 stands for.
func (o *Options) draw(number float64, r *visibility.Request) Fault {
	for _, f := range All {
		if number < o.Chance[f] {
			if !f.befalls(r) {
				return ""
			}
			return f
		}
		number -= o.Chance[f]
	}
	return ""
}

// befalls reports whether a request can meet the fault.
func (f Fault) befalls(r *visibility.Request) bool {
	switch f {
	case Conflict:
		return r.Changes() && r.Operation != "BatchWriteItem" || r.Operation == "TransactGetItems"
	case Unprocessed:
		return r.Operation == "BatchWriteItem" && len(r.Writes) > 1 || r.Operation == "BatchGetItem" && len(r.Reads) > 1
	case ErrorAfter, Late:
		return r.Changes()
	}
	return true
}

// ofRepetition returns what may be played where the transaction with this token is under way or has succeeded: DynamoDB
// goes by the token first, so that nothing can cancel it any more. The request itself may still be throttled.
func (d decision) ofRepetition() decision {
	switch d.fault {
	case Conflict:
		d.fault = ""
	case Throttle:
		d.second = true
	}
	return d
}
