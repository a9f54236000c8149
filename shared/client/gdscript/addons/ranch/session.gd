## The tokens that keep a player logged in. Anyone who has them can act as the player: protect them like a password. A
## session never changes, so stores may keep the object.
class_name RanchSession
extends RefCounted

const _Instant := preload("internal/instant.gd")
const _Tokens := preload("internal/tokens.gd")

## The base URL. A client ignores sessions of other services.
var api: String
var user_id: String
var username: String
## The access token.
var token: String
var refresh_token: String
## When the access token came, by this machine's clock, in seconds since 1970.
var received_at: float
## The lifetime of the access token in seconds: exp - iat; 0 if the token has no such times.
var lifetime: float
## How many seconds the service's clock is ahead of this machine's.
var ahead: float
## The times of the first and the last of consecutive doubtful refusals (see verdict.gd). 0 if there are none.
var refused_since := 0.0
var refused_last := 0.0


## Reads the stored form. For any other text, it returns null.
static func parse(text: String) -> RanchSession:
	var json := JSON.new()
	if json.parse(text) != OK or not json.data is Dictionary:
		return null
	var fields: Dictionary = json.data
	var session := RanchSession.new()
	for name: String in ["api", "userId", "username", "token", "refreshToken"]:
		if not fields.get(name) is String or fields[name] == "":
			return null
		session.set(name.to_snake_case(), fields[name])
	for name: String in ["lifetimeMs", "aheadMs"]:
		if not (fields.get(name) is float or fields.get(name) is int) or absf(fields[name]) > 9e12:
			return null
		session.set(name.trim_suffix("Ms"), fields[name] / 1000.0)
	for name: String in ["receivedAt", "refusedSince", "refusedLast"]:
		var time: float = _Instant.parse(str(fields[name])) if fields.get(name) != null else 0.0
		if is_nan(time):
			return null
		session.set(name.to_snake_case(), time)
	if (
		session.received_at == 0
		or not _Tokens.is_token(session.token)
		or not _Tokens.is_token(session.refresh_token)
	):
		return null
	return session


## The stored form, with the tokens. All clients of the API can read it.
func to_json() -> String:
	var fields := {
		"api": api,
		"userId": user_id,
		"username": username,
		"token": token,
		"refreshToken": refresh_token,
		"receivedAt": _Instant.write(received_at),
		"lifetimeMs": roundi(lifetime * 1000),
		"aheadMs": roundi(ahead * 1000),
	}
	if refused_since != 0:
		fields["refusedSince"] = _Instant.write(refused_since)
		fields["refusedLast"] = _Instant.write(refused_last)
	return JSON.stringify(fields)


## The player and the service, without tokens.
func _to_string() -> String:
	return "session of %s at %s" % [username, api]


## Returns the session with a new access token. The client uses a token without times until it is refused.
func received(access_token: String, now: float, known_ahead: float) -> RanchSession:
	var next := doubted(0, 0)
	var times := _Tokens.times(access_token)
	next.token = access_token
	next.received_at = now
	next.lifetime = times.lifetime if times else 0.0
	next.ahead = times.issued_at - now if times else known_ahead
	return next


## Returns the session with the times of doubtful refusals, or without them: 0 and 0.
func doubted(since: float, last: float) -> RanchSession:
	var next := RanchSession.new()
	for name: String in [
		"api", "user_id", "username", "token", "refresh_token", "received_at", "lifetime", "ahead"
	]:
		next.set(name, get(name))
	next.refused_since = since
	next.refused_last = last
	return next
