# Keeps a player logged in. It has the session, and refreshes the access token in time. Concurrent calls share a
# refresh.
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

const _MARGIN := 60.0  # seconds before its end at which the client refreshes an access token


# A refresh under way of the session with this refresh token.
class Flight:
	var refresh_token: String
	var waiting := 0
	var abandoned := RanchCancel.new()  # cancelled if no call waits for the flight, or the session has changed
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
var _turn := Turn.new()  # for all work with the store, except for waiting for its lock
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


# Replaces the client's session by a new one of the user. If own is true, it does so only if the session is the user's,
# or there is none: another player may have logged in meanwhile.
func start(
	user_id: String, username: String, token: String, refresh_token: String, own := false
) -> void:
	_abandon()
	var session := RanchSession.new()
	session.api = _wire.api
	session.user_id = user_id
	session.username = username
	session.refresh_token = refresh_token
	session = session.received(token, _now.call(), _ahead)
	await _update(
		func(current: RanchSession) -> Made:
			var is_anothers := own and current and current.user_id != user_id
			return null if is_anothers else Made.new(session, _started)
	)


# Ends the session here. It returns {"session", "failure"}: the ended session, and the store's error or OK.
func end() -> Dictionary:
	_abandon()
	var was := {"session": null}
	was.failure = await _update(
		func(current: RanchSession) -> Made:
			was.session = current
			return Made.new(null, _ended, "logout") if current else null
	)
	return was


# Returns the session with a fresh access token. If a player is given and the session is not theirs, it returns a
# RanchError. If a refused token is given, the session has another token.
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


# A token from the future is old, too: the clock was set back, so the token's age and ahead are wrong.
func _is_old(session: RanchSession) -> bool:
	var age: float = _now.call() - session.received_at
	var early := minf(_MARGIN, session.lifetime / 10)
	return session.lifetime > 0 and (age < 0 or session.lifetime - age < early)


# Concurrent calls share one refresh. If a call is cancelled, only that call stops waiting. If no call waits any more,
# the refresh is cancelled. If the session has changed meanwhile, it returns null: the caller loads it again.
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
	# An abandoned flight releases the lock at once, although its request may still be on the way.
	var renewed: Variant = null
	if not mine.abandoned.is_cancelled:
		renewed = await Promise.until(_renew.bind(stale, mine.abandoned), mine.abandoned)
	release.call()
	_land(mine)
	mine.landed.settle(null if mine.abandoned.is_cancelled else renewed)


# Cancels the refresh under way, which from now on changes nothing and reports nothing.
func _abandon() -> void:
	var abandoned := _flight
	_flight = null
	if abandoned:
		abandoned.abandoned.cancel()


# Lets the next call that needs a token begin another flight.
func _land(landed: Flight) -> void:
	if _flight == landed:
		_flight = null


# Refreshes the stored session, unless another client has refreshed it before.
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


# Requests a token until an answer is final or no attempt is left. It returns a token, or the last failure and whether
# all attempts got doubtful refusals (see verdict.gd).
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


# Updates the session to the result of change and emits the signal. If change returns null, there is no update. Signals
# come in the order of updates. It returns the store's error, or OK.
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
