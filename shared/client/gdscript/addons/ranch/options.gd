## The options of a client. The defaults are right for a game.
class_name RanchOptions
extends RefCounted

## Sends the requests.
var transport: RanchTransport = RanchHTTPTransport.new()
## Keeps the session. Clients that share a store share a session.
var store: RanchStore = RanchFileStore.new()
## The time limit of one attempt, in seconds; 0: 10 s, or 35 s for judgings and deletions, which may take 30 s.
var timeout := 0.0
## The most attempts of one call.
var attempts := 4
## Allows http:// addresses of other machines. Anyone on the network can then read passwords and tokens.
var allow_http := false
## For tests: waits between attempts. It gets the seconds and a [RanchCancel] that ends the wait, or null.
var wait: Callable
## For tests: the time in seconds since 1970.
var now: Callable = Time.get_unix_time_from_system
## For tests: returns a number from 0 to below 1, for the jitter.
var random: Callable = randf
