# A store that does not fail. If the inner store fails, for example because the disk is full, memory keeps the session
# as long as the game runs. A session of another API counts as no session.
extends RefCounted

const Promise := preload("promise.gd")

var _store: RanchStore
var _api: String
var _delay: Callable
var _held: RanchSession  # the session that the inner store should have
var _is_failing := false  # the inner store does not have _held


func _init(store: RanchStore, api: String, delay: Callable) -> void:
	_store = store
	_api = api
	_delay = delay


func load_session() -> RanchSession:
	if not _is_failing:
		var loaded: Variant = await _store.load_session()
		if not loaded is int:  # after an error, the last known session stays
			_held = _ours(loaded)
	return _held


# Always calls change once. It returns the inner store's error, or OK.
func update(change: Callable) -> Error:
	var made := {"called": false, "changed": false}
	var once := func(known: RanchSession) -> void:
		_held = change.call(known)
		made.called = true
		made.changed = _held != known
	var failure: Error = await _store.update(
		func(current: RanchSession) -> RanchSession:
			once.call(_held if _is_failing else _ours(current))
			return _held if made.changed else current
	)
	if not made.called:
		once.call(_held)
	if made.changed:
		_is_failing = failure != OK
	return failure


# Gets the store's lock, and returns a Callable that releases it. After limit seconds, or if it is cancelled, it returns
# without the lock: two simultaneous refreshes do no harm, and waiting for ever would.
func lock(limit: float, cancel: RanchCancel) -> Callable:
	var race := Promise.new()
	var waiting := RanchCancel.new()
	var ask := func() -> void:
		var release: Callable = await _store.lock(waiting)
		if race.is_settled and release.is_valid():
			release.call()  # the lock came too late
		elif release.is_valid():
			race.settle(release)
	var expire := func() -> void:
		await _delay.call(limit, waiting)
		race.settle(Callable())
	ask.call()
	if not race.is_settled:
		expire.call()
	var release: Variant = await Promise.until(race.wait, cancel)
	race.settle(Callable())
	waiting.cancel()
	return release if release is Callable and release.is_valid() else func() -> void: pass


func _ours(session: RanchSession) -> RanchSession:
	return session if session and session.api == _api else null
