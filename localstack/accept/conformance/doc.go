// Package conformance tests that all clients of the API behave alike. Its scenarios run against the real service,
// behind a proxy that loses, delays and repeats requests (conformance/faultyproxy). For each client, a small program,
// the driver, makes the calls that the suite wants. docs/scenarios.md lists the scenarios. It also says how to test a
// client of your own, for which you write a driver.
//
// A driver reads requests from its standard input and writes answers to its standard output, one JSON object a line. It
// ends when its input ends. Requests may be concurrent, and the driver may answer them in any order. The suite chooses
// the names of clients and stores. If a driver ends too soon, the suite shows the driver's standard error.
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
//	shows       {"tier", "status"}, both optional; the status "*" is any: the first page
//	eachShow    as shows: all pages
//	eachOwnEntry {"show", "limit"}: all pages of the caller's entries; both optional
//	eachEntry   {"show", "limit"}: all pages of the show's entries
//	showEntries {"show", "limit", "around"}: a page, {"items", "next", "prev"}; around is "me" or missing
//	show        {"show"}
//	enter       {"show", "animal"}
//	judge       {"show"}
//	claim       {"show"}
//
// The answer to a call has the client's result, with the contract's field names. The result of enter, judge, claim and
// register also has "resolved". It is true if the response got lost and the client looked up whether the change was
// made. (The result of register is the user; "resolved" may stand beside the user's fields, but the suite does not
// require it.) Missing values are null. The result of serverTime is in milliseconds since 1970. The result of session
// has the same form as that of peek.
//
// The answer to a failed call has an error of one of these kinds. It also has a message for people, if the client's
// error has one:
//
//	api        status, code, message, details (optional), requestId
//	network    message
//	unknown    operation, advice, cause: an error again
//	ended      reason
//	cancelled
//	other      message: another error, which is a bug of the client or its driver
//
// A driver prints each event of a client at once, as {"event":{"kind","reason"},"client"}. It must print the event
// before the answer to the call that caused the event.
//
// # What the suite controls
//
//	new     makes a client; it sends nothing. Clients of one store share a session. "file:/path" is a store in a file,
//	        for several drivers; without a store, the client has one of its own. attempts and timeoutMs (for each
//	        attempt) are optional. "stuck":true: its waits between attempts end only by cancellation (see delays).
//	        "slowMs":50: each operation of its store waits so long at its beginning, and again at its end
//	clock   {"client":"a","forwardMs":960000} moves the client's clock, back if negative. No other clock of the driver
//	        moves, and no time-out ends by it
//	peek    {"store":"s"} returns the stored session, or null: {"api","userId","username","token","refreshToken",
//	        "receivedAt","lifetimeMs","aheadMs"}; receivedAt is in RFC 3339
//	plant   {"store":"s","args":{session}} stores such a session, as if the application had restarted
//	cancel  {"of":3} cancels a request under way, which then answers; it ignores a request that has ended
//	delays  {"client":"a"} returns the milliseconds that the client would have waited since the last call, in order
//
// Waits between attempts take no real time. A driver gives its client a wait function that records the delay and
// returns at once. If the call is cancelled, the function returns an error.
package conformance
