// Package store does what players do, and what scheduled functions do for them. It applies the rules of package game to
// the records of package records, which it reads and writes through package table. It does not know operators or HTTP.
//
// Reads are strongly consistent, with one exception. The first read of the shows of a player's entries is eventually
// consistent: if its answer may be stale, the shows are read again (see shows). Every write that must happen once is a
// transaction. Its conditions decide, not the reads before it.
//
// # Access patterns
//
// Each row is a method; an operation in brackets is not part of every call. docs/costs.md has the round trips and
// capacity of each endpoint, as TestBudget measures them. A guard is a condition of a write that stops a race. Enter,
// Judge and Claim list their own guards.
//
//	Method               Operation                                             Guards, or what readers rely on
//	Account              Get user                                              -
//	CreateAccount        Transact: 2 reservations, user, ledger, token,        all must not exist
//	                     3 animals
//	AccountByEmail       Get e-mail address; Get user                          -
//	RecordLogin          Transact: user, token, (e-mail address)               changes as read; password's
//	                                                                           number as beside the hash; no later login
//	RefreshRecord        BatchGet token, user                                  by the user's "valid from"
//	DeleteRefreshRecord  Delete token                                          -
//	ChangePassword       Get user, e-mail address; Transact: both, token       no change, revocation or log-in since
//	ChangeEmail          Get user, e-mail address; Transact: user, both        see ChangeEmail
//	                     addresses
//	DeleteAccount        Get user, e-mail address; Transact: user, note, 2     see AddDeletion
//	                     reservations; its entries as Finish
//	Animals              Query USER#u ANIMAL#                                  -
//	Shows                (Get show;) Query board, 51 rows; Query the range of  row; both are re-read until the gates
//	                     their gates in each shard of their tiers              of every open show are there
//	ShowWithEntries      Get show; Query its partitions, or its pages of       a completed show leads to its results
//	                     results
//	CheckCaller          BatchGet user                                         -
//	OwnEntries           Get user; (Query active or all seasons;) or BatchGet  results of a completed show stay
//	                     show, user; Query participations, of all seasons
//	                     one season, two, four ...; BatchGet shows, as
//	                     SeasonScore; (BatchGet sheets;) BatchGet receipts
//	ShowEntries          BatchGet show, user; (Get entry; BatchGet sheet;)     as ShowWithEntries
//	                     Query pages and receipts, or its partitions
//	Enter                BatchGet show, user, animal; (Get gate;) Transact:    see Enter
//	                     gate, entry, animal, user, participation
//	Judge                BatchGet show, user; Query its partitions, its gates  see Judge
//	                     and the changed animals; (Update the lease;)
//	                     (BatchGet animals;) Put sheets and pages; Transact:
//	                     show, user, 6 board rows, gates, judged note
//	Claim                BatchGet show, user; (BatchGet sheet;) Transact:      see Claim
//	                     receipts, user, ledger
//	ActiveSeason         Query active seasons                                  -
//	LatestSeasons        Get user; Query seasons                               -
//	SeasonScore          Query participations; BatchGet shows, and again       results of a completed show stay
//	                     those that are not completed; (BatchGet sheets)
//	DueShows             Query board, the rows up to now                       -
//	JudgeDue             as Judge, without the user                            see JudgeDue
//	SeasonStandings      (Query active seasons;) BatchGet user, season, head;  every record has the number that the
//	                     BatchGet indexes; (BatchGet pages, twice)             head has; otherwise all are read again
//	Unfolded             Query heads of standings; Query judged notes          a fold needs the head as read
//	Fold                 (Query folded shows; Delete notes;) Transact: head;   see Fold
//	                     BatchGet pages; for each noted show: Get show, Query
//	                     its pages; (BatchGet renamed users;) Put pages and
//	                     indexes; Transact: head; Delete notes
//	Unfinished           Query notes of pending work                           -
//	Finish               as refunds, or as delete user from its entries on     the show is cancelled, or the user is
//	                                                                           deleted; see Refund
//	CheckLayout          Get layout, when a process starts                     -
//	PublicKeys           Get public keys, when a process that verifies tokens  -
//	                     starts, and every five minutes
//	PublishKeys          Put public keys, when a process that signs tokens     no later version of the same secret
//	                     starts, and when the secret has changed
//
// What a guard protects, and the number that the guard compares, are read together: from one item, or with a copy of the
// number beside what it protects, as the address has the password's number. If that is not possible, the number is read
// first. In the other order, a change between the two reads would go unnoticed: its number is read, and its effect is
// not. So the conditions are methods of what was read, such as ShowItem.OpenAsRead and UserAsRead: a guard's number comes
// with the record that the rules have judged. The tests place a change between any two requests of an operation
// (betweenRequests, and the explorer).
//
// A lost attempt of a transaction may be applied long after its call returned a refusal, when the reason for the
// refusal is gone. So no guard compares a value that can return to an earlier one. Guards compare numbers that only
// rise: the changes of a user, an animal or a show's terms, and the last row of a ledger. There are two exceptions.
// First, a registration and a new address depend on names that another user may give up. A late attempt then takes the
// name after all: it creates the account, whose password works, or moves the player to the address. Second, a season is active or not. If
// an operator's change of this returned ErrUnclear, its late attempt may be applied after two other changes of it.
//
// # Errors of an attempt
//
// An operation that decides runs in attempts (table.Decide). These errors of an attempt lead to the next one, besides
// those of package table:
//
//	errAtWork    from a lease: another call has it. The attempt has waited, and reads the show again
//	errEntered   the entry is there: the next attempt finds out whether this call has written it
//	errClaimed   a receipt is there: likewise
//	missingGate  a Torn: the show was just judged, cancelled or moved, or is damaged; so is miscounted
//
// errOwnID and errOtherHash stay inside CreateAccount and RecordLogin: they mean that an earlier attempt of the call, or
// another log-in, has written the record.
//
// # What readers may rely on
//
// A transaction is atomic, but becomes visible item by item: a reader can see one of its items and not yet another. So
// no reader concludes from one item that another has been written. One item decides, and the reader reads the others
// again until they agree with it.
//
// Results are the simple case. A judging writes them under a random name, its verdict, before its transaction. The
// transaction writes the verdict into the show's item. So a reader who finds a completed show finds all of its results,
// even if other items of the transaction are not visible yet. Afterwards only usernames in the results change (see
// DeleteUser and SetUser). So a player without results has no entry in the show. Results that no show's item points to
// are leftovers of a failed judging. Only audits read them.
package store
