package capacity

import (
	"fmt"
	"reflect"
	"testing"
)

func TestSnapshot(t *testing.T) {
	t.Parallel()
	m := newMeter()
	m.count(asker{"b", "GetItem"}, Counts{Requests: 1})
	m.consumed(asker{"b", "GetItem"}, read, []demand{{partition{"t", "hot"}, 1}})
	m.count(asker{"a", "TransactWriteItems"}, Counts{Requests: 2, Conflicts: 1, Throttled: 1, InProgress: 1})
	m.consumed(asker{"a", "TransactWriteItems"}, write, []demand{{partition{"t", "hot"}, 2}, {partition{"t", "cold"}, 2}})
	m.count(asker{"a", "Scan"}, Counts{Requests: 1, Unprocessed: 3})
	m.consumed(asker{"a", "Scan"}, read, []demand{{partition{"t", ""}, 100}})
	m.refused([]demand{{partition{"t", "cold"}, 0}, {partition{"t", "hot"}, 0}}, []limit{partitionLimit, tableLimit})
	want := Snapshot{
		Rows: []Row{
			{"a", "Scan", Counts{Requests: 1, Unprocessed: 3, Read: 100}},
			{"a", "TransactWriteItems", Counts{Requests: 2, Conflicts: 1, Throttled: 1, InProgress: 1, Written: 4}},
			{"b", "GetItem", Counts{Requests: 1, Read: 1}},
		},
		Hottest: []Partition{{Table: "t", Key: "hot", Read: 1, Written: 2}, {Table: "t", Key: "cold", Written: 2, Throttled: 1}},
	}
	got := m.snapshot()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	checkEqual(t, "total", got.Total(), Counts{Requests: 4, Conflicts: 1, Throttled: 1, InProgress: 1, Unprocessed: 3, Read: 101, Written: 4})
	checkEqual(t, "of an operation", got.Of("GetItem"), Counts{Requests: 1, Read: 1})
	checkEqual(t, "of an asker", got.Where(func(r Row) bool { return r.Who == "a" }).Requests, 3)
	m.reset()
	checkEqual(t, "after a reset", fmt.Sprint(m.snapshot()), fmt.Sprint(Snapshot{}))
}

// A long run does not fill the memory, and what matters stays.
func TestTheMeterIsBounded(t *testing.T) {
	t.Parallel()
	m, rounds := newMeter(), mostPartitions*3/2
	for i := range rounds {
		a := asker{fmt.Sprint(i), "GetItem"}
		m.count(a, Counts{Requests: 1})
		m.consumed(a, read, []demand{{partition{"t", fmt.Sprint(i)}, 1}, {partition{"t", "hot"}, 1}})
	}
	if len(m.rows) > mostAskers+1 || len(m.partitions) > mostPartitions {
		t.Errorf("%d rows, %d partitions", len(m.rows), len(m.partitions))
	}
	s := m.snapshot()
	checkEqual(t, "requests", s.Total().Requests, rounds)
	checkEqual(t, "of others", s.Where(func(r Row) bool { return r.Who == Others }).Requests, rounds-mostAskers)
	checkEqual(t, "the hottest", s.Hottest[0], Partition{Table: "t", Key: "hot", Read: float64(rounds)})
	checkEqual(t, "how many", len(s.Hottest), hottest)
}
