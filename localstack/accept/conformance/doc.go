// Package conformance tests that all clients of the API behave alike. Its scenarios run against the real service,
// behind a proxy that loses, delays and repeats (conformance/faultyproxy). A small program, the driver, operates each
// client. docs/scenarios.md lists the scenarios and says how to test a client of your own: write a driver for it.
//
// A driver reads requests from its standard input and writes answers to its standard output, one JSON object a line,
// and ends when its input does. Requests may be under way at the same time; their answers come in any order. Names of
// clients and stores are the suite's. What a driver writes to its standard error is shown when it ends too soon.
//
//	→ {"id":1,"op":"new","client":"a","api":"http://127.0.0.1:1","store":"s","attempts":4,"timeoutMs":500}
//	← {"id":1,"ok":null}
//	→ {"id":2,"client":"a","op":"login","args":{"email":"…","password":"…"}}
//	← {"event":{"kind":"sessionStarted"},"client":"a"}
//	← {"id":2,"ok":{…}}
//	→ {"id":3,"client":"a","op":"enter","args":{"show":"…","animal":"…"}}
//	← {"id":3,"error":{"kind":"api","status":404,"code":"NOT_FOUND","message":"Animal not found"}}
//	→ {"id":4,"op":"cancel","of":3}
//	← {"id":4,"ok":null}
//
// # Calls
//
// The operations on a client, with their arguments:
//
//	register    {"email", "username", "password", "ranchName"}
//	login       {"email", "password"}
//	logout, session, animals, season, serverTime
//	shows       {"tier", "status"}, both may be absent; the status "*" is any: the first page
//	eachShow    as shows: all pages
//	eachOwnEntry {"show", "limit"}: all pages of the caller's entries; what is absent is not asked for
//	eachEntry   {"show", "limit"}: all pages of the show's entries
//	showEntries {"show", "limit", "around"}: a page, {"items", "next", "prev"}; around is "me" or absent
//	show        {"show"}
//	enter       {"show", "animal"}
//	judge       {"show"}
//	claim       {"show"}
//
// They answer what the client returns, in the contract's names. The answer of enter, judge, claim and register also has
// "resolved": whether its own answer was lost, and the client found out the outcome. (register returns the user and may
// have it beside the user's fields; the suite does not require it there.) Absent values are null. serverTime answers
// milliseconds since 1970. session answers as peek does.
//
// A failed call answers an error by its kind, and with a message for people where it has one:
//
//	api        status, code, message, details (absent: none), requestId
//	network    message
//	unknown    operation, advice, cause: an error again
//	ended      reason
//	cancelled
//	other      message: none of these, which is a mistake of the client's or its driver's
//
// A driver prints events as they come, {"event":{"kind","reason"},"client"}, before the answer of the call that caused
// them.
//
// # What the suite moves
//
//	new     makes a client; it sends nothing. Clients of one store share a session; "file:/path" is a store in a file,
//	        for several drivers; absent: one of the client's own. attempts and timeoutMs (of one attempt) absent: the
//	        client's own. "stuck":true: its waits between attempts end by cancellation alone (see delays).
//	        "slowMs":50: each of its store's operations waits so long before it does anything, and again after that
//	clock   {"client":"a","forwardMs":960000} moves the client's clock, back where negative; no other clock of the
//	        driver's moves, and no time-out ends by it
//	peek    {"store":"s"} answers the stored session, or null: {"api","userId","username","token","refreshToken",
//	        "receivedAt","lifetimeMs","aheadMs"}, of which receivedAt is in RFC 3339
//	plant   {"store":"s","args":{session}} stores such a session, as the one before an application was restarted
//	cancel  {"of":3} cancels a request under way, which answers; one that is not under way any more is let be
//	delays  {"client":"a"} answers the milliseconds that the client would have waited since it was last asked, in
//	        order
//
// Waiting between attempts is not real: drivers give the client a wait that records its delay and returns at once,
// unless it is cancelled.
package conformance
