# Keeps a player logged in: it has the session, and renews its access token in time, once for all who ask.
extends RefCounted

const Answer := preload("answer.gd")
const Patience := preload("patience.gd")
const Promise := preload("promise.gd")
const Shapes := preload("shapes.gd")
const Sturdy := preload("sturdy.gd")
const Told := preload("told.gd")
const Turn := preload("turn.gd")
const Verdict := preload("verdict.gd")
const Wire := preload("wire.gd")

const _MARGIN := 60.0  # seconds: an access token is renewed that long before its end


# A refresh under way, of the session with this refresh token.
class Flight:
	var refresh_token: String
	var waiting := 0
	var abandoned := RanchCancel.new()  # nothing waits for it any more, or wants it
	var landed := Promise.new()


# The next session, and the signal to emit.
class Made:
	var session: RanchSession
	var event: Signal
	var reason: String

	func _init(next: RanchSession, told := Signal(), why := "") -> void:
		session = next
		event = told
		reason = why


var _wire: Wire
var _patience: Patience
var _told: Told
var _store: Sturdy
var _timeout: float
var _now: Callable
var _started: Signal
var _refreshed: Signal
var _ended: Signal
var _turn := Turn.new()  # of all that is done with the store, except for waiting for its lock
var _flight: Flight
var _ahead := 0.0
var _ended_by := "none"


func _init(
	wire: Wire,
	patience: Patience,
	told: Told,
	store: Sturdy,
	timeout: float,
	now: Callable,
	events: Array[Signal]
) -> void:
	_wire = wire
	_patience = patience
	_told = told
	_store = store
	_timeout = timeout
	_now = now
	_started = events[0]
	_refreshed = events[1]
	_ended = events[2]
	load_session()  # for server_time


func server_time() -> float:
	return _now.call() + _ahead


func load_session() -> RanchSession:
	await _turn.take()
	var session := await _store.load_session()
	if session:
		_ahead = session.ahead
	_turn.give()
	return session


# Starts the session of a player; the one before is forgotten.
func start(user_id: String, username: String, token: String, refresh_token: String) -> void:
	_abandon()
	var session := RanchSession.new()
	session.api = _wire.api
	session.user_id = user_id
	session.username = username
	session.refresh_token = refresh_token
	session = session.received(token, _now.call(), _ahead)
	await _update(func(_current: RanchSession) -> Made: return Made.new(session, _started))


# Ends the session here. It returns {"session", "failure"}: what it was, and why the store may still have it, or OK.
func end() -> Dictionary:
	_abandon()
	var was := {"session": null}
	was.failure = await _update(
		func(current: RanchSession) -> Made:
			was.session = current
			return Made.new(null, _ended, "logout") if current else null
	)
	return was


# Returns the session with an access token that is good for a while, or a RanchError. Given the player that a call began
# with, it is that player's; given the token that was refused, it has another one.
func current(player: String, refused: String, cancel: RanchCancel) -> Variant:
	while true:
		var stored: Variant = await Promise.until(load_session, cancel)
		if stored is RanchError:
			return stored
		if stored == null or player != "" and stored.user_id != player:
			return RanchError.session_ended(_ended_by)
		player = stored.user_id
		if stored.token != refused and not _is_old(stored):
			return stored
		var renewed: Variant = await _refresh(stored, cancel)
		if renewed != null:
			return renewed
	return null


func _is_old(session: RanchSession) -> bool:
	var left: float = session.lifetime - (_now.call() - session.received_at)
	return session.lifetime > 0 and left < minf(_MARGIN, session.lifetime / 10)


# Refreshes once for all who ask at a time: if one gives up, it stops waiting; if the last one does, the refresh ends. It
# returns null if the session has become another one meanwhile: look again.
func _refresh(stale: RanchSession, cancel: RanchCancel) -> Variant:
	var overtaken: Flight = null
	if _flight and _flight.refresh_token != stale.refresh_token:
		overtaken = _flight
		_flight = null
	var begins := _flight == null
	if begins:
		_flight = Flight.new()
		_flight.refresh_token = stale.refresh_token
	var mine := _flight
	mine.waiting += 1
	if overtaken:
		overtaken.abandoned.cancel()
	if begins:
		_fly(mine, stale)
	var landed: Variant = await Promise.until(mine.landed.wait, cancel)
	mine.waiting -= 1
	if mine.waiting == 0:
		_land(mine)
		mine.abandoned.cancel()
	return landed


