// Package explore makes operations of the store take place at once, in every order there is, and judges each history by
// the rules alone. Every request of every call is held below the SDK; a scheduler releases one at a time to the real
// embedded engine, behind package visibility, which lets a transaction be seen item by item. `make explore` tries all
// pairs of operations, without and with a fault, then triples, then random calls.
//
//	case.go        what is explored: a fixture, calls and a fault, and their text
//	wire.go        the clients of the calls, whose attempts are held
//	table.go       the way to the engine, outside the bubble, and what that has answered before
//	schedule.go    one history: who is held, asleep or done, and which steps can be next
//	steps.go       what a step does, and what a call asks again in vain
//	choices.go     who chooses: a text that replays, or chance by a seed
//	search.go      who tries everything
//	lineage.go     which steps can change places, and which calls follow from which
//	state.go       what a history has come to
//	verdict.go     what is wrong with a history, and who did what
//
// The fixtures, the calls and the plan of the cases are in the tests' files, because package storetest makes them. So
// are the processes that `make explore` starts, and the bugs that it must find (plants_test.go).
//
// # A history
//
// It takes place in a bubble of testing/synctest, so that waits, leases and deadlines take no time, and go by
// one clock. The engine's connections are outside (a bubble waits for what it has opened, go.dev/issue/78492): who asks
// the engine waits on a channel made outside, and the bubble's clock stands still meanwhile. Ids come from one source,
// waits are all as short as they can be, and dates are not kept, so that the same choices lead to the same history.
//
// A step releases one attempt. A read is answered in the same step. A transaction is applied in one step, and over,
// seen and answered in a later one. In between each of its items is hidden or shown: that is chosen when a read meets
// it, and a transaction or plain write that meets a hidden item conflicts, or finds it shown. What is shown stays so.
// An attempt that is late arrives in a step of its own.
//
// A call begins with its first step, and ends with the one that gives it its last answer. It may be refused. It may
// fail only if a fault has ended its time or its process, or leaves an operator's change in doubt (store.ErrUnclear).
// linearizability.Explain and the invariants of the table judge everything else.
//
// # What is complete, and what is bounded
//
// Of two steps that touch nothing in common only one order is tried; and of a read that sees nothing of a transaction
// only the one before it. Of two histories that have come to the same only one goes on. Since the rules also go by who
// had returned before whom, Explain is asked about each order of two calls that such steps leave open, too. Apart from
// that everything is tried, but for these:
//
//   - A fault strikes once in a history, at one of the first eight attempts of a call; two refunds are struck where one
//     player gets a fee back, not where two do.
//   - A call may repeat a read although nothing has changed since (items that are becoming visible may be seen then).
//     It may do so once in a history while others could go on, and any number of times if no other call can.
//   - Short waits end at once; how long they are makes no difference, since what follows them is held. Longer ones,
//     such as those behind a lease, end when nothing else can go on: every transaction is over, and all late attempts
//     have arrived. Once in a history one ends earlier, while transactions are open. But an operator's call relies on
//     its wait: every transaction that was open when the wait began is over when it ends.
//   - Sheets, pages and leases need thousands of entries, so no case has them.
//   - Within a transaction, items that a write meets are shown all at once.
//   - A batch of reads is one step, and so is a page. One batch in a history may be split, as a fault: the table
//     answers one item, and leaves the others unprocessed, which the call then asks for in a step of their own.
//   - Of a case, no more than so many histories are tried, which begin alike. Where there are more, some hundred random
//     ones are played, too, and the figures name the case.
package explore
