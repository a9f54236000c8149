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
	m.refused(asker{"b", "GetItem"}, []demand{{partition{"t", "cold"}, 0}, {partition{"t", "hot"}, 0}}, []limit{partitionLimit, tableLimit})
	m.refused(asker{"a", "Scan"}, []demand{{partition{"t", "cold"}, 0}}, []limit{tooLarge})
	m.count(asker{"b", "GetItem"}, Counts{Largest: 3})
	m.count(asker{"a", "TransactWriteItems"}, Counts{Largest: 2})
	want := Snapshot{
		Rows: []Row{
			{"a", "Scan", Counts{Requests: 1, TooLarge: 1, Unprocessed: 3, Read: 100}},
			{"a", "TransactWriteItems", Counts{Requests: 2, Conflicts: 1, Throttled: 1, InProgress: 1, Written: 4, Largest: 2}},
			{"b", "GetItem", Counts{Requests: 1, Read: 1, Largest: 3}},
		},
		Hottest: []Partition{{Table: "t", Key: "hot", Read: 1, Written: 2}, {Table: "t", Key: "cold", Written: 2, Throttled: 2}},
	}
	got := m.snapshot()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	checkEqual(t, "total", got.Total(), Counts{Requests: 4, Conflicts: 1, Throttled: 1, TooLarge: 1, InProgress: 1, Unprocessed: 3, Read: 101, Written: 4, Largest: 3})
	checkEqual(t, "of an operation", got.Of("GetItem"), Counts{Requests: 1, Read: 1, Largest: 3})
	checkEqual(t, "of an asker", got.Where(func(r Row) bool { return r.Who == "a" }).Requests, 3)
	m.reset()
	checkEqual(t, "after a reset", fmt.Sprint(m.snapshot()), fmt.Sprint(Snapshot{}))
}
