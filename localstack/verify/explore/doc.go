// Package explore is a model checker for operations of the store. It plays concurrent calls with every order of their
// requests, and the store itself judges each such history: some serial run of the same calls must explain it.
//
// # How a race is found
//
// Ann, who has 350 gold, enters an animal for 50 and claims a prize of 100 at once. Each call reads her user, and then
// writes her balance and a ledger row, under the condition that the number of the last row is as read. Without this
// condition, `make explore CASES=fair/enter+claim/-/` prints this history:
//
//	Ann enters her best animal: reads show, animal, user
//	Ann enters her best animal: gate, entry, user, participation, animal: applied, not visible yet
//	Ann claims her prize: reads show, user; does not see the change of user yet
//	Ann claims her prize: meets the change of user, which is visible now; receipt, ledger row, user: applied, not visible yet
//	Ann enters her best animal: all of it is visible (gate, entry, user, participation), and answered
//	Ann claims her prize: all of it is visible (receipt, ledger row, user), and answered
//
// It came about so:
//
//  1. Both calls run as goroutines in a bubble of testing/synctest. The SDK's HTTP client holds each request (wire.go).
//     When every call has a held request, or sleeps, the scheduler lists the possible steps (schedule.go). Here the
//     first step releases the entry's read. The engine answers it (table.go), and the entry sends its transaction.
//  2. The second step applies the entry's transaction. As in DynamoDB, its items become visible one by one: package
//     visibility hides them. In the third step the claim reads the user as before the entry (steps.go).
//  3. The claim's transaction meets the user that the entry has written. Its condition would fail, and the claim would
//     start again. Without the condition, the claim writes a balance of 450 and a second row with the number 5.
//  4. The history ends. Serial runs (judge.go) play the entry and then the claim on a fresh copy of the fixture, and
//     the other way round. Both end with a balance of 400 and the rows 5 and 6. The history has other records, so it
//     is wrong. The table's invariants are broken, too: the amounts of the ledger add up to another balance.
//  5. At each step the search (search.go) had a choice. It goes back to the last choice with another option, and plays
//     the next history, until all are played. The choices are the end of the history's name,
//     fair/enter+claim/-/00000100, which repeats it (choices.go).
//
// # How to add an operation
//
// Add a row of parts (calls_test.go): a name, a sentence for the story, and a function of a turn, which has the store,
// the fixture's players and shows, and the operation's time. The helper says how the call is judged:
//
//	player, operator   it takes effect at one instant
//	steps              an operator's change makes several changes. Its answer is not compared
//	reader             its answer has parts, such as a list's rows. Each part may show another instant
//
// Then add the name to kinds (plan_test.go). Now `make explore` plays the operation against every other one, also with
// faults. If it touches none of the other's items in the fixture "fair", such as an unban of a player who is not banned,
// add a row of meetings with another fixture or another variant of a call.
//
// # The files
//
//	case.go        a case: a fixture, calls and a fault, and its text
//	wire.go        the clients of the calls, which hold attempts
//	table.go       the way to the engine, outside the bubble
//	schedule.go    one history: which calls are held, asleep or done, and which steps are possible
//	steps.go       the effect of a step, and useless repetitions of reads
//	choices.go     the choices of a history as text
//	search.go      the exhaustive search
//	judge.go       the judge: serial runs of the calls, and the comparison with them
//	story.go       the text of a history
//
// The calls (calls_test.go), their fixtures (fixture_test.go) and the list of cases (plan_test.go) are in test files,
// because they need package storetest. So is TestExplore, which `make explore` runs (explore_test.go), and the planted
// bugs that it must find (plants_test.go).
//
// # A history
//
// In a bubble, waits, leases (locks with a time limit) and deadlines take no time, and share one clock. The engine's
// connections are outside, because a bubble waits for everything that it has opened (go.dev/issue/78492). During a
// request to the engine, the bubble waits on a channel made outside, and its clock stands still. Ids come from one
// source, and waits are as short as possible. So the same choices lead to the same history.
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
// A history is right (linearizable) if a serial run has the same answers and refusals, and leaves the same records. A
// call that returned before another began comes first. A call whose outcome is unknown may be missing. The records are
// compared without random ids. The histories of a case share their serial runs, which the judge remembers.
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
// The search leaves out equivalent histories (partial-order reduction by sleep sets). If two steps touch nothing in
// common, it tries only one order, unless a call returns with one and another call begins with the other. If a read sees
// nothing of an open transaction, the search tries the read only before the transaction. It tries everything else, with
// these exceptions:
//
//   - A fault strikes once in a history, at one of the first eight attempts of a call. Faults strike two concurrent
//     refunds only in the fixture in which one player gets a fee back, not in the fixture with two.
//   - A call may repeat a request although nothing has changed since. (Items of an open transaction may become visible
//     then.) In a history, this happens once while another step is possible, and any number of times if none is.
//   - Waits of up to 100 ms end at once. Their length makes no difference, since the next request is held. Longer
//     waits, such as those for a lease, end when no other step is possible: every transaction has ended, and all late
//     attempts have arrived. Once in a history, the waits of players' calls end earlier, while transactions are open.
//   - Sheets and pages (results of many entries in one item) and leases need thousands of entries, so no case has them.
//   - All hidden items of one transaction that a write reaches become visible at once, or none.
//   - A batch of reads is one step, and so is a page. As a fault, one batch in a history may be split: the table
//     answers one item and leaves the others unprocessed. The call then requests the others in a step of their own.
//   - Three calls are played only in the listed triples, and never more.
//   - A case has a limit of 20,000 histories (MOST), and the first ones begin alike. The output names cases with more.
package explore
