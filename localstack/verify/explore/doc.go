// Package explore is a model checker for operations of the store. It plays concurrent calls with every order of their
// requests. Each such run is a history: calls with times and answers. The SDK's HTTP client holds every request of
// every call. A scheduler releases one request at a time to a real engine, behind package visibility, in which a
// transaction becomes visible item by item. `make explore` tries all pairs of operations, without and with a fault,
// then triples, then random calls. The store itself judges each history: some serial run of the same calls must explain
// it.
//
//	case.go        a case: a fixture, calls and a fault, and its text
//	wire.go        the clients of the calls, which hold attempts
//	table.go       the way to the engine, outside the bubble
//	schedule.go    one history: which calls are held, asleep or done, and which steps are possible
//	steps.go       the effect of a step, and useless repetitions of reads
//	choices.go     the choosers: a text that is replayed, or a seed
//	search.go      the exhaustive search
//	judge.go       the judge: serial runs of the calls, and the comparison with them
//	story.go       the text of a history
//
// The fixtures (fixture_test.go), the calls (calls_test.go) and the list of cases (plan_test.go) are in test files,
// because they need package storetest. The processes of `make explore` (run_test.go), and the planted bugs that they
// must find (plants_test.go), are in test files, too.
//
// To add an operation, write a row of parts (calls_test.go), and add its kind to kinds (plan_test.go). Pairs that would
// not touch the same items need a row of meetings.
//
// # A history
//
// A history runs in a bubble of testing/synctest. So waits, leases (locks with a time limit) and deadlines take no
// time, and share one clock. The engine's connections are outside, because a bubble waits for everything that it has
// opened (go.dev/issue/78492). During a request to the engine, the bubble waits on a channel made outside, and its
// clock stands still. Ids come from one source, waits are as short as possible, and dates are removed. So the same
// choices lead to the same history.
//
// A step releases one attempt, one sending of a request. A read is answered in the same step. A transaction is applied
// in one step, and ends in a later step: all of it is visible then, and its caller gets the answer. In between, the
// transaction is open, and each of its items is hidden or visible. If a read reaches a hidden item, the chooser decides
// whether the read makes the item visible. If a write does, the chooser decides whether the write gets a conflict or
// makes the item visible. A visible item stays visible. A late attempt arrives in a step of its own.
//
// A call begins with its first step, and ends with the step of its last answer. The rules may refuse a call. A call may
// fail only if a fault has ended its time or its process, or leaves an operator's change in doubt (store.ErrUnclear).
// The judge and the invariants of the table check everything else.
//
// # The judge
//
// A serial run plays the history's calls one after the other on a fresh copy of the fixture. A history is right
// (linearizable) if one of these runs has the same answers and refusals, and leaves the same records. A call that
// returned before another began comes first. A call whose outcome is unknown may be missing. The records are compared
// without random ids. The histories of a case share their serial runs, which the judge remembers.
//
//   - A call of several steps (a refund, a renaming, a deletion) may stop before one of its requests, go on after
//     another call, and, if its outcome is unknown, not go on at all. Its answer is not compared. If its outcome is
//     unknown, the invariants are not checked.
//   - An answer with parts (a list, a show with its entries, a score, a log-in's account) is compared part by part. If
//     a change had no answer when the call began, a part may show the state before it, and another part the state
//     after it. A refused log-in is compared so, too.
//
// A serial run uses the store with its mistakes. So the judge does not notice what a single call does wrong alone.
// Unit tests and the invariants do.
//
// # Completeness and bounds
//
// The search leaves out equivalent histories (partial-order reduction). If two steps touch nothing in common, it tries
// only one order, unless a call returns with one and another call begins with the other. If a read sees nothing of an
// open transaction, the search tries the read only before the transaction. The search tries everything else, with these
// exceptions:
//
//   - A fault strikes once in a history, at one of the first eight attempts of a call. Faults strike two concurrent
//     refunds only in the fixture in which one player gets a fee back, not in the fixture with two.
//   - A call may repeat a request although nothing has changed since. (Items of an open transaction may become visible
//     then.) In a history, this happens once while another step is possible, and any number of times if none is.
//   - Waits of up to 100 ms end at once. Their length makes no difference, since the next request is held. Longer
//     waits, such as those for a lease, end when no other step is possible: every transaction has ended, and all late
//     attempts have arrived. Once in a history, waits end earlier, while transactions are open. But an operator's call
//     relies on its wait: every transaction that was open at the wait's beginning ends before the wait.
//   - Sheets and pages (results of many entries in one item) and leases need thousands of entries, so no case has them.
//   - All hidden items of one transaction that a write reaches become visible at once, or none.
//   - A batch of reads is one step, and so is a page. As a fault, one batch in a history may be split: the table
//     answers one item and leaves the others unprocessed. The call then requests the others in a step of their own.
//   - A case has a limit of 20,000 histories (MOST), and the first ones begin alike. The output names cases with more.
package explore
