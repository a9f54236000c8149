package capacity

import (
	"context"
	"errors"
	"flag"
	"net/http"
	"strconv"
	"time"

	"github.com/ranch-game/ranch/localstack/dynamo/settings"
)

// Options are the limits of an account's tables. The zero value has no limits and no delays: requests are only counted.
type Options struct {
	// Partitions is the number of partitions over which a table distributes the values of its partition key, by their
	// hash. 0 gives every value a partition of its own.
	Partitions uint
	// PartitionRead and PartitionWrite are the units a second that every partition serves. They are also the most units
	// that one request may consume of a partition, but at least 1. 0 means no limit.
	PartitionRead, PartitionWrite float64
	// TableRead and TableWrite are the units a second that every table serves as a whole. 0 means no limit.
	TableRead, TableWrite float64
	// Scale divides all units a second, so that a small test represents a load and a table that are Scale times larger.
	// 0 means 1. Scale does not change holds, latencies, or the most units that a request may consume.
	Scale float64

	// Hold is the least time, from admission to commit, for which a transaction holds its items. 0 turns conflicts off.
	Hold time.Duration
	// Latency delays responses as the cloud does (latency.go). Without it, they take the engine's time.
	Latency bool

	Clock Clock                        // nil is the machine's
	Who   func(r *http.Request) string // returns the client's name for the rows of a Snapshot; nil: all have ""
}

// Clock returns the time, and waits. Tests use one of their own.
type Clock interface {
	Now() time.Time
	// Sleep returns nil after the duration d. If the context ends earlier, Sleep returns the context's error.
	Sleep(ctx context.Context, d time.Duration) error
}

// Fresh returns the options of a new on-demand table, with the latencies of the cloud. A partition serves at most 3,000
// read and 1,000 write units a second (Developer Guide, "Designing partition keys to distribute your workload"). A new
// table serves 12,000 read and 4,000 write units a second ("DynamoDB on-demand capacity mode", initial throughput),
// which is four partitions. A transaction holds its items for 12 ms: the cloud's take 8 to 20 ms.
func Fresh() Options {
	return Options{
		Partitions: 4, PartitionRead: 3_000, PartitionWrite: 1_000, TableRead: 12_000, TableWrite: 4_000,
		Hold: 12 * time.Millisecond, Latency: true,
	}
}

// machineClock is the real time.
type machineClock struct{}

func (machineClock) Now() time.Time { return time.Now() }

func (machineClock) Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// Parse reads options from one line: settings between commas, such as "fresh,hold=20ms,scale=10" or
// "read=3000,write=1000". The setting "fresh" sets the options of Fresh, and later settings change them. The settings
// read and write are units a second for each partition; table-read and table-write are for each table. The setting
// scale, anywhere in the line, divides all four. An empty line gives the zero value. An error lists the allowed
// settings.
func Parse(line string) (Options, error) {
	var o Options
	flags := flag.NewFlagSet("capacity", flag.ContinueOnError)
	flags.Func("fresh", "fresh (first)", func(value string) error {
		if flags.NFlag() > 0 || value != "" {
			return errors.New("fresh must be first and has no value")
		}
		o = Fresh()
		return nil
	})
	for name, to := range map[string]*float64{
		"read": &o.PartitionRead, "write": &o.PartitionWrite, "table-read": &o.TableRead, "table-write": &o.TableWrite, "scale": &o.Scale,
	} {
		flags.Func(name, name+"=NUMBER", func(value string) (err error) {
			*to, err = strconv.ParseFloat(value, 64)
			// Within these bounds, no division by scale gives 0 or infinity.
			if err == nil && !(*to >= 1e-12 && *to <= 1e12) {
				err = errors.New("a number must be from 1e-12 to 1e12")
			}
			return err
		})
	}
	flags.UintVar(&o.Partitions, "partitions", 0, "partitions=NUMBER")
	flags.Func("latency", "latency=cloud or latency=none", func(value string) error {
		if value != "cloud" && value != "none" {
			return errors.New("latency must be cloud or none")
		}
		o.Latency = value == "cloud"
		return nil
	})
	settings.Duration(flags, &o.Hold, "hold")
	if err := settings.Set(flags, line); err != nil {
		return Options{}, err
	}
	return o, nil
}
