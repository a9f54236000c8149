package dynamo

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/dynamo/protocol"
)

func TestParse(t *testing.T) {
	t.Parallel()
	with := func(change func(o *Options)) Options {
		o := Options{Chance: map[Kind]float64{}, LateBy: time.Second / 2, SlowBy: time.Second / 2, Outage: time.Second / 10}
		change(&o)
		return o
	}
	everything := func(chance float64) map[Kind]float64 {
		all := map[Kind]float64{}
		for _, k := range All {
			all[k] = chance
		}
		return all
	}
	for s, want := range map[string]Options{
		"":                            with(func(*Options) {}),
		"all=0.5%":                    with(func(o *Options) { o.Chance = everything(0.005) }),
		"all=1%,late=2%, slow=0":      with(func(o *Options) { o.Chance = everything(0.01); o.Chance[Late], o.Chance[Slow] = 0.02, 0 }),
		"conflict=0.25,hold=20ms":     with(func(o *Options) { o.Chance[Conflict], o.Hold = 0.25, 20*time.Millisecond }),
		"late=1,late-by=2s":           with(func(o *Options) { o.Chance[Late], o.LateBy = 1, 2*time.Second }),
		"seed=7,slow-by=0s,outage=1m": with(func(o *Options) { o.Seed, o.SlowBy, o.Outage = 7, 0, time.Minute }),
	} {
		got, err := Parse(s)
		assert.True(t, err == nil && reflect.DeepEqual(got, want), "%q: %+v, %v; want %+v", s, got, err, want)
	}
	for s, says := range map[string]string{
		"late": "allowed are all=CHANCE (0.5% or 0.005), broken=CHANCE, ", "late=101%": "a chance must be from 0 to 100%", "late=NaN": "a chance must be", "none=1%": "unknown setting",
		"hold=2m": "a duration must be from 0 to 1m0s", "late=1%;lost=1%": "invalid", "all=11%": "more than 100%", "late=60%,lost=50%": "more than 100%",
	} {
		got, err := Parse(s)
		assert.True(t, err != nil && reflect.DeepEqual(got, Options{}) && strings.Contains(err.Error(), says), "%q: %+v, %v", s, got, err)
	}
}

// TestDecisions checks that a number always gives the same random values, and a request only possible faults.
func TestDecisions(t *testing.T) {
	t.Parallel()
	o, err := Parse("all=9%,hold=20ms")
	require.NoError(t, err)
	met := map[Kind]int{}
	transaction := &protocol.Request{Operation: "TransactWriteItems", Writes: make([]protocol.Key, 3)}
	for n := range uint64(5000) {
		d := o.decide(n, transaction)
		again := o.decide(n, transaction)
		require.True(t, reflect.DeepEqual(d, again), "request %d: %+v, then %+v", n, d, again)
		require.True(t, d.hold >= 0 && d.hold <= o.Hold && len(d.shows) == 3 && slices.Max(d.shows) <= 1 && d.delay <= o.LateBy,
			"request %d: %+v", n, d)
		met[d.fault]++
	}
	for _, k := range All { // 450 are expected; the standard deviation is 20
		want := k.befalls(transaction)
		assert.True(t, (!want || met[k] >= 300 && met[k] <= 600) && (want || met[k] <= 0), "%s is met %d times of 5000", k, met[k])
	}
	clear(met)
	for n := range uint64(1000) {
		met[o.decide(n, &protocol.Request{Operation: "GetItem", Reads: make([]protocol.Range, 1)}).fault]++
	}
	delete(met, "")
	got, want := slices.Sorted(maps.Keys(met)), []Kind{Broken, Error, Lost, Refuse, Slow, Throttle}
	assert.True(t, slices.Equal(got, want), "reads meet %v, want %v", got, want)
}
