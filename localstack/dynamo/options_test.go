package dynamo

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ranch-game/ranch/localstack/dynamo/visibility"
)

func TestParse(t *testing.T) {
	t.Parallel()
	with := func(change func(o *Options)) Options {
		o := Defaults()
		change(&o)
		return o
	}
	everything := func(chance float64) map[Fault]float64 {
		all := map[Fault]float64{}
		for _, f := range All {
			all[f] = chance
		}
		return all
	}
	for s, want := range map[string]Options{
		"":                        Defaults(),
		"all=0.5%":                with(func(o *Options) { o.Chance = everything(0.005) }),
		"all=1%,late=2%, slow=0":  with(func(o *Options) { o.Chance = everything(0.01); o.Chance[Late], o.Chance[Slow] = 0.02, 0 }),
		"late=1,late-by=2s":       with(func(o *Options) { o.Chance[Late], o.LateBy = 1, 2*time.Second }),
		"conflict=0.25,hold=20ms": with(func(o *Options) { o.Chance[Conflict], o.Hold = 0.25, 20*time.Millisecond }),
		"seed=7,slow-by=0s,outage=1m": with(func(o *Options) {
			o.Seed, o.SlowBy, o.Outage = 7, 0, time.Minute
		}),
	} {
		if got, err := Parse(s); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, %v; want %+v", s, got, err, want)
		}
	}
}

func TestParse_refusals(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"late", "late=", "late=2", "late=101%", "late=-1", "late=NaN", "none=1%", "Late=1%", "all", "hold=1", "hold=-1ms", "hold=2m", "seed=-1",
		"seed=x", ",", "late=1%,", "late=1%;lost=1%"} {
		if got, err := Parse(s); err == nil || !reflect.DeepEqual(got, Options{}) || !strings.Contains(err.Error(), "allowed are conflict=CHANCE, ") {
			t.Errorf("%q: %+v, %v", s, got, err)
		}
	}
	for _, s := range []string{"all=11%", "late=60%,lost=50%"} {
		if got, err := Parse(s); err == nil || !reflect.DeepEqual(got, Options{}) || !strings.Contains(err.Error(), "more than 100%") {
			t.Errorf("%q: %+v, %v", s, got, err)
		}
	}
}

var (
	aTransaction = &visibility.Request{Operation: "TransactWriteItems", Writes: make([]visibility.Key, 3)}
	aRead        = &visibility.Request{Operation: "GetItem", Reads: make([]visibility.Range, 1)}
)

// A decision follows from seed, number and operation, and from nothing else.
func TestDecisions(t *testing.T) {
	t.Parallel()
	o, err := Parse("all=9%,hold=20ms")
	if err != nil {
		t.Fatal(err)
	}
	another := o
	another.Seed++
	differ := 0
	met := map[Fault]int{}
	for n := range uint64(5000) {
		d := o.decide(n, aTransaction)
		if again := o.decide(n, aTransaction); !reflect.DeepEqual(d, again) {
			t.Fatalf("request %d: %+v, then %+v", n, d, again)
		}
		if !reflect.DeepEqual(d, another.decide(n, aTransaction)) {
			differ++
		}
		if d.hold < 0 || d.hold > o.Hold || len(d.shows) != 3 || slices.Max(d.shows) > 1 || d.delay > o.LateBy {
			t.Fatalf("request %d: %+v", n, d)
		}
		met[d.fault]++
	}
	if differ < 4900 {
		t.Errorf("another seed decides differently for %d of 5000", differ)
	}
	for _, f := range All { // 450 are expected, and 20 is one deviation
		if want := f.befalls(aTransaction); want && (met[f] < 300 || met[f] > 600) || !want && met[f] > 0 {
			t.Errorf("%s is met %d times of 5000", f, met[f])
		}
	}
}

// Reads meet no fault that is one of writes.
func TestFaultsOfReads(t *testing.T) {
	t.Parallel()
	o, err := Parse("all=10%")
	if err != nil {
		t.Fatal(err)
	}
	met := map[Fault]bool{}
	for n := range uint64(1000) {
		met[o.decide(n, aRead).fault] = true
	}
	delete(met, "")
	got := slices.Sorted(maps.Keys(met))
	if want := []Fault{Broken, Error, Lost, Refuse, Slow, Throttle}; !slices.Equal(got, want) {
		t.Errorf("reads meet %v, want %v", got, want)
	}
}

// A batch that is carried out in part has something to do, and something left.
func TestSplit(t *testing.T) {
	t.Parallel()
	const tables = `{"t":{"Keys":[{"PK":{"S":"1"}},{"PK":{"S":"2"}}],"ConsistentRead":true},"u":{"Keys":[{"PK":{"S":"3"}}]}}`
	for pick, want := range map[float64]string{
		0:      `{"t":{"Keys":[{"PK":{"S":"1"}}],"ConsistentRead":true}} {"t":{"Keys":[{"PK":{"S":"2"}}],"ConsistentRead":true},"u":{"Keys":[{"PK":{"S":"3"}}]}}`,
		0.9999: `{"t":{"Keys":[{"PK":{"S":"1"}},{"PK":{"S":"2"}}],"ConsistentRead":true}} {"u":{"Keys":[{"PK":{"S":"3"}}]}}`,
	} {
		now, later := split(elementsOf([]byte(tables)), pick)
		if got := string(render(now)) + " " + string(render(later)); got != want {
			t.Errorf("%g: got %s, want %s", pick, got, want)
		}
	}
	_, later := split(elementsOf([]byte(`{"t":[1,2,3]}`)), 0)
	if got := string(render(merge(later, elementsOf([]byte(`{"t":[1]}`))))); got != `{"t":[2,3,1]}` {
		t.Errorf("with what the engine has left: %s", got)
	}
}
