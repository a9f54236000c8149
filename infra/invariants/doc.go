// Package invariants checks the properties of every correct table, whatever calls have changed it. It finds states that
// cannot result if each operation happened wholly or not at all. It decodes rows as package records does: the tests
// there pin the layout (docs/adr/0022-histories-are-judged.md). These are the invariants:
//
//   - Every row has the key that its content requires, and no attribute that its record does not have.
//   - Every account that is not deleted has reservations of its e-mail address and its username. A deleted account has
//     no names, no ranch and no last log-in. Every reservation, animal, ledger row, participation and refresh record
//     has its account.
//   - If an account has a ranch, the record of its e-mail address has the password's hash. Usernames and users have
//     none.
//   - The rows of a ledger, all changes of a player's gold, have the numbers from 1 without gaps. Each row's balance is
//     the sum of the amounts so far, and never below 0. The account has the last balance and number.
//   - The first row is the starting gold or an adjustment by an operator. An adjustment has the record of its change.
//     Every other row names an existing show.
//   - Fees are only in participations, the players' copies of entries. They share the ledger's numbers with its rows.
//   - Every fee has its entry, and every reward has the receipt of a claim. If a show has a fee, each of its entries
//     has a row with the fee. Every receipt with a prize has a row with the prize.
//   - Every entry has one participation, and every participation its entry. The player of an entry owns its animal. The
//     entry has the player's username, or the name of deleted players.
//   - An open show has its gates (counter shards), and refers to no results. Each gate has the count of its entries and
//     the number of changes of the show's terms.
//   - A completed show has no gates, and two results of every entry: one by player, and one on a page of its list.
//     Entries whose animal has a phenotype have the ranks 1 to n in the order of the scores. The others follow in the
//     order of their times.
//   - Pages have the values of the entries. If an entry has a phenotype and no operator has changed its animal, it has
//     the animal's traits. Each changed animal has a note.
//   - Results to which no show refers, from failed judgings, have no receipts and are at most two days old.
//   - A cancelled show has no gates, refers to no results, and has the number of its entries. Each of its paid entries
//     has at most one refund, with the paid amount, and exactly one if the show says that all refunds are made.
//   - A cancelled show has a note of pending refunds until it says that all are made. Every other note of pending work
//     is about a user.
//   - If a player has claimed, each page with an entry of the player has a receipt, on up to 98 pages. All have the
//     same content, with the player's best rank and its prize.
//   - A show is once on each of its boards (lists of shows), with its fields. Except for an open show, they include the
//     number of entries.
//   - Every show has its season. An active season is in the table twice, with the same values.
//   - A completed show has a note, or its results are in the standings of its season, or these wait for a recount. The live snapshot of standings has
//     the sum of the results of these shows, in order, and an index with the place of every player. It has the players'
//     usernames, except for players whom the head names. Every note is of a completed show of its season.
//   - A registered user has at least three animals. Only Verify checks this.
package invariants