func _fly(mine: Flight, stale: RanchSession) -> void:
	var release := await _store.lock(2 * _timeout, mine.abandoned)
	# Once it is abandoned, it holds the lock no longer, whatever becomes of the request.
	var renewed: Variant = null
	if not mine.abandoned.is_cancelled:
		renewed = await Promise.until(_renew.bind(stale, mine.abandoned), mine.abandoned)
	release.call()
	_land(mine)
	mine.landed.settle(null if mine.abandoned.is_cancelled else renewed)


# Gives up the refresh under way: from here on it changes nothing and tells nothing.
func _abandon() -> void:
	var abandoned := _flight
	_flight = null
	if abandoned:
		abandoned.abandoned.cancel()


# Lets the next one who needs a token begin another flight.
func _land(landed: Flight) -> void:
	if _flight == landed:
		_flight = null


# Refreshes the stored session, unless another client was first.
func _renew(stale: RanchSession, cancel: RanchCancel) -> Variant:
	var stored := await load_session()
	if stored == null or stored.refresh_token != stale.refresh_token:
		return null
	if stored.token != stale.token:
		return stored
	var asked := await _ask_for_token(stored.refresh_token, cancel)
	var out := {"result": null}
	await _update(
		func(known: RanchSession) -> Made:
			if cancel.is_cancelled or known == null or known.refresh_token != stored.refresh_token:
				return null
			if asked.token != "":
				out.result = known.received(asked.token, _now.call(), _ahead)
				return Made.new(out.result, _refreshed)
			out.result = asked.failure
			var undoubted := known if known.refused_since == 0 else known.doubted(0, 0)
			var verdict := Verdict.of(asked.failure)
			if verdict == "":
				return Made.new(undoubted)
			if verdict == "doubtful":
				var noted := Verdict.doubted(known if asked.is_unbroken else undoubted, _now.call())
				if noted:
					return Made.new(noted)
				verdict = "refused"
			out.result = RanchError.session_ended(verdict, asked.failure)
			return Made.new(null, _ended, verdict)
	)
	return out.result


# Asks until there is an answer that counts, or patience ends. It returns a token, or how it failed last, and whether all
# attempts failed by doubtful refusals.
func _ask_for_token(refresh_token: String, cancel: RanchCancel) -> Dictionary:
	var asked := {"token": "", "failure": null, "is_unbroken": true}
	var attempt := 1
	while true:
		var answer: Variant = await _wire.send(
			HTTPClient.METHOD_POST,
			"/auth/refresh",
			{"refreshToken": refresh_token},
			"",
			_timeout,
			cancel
		)
		if answer is RanchError:
			asked.failure = answer
			return asked
		if answer.status > 0:
			_told.reached(true)
			var body: Variant = answer.read(200, Shapes.is_refreshed)
			if not body is RanchError:
				asked.token = body.token
				return asked
			asked.failure = body
		else:
			asked.failure = RanchError.network()
		var is_doubtful := Verdict.of(asked.failure) == "doubtful"
		if (
			attempt >= _patience.attempts
			or not (answer.status == 0 or answer.passes() or is_doubtful)
		):
			return asked
		asked.is_unbroken = asked.is_unbroken and is_doubtful
		if not await _patience.pause(attempt, answer, cancel):
			return asked
		attempt += 1
	return asked


# Changes the session as change says (null leaves it), and emits the signals in the order of the changes. It returns
# why that could not be stored, or OK.
func _update(change: Callable) -> Error:
	await _turn.take()
	var happened: Array[Made] = []
	var failure := await _store.update(
		func(known: RanchSession) -> RanchSession:
			var made: Made = change.call(known)
			if made == null:
				return known
			if made.session:
				_ahead = made.session.ahead
				_ended_by = "none"
			elif made.reason != "":
				_ended_by = made.reason
			happened.append(made)
			return made.session
	)
	for made in happened:
		if made.reason != "":
			made.event.emit(made.reason)
		elif not made.event.is_null():
			made.event.emit()
	_turn.give()
	return failure
