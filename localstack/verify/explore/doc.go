// Package explore is a model checker for operations of the store. It runs concurrent calls in every order, and checks
// each history by the rules alone. It holds every request of every call below the SDK. A scheduler releases one at a
// time to the real embedded engine, behind package visibility, which makes a transaction visible item by item. `make
// explore` tries all pairs of operations, without and with a fault, then triples, then random calls.
//
//	case.go        a case: a fixture, calls and a fault, and its text
//	wire.go        the clients of the calls, which hold attempts
//	table.go       the way to the engine, outside the bubble
//	schedule.go    one history: which calls are held, asleep or done, and which steps are possible
//	steps.go       the effect of a step, and useless repetitions of reads
//	choices.go     the choosers: a text that is replayed, or a seed
//	search.go      the exhaustive search
//	lineage.go     happens-before: which steps commute, and which calls follow from which
//	verdict.go     the flaws of a history, and its story
//
// The fixtures, the calls and the plan of the cases are in test files, because package storetest makes them. So are the
// processes that `make explore` starts, and the planted bugs that it must find (plants_test.go).
//
// # A history
//
// It runs in a bubble of testing/synctest. So waits, leases and deadlines take no time, and share one clock. The
// engine's connections are outside (a bubble waits for what it has opened, go.dev/issue/78492). A request to the engine
// waits on a channel made outside, and the bubble's clock stands still meanwhile. Ids come from one source, waits are
// as short as possible, and dates are removed. So the same choices lead to the same history.
//
// A step releases one attempt. A read is answered in the same step. A transaction is applied in one step. In a later
// step it ends: it is visible as a whole, and answered. In between, each of its items is hidden or visible. The chooser
// decides when a read meets the item. A transaction or plain write that meets a hidden item gets a conflict, or makes
// it visible. A visible item stays visible. A late attempt arrives in a step of its own.
//
// A call begins with its first step, and ends with the step of its last answer. It may be refused. It may fail only if
// a fault has ended its time or its process, or leaves an operator's change in doubt (store.ErrUnclear).
// linearizability.Explain and the invariants of the table check everything else.
//
// # Completeness and bounds
//
// The search prunes equivalent histories (partial-order reduction). If two steps touch nothing in common, it tries only
// one order. If a read sees nothing of a transaction, it tries only the read before the transaction. The rules also
// depend on which call returned before another began. So Explain also gets each order of two calls that such steps
// leave open. Everything else is tried, with these exceptions:
//
//   - A fault strikes once in a history, at one of the first eight attempts of a call. It strikes two refunds only in
//     the fixture in which one player gets a fee back, not in the one with two.
//   - A call may repeat a read although nothing has changed since (items of an open transaction may become visible
//     then). It may do so once in a history while others could go on, and any number of times if no other call can.
//   - Short waits end at once. Their length makes no difference, since the next request is held. Longer waits, such
//     as those for a lease, end if nothing else is possible: every transaction has ended, and all late attempts have
//     arrived. Once in a history, one ends earlier, while transactions are open. But an operator's call relies on its
//     wait: every transaction that was open at its beginning has ended at its end.
//   - Sheets, pages and leases need thousands of entries, so no case has them.
//   - Within a transaction, all items that a write meets become visible at once.
//   - A batch of reads is one step, and so is a page. As a fault, one batch in a history may be split: the table
//     answers one item and leaves the others unprocessed. The call then requests them in a step of their own.
//   - A case has a limit of histories, and the first ones begin alike. If it has more, some hundred random ones are
//     played, too, and the figures name the case.
package explore
