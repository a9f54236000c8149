package million

import "github.com/ranch-game/ranch/localstack/bench/costs"

// limit is something that has an end.
type limit struct {
	name string
	use  func(m moment) float64 // how much of it a second takes, of 1
}

// limits returns all limits of a day. Each session makes an entry, and looks at the show that it enters.
func (d Day) limits(c *Costs) []limit {
	calls, seconds, read, written := 0.0, 0.0, 0.0, 0.0
	for _, step := range costs.Session {
		o := c.all[step.Operation]
		calls += step.Calls
		seconds += step.Calls * o.Seconds()
		read += step.Calls * o.RCU
		written += step.Calls * o.WCU
	}
	return []limit{
		{"Lambda's answer of 6 MB: the detail of the most popular show", func(m moment) float64 {
			return m.top * m.entries * zipped / largestAnswer
		}},
		{"The most popular show's partitions: views of its entries", func(m moment) float64 {
			return m.sessions * m.top * (m.top * m.entries * c.Entry / parts) / fresh.PartitionRead
		}},
		{"The most popular show's judging: what a transaction holds, what 25 s read", func(m moment) float64 {
			return m.top * m.entries / judgeable(c)
		}},
		{"The most popular show's gates: entries that meet", func(m moment) float64 { return m.sessions * m.top / entriesOfAShow() }},
		{"The most popular show's item: views, entries, claims", func(m moment) float64 { return 3 * m.sessions * m.top / fresh.PartitionRead }},
		{"The hottest tier's shards: entries", func(m moment) float64 {
			return m.sessions * d.HottestTier * gateWrite / shards / fresh.PartitionWrite
		}},
		{"The hottest tier's shards: lists", func(m moment) float64 { return m.sessions * c.GateRange / fresh.PartitionRead }},
		{"The board of all shows: lists", func(m moment) float64 { return m.sessions * c.Board / fresh.PartitionRead }},
		{"The active season", func(m moment) float64 { return m.sessions / fresh.PartitionRead }},
		{"The table's read units", func(m moment) float64 {
			views := m.squared * m.entries * c.Entry // on the average
			return m.sessions * (read + views) / tableRead
		}},
		{"The table's write units", func(m moment) float64 { return m.sessions * written / tableWrite }},
		{"Lambda's concurrent executions", func(m moment) float64 { return m.sessions * seconds / concurrency }},
		{"API Gateway's calls", func(m moment) float64 { return m.sessions * calls / gatewayRate }},
	}
}

// entriesOfAShow is how many entries a second one show takes.
func entriesOfAShow() float64 { return gates * busy / fresh.Hold.Seconds() }

// judgeable is how many entries a judging can have.
func judgeable(c *Costs) float64 { return min(packed, judgeTime*fresh.TableRead/c.Animal) }
