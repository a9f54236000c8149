// Package upkeep does what the nightly audit does: it compares all accounts with their ledgers, and removes the remains of
// interrupted calls. It uses package store. Operators audit single accounts by it, too.
//
//	Method               Operation                                             Guards, or what readers rely on
//	AuditLedger          Get user; Query ledger; both again if they differ     an account and its rows are re-read
//	AuditLedgers         Scan, in 32 segments; Get user and Query ledger if    an account and its rows are re-read
//	                     they differ                                           until they agree, up to five times,
//	                                                                           0.3 s apart
//	AuditTable           as AuditLedgers, with results and shows; Query board  leftovers: the show leads to others;
//	                     of cancelled shows; for leftovers Update or Get       an open show's number of renamings
//	                     show, Delete results; for names as delete user;       rises, which Judge compares; the show
//	                     for refunds Transact: show, note                      is cancelled, without refunds or note
package upkeep
