## The options of a client. The defaults are right for a game.
class_name RanchOptions
extends RefCounted

## How requests are sent.
var transport: RanchTransport = RanchHTTPTransport.new()
## Where the session is kept. Clients that share a store share a session.
var store: RanchStore = RanchFileStore.new()
## Seconds of one attempt. 0 is 10 s, and 35 s for a judging, which the gateway ends at 30 s.
var timeout := 0.0
## Of one call at most.
var attempts := 4
## Sends passwords and tokens over http:// to other machines, too: anybody on the way can read them.
var allow_http := false
## For tests: waits some seconds between attempts, given a [RanchCancel] that ends the wait, or null.
var wait: Callable
## For tests: the time in seconds since 1970.
var now: Callable = Time.get_unix_time_from_system
## For tests: from 0 to below 1, for the jitter.
var random: Callable = randf
