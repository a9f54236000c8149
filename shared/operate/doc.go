// Package operate does what operators do: changes with audit records (Operator), the repair of shows, and reads for
// reports (Desk). It uses package store, which does not know it. It does not know HTTP or terminals.
//
// # Reads
//
//	Method               Operation
//	WithPassword         BatchGet e-mail addresses
//	FindAccounts         Query the names that begin so; BatchGet users
//	EntryCount           Query USER#u SEASON#
//	AccountsByUsername   Query the usernames but for case; BatchGet users
//	EachAccount          Scan, strongly consistent
//	UnclaimedPrizes      Query board of completed shows; for each show Get show, Query a page and its receipts
//	ExplainEntry         as ShowWithEntries; Get up to 3 animals
//	Audit, VerifyAudit   Query a partition of audit records for each month; Get head
//	PlayedShows          Query participations; BatchGet shows, entries; for each completed show as SeasonScore, pages, receipt
//	Pending              as DueShows and Unfinished; Query board of cancelled shows; entries of what is pending
//
// # Changes
//
// The transaction of each change creates the change's audit record. The record must not exist, so the change takes
// effect once. The transaction also updates the head of the chain of records, which must be as read. So of two
// concurrent changes one is tried again, and the chain does not fork (TestChangesAtOnceMakeOneChain).
//
//	Change       Operation                                               Guards
//	create show  Transact: season, show, 4 board rows, gates             the season is there; no such show
//	create       Transact: layout, season, active season                 the layout's number; no such season
//	season
//	activate,    Get season; Transact: season, active season             active as read
//	deactivate
//	recount      Get head of standings; Transact: season, head           no fold has begun or ended since
//	standings
//	set show     Get show; Query its gates; Transact: show, 4 board      see SetShow
//	             rows, gates where they are, or to where they move
//	cancel show  Get show; Query its gates; Transact: show, 6 board      see CancelShow
//	             rows, gates, note
//	refunds      Get show; Query its partitions; for each entry:         see Refund
//	             BatchGet user, participation; Transact: these,
//	             ledger; at last: Transact: show, note
//	judge show   as the endpoint's, without the user                     see Judge
//	repair show  Scan; Get show; BatchGet board rows, gates, results;    see RepairShow
//	             Query its partitions, BatchGet participations; of
//	             what is missing BatchGet users, animals, Query
//	             ledgers; Transact: what is wrong, show; all of
//	             this, without the scan, until nothing is wrong
//	ban, unban,  Get user; Transact: user                                status, last login, "valid from" as read
//	revoke
//	create user  Transact: 2 reservations, user                          all must not exist
//	set user     Get user, e-mail address; Transact: user, note, 2       see SetUser
//	             reservations and 2 of before; entries as delete user,
//	             each in a transaction with the user
//	reset        Get user, e-mail address; Transact: both                as ban; address is the user's
//	password
//	animal       Get animal; Transact: animal, note of the change        number of its changes as read
//	adjust gold  Get user (PayOnce: Query ledger); Transact: user,       status, ledger number as read; no such row
//	             ledger
//	set gold     Get user, Query ledger; Transact: user                  status, ledger number as read
//	from ledger
//	delete user  Get user; Transact: user, note, 2 reservations; twice:  status, "valid from" as read;
//	             Query participations, BatchGet shows, Update entries,   names and entries are the user's
//	             Update open shows, Update pages of completed ones;
//	             at last: Delete note
package operate
