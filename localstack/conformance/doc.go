// Package conformance holds that clients of the API behave alike. Its scenarios are written once, against the real
// service behind a proxy that loses, delays and repeats (conformance/lossy); each client is driven by a small program
// of its own, its driver. docs/clients.md lists the scenarios. Whoever writes another client, for an engine of games,
// writes a driver and has the suite.
//
// A driver reads requests from its standard input and writes answers to its standard output, one JSON object a line,
// and ends when its input does. Requests may be under way at the same time; their answers come in any order. Names of
// clients and stores are the suite's.
//
//	→ {"id":1,"op":"new","client":"a","api":"http://127.0.0.1:1","store":"s","attempts":4,"timeoutMs":500}
//	← {"id":1,"ok":null}
//	→ {"id":2,"client":"a","op":"login","args":{"email":"…","password":"…"}}
//	← {"event":{"kind":"sessionStarted"},"client":"a"}
//	← {"id":2,"ok":{…}}
//	→ {"id":3,"client":"a","op":"enter","args":{"show":"…","animal":"…"}}
//	← {"id":3,"error":{"kind":"api","status":404,"code":"NOT_FOUND","message":"Animal not found"}}
//	→ {"id":4,"op":"cancel","of":3}
//
// The operations on a client are register, login, logout, session, animals, shows, show, enter, judge, claim, season
// and serverTime; they answer what the client returns, in the contract's names, with "resolved" where it has it.
// Besides there are:
//
//	new     makes a client. Clients of one store share a session; "file:…" is a store in a file, for several drivers
//	clock   {"client":"a","forwardMs":960000} moves the client's clock; no other clock of the driver's moves
//	peek    {"store":"s"} answers the stored session, or null
//	plant   {"store":"s","args":{session}} stores a session, as the one before an application was restarted
//	cancel  cancels a request under way, which answers with an error of kind "cancelled"
//
// The kinds of errors are api (status, code, message, details), network, unknown (operation, advice), ended (reason)
// and cancelled. Waiting between attempts is not real: drivers give the client a wait that notes its delay, answered by
//
//	delays  {"client":"a"}: the milliseconds that it would have waited, since it was last asked
package conformance
