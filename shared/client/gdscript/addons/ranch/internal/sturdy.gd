# A store that does not fail: if the one within does (a full disk, a folder that may not be written), memory takes over,
# and play goes on as long as the game runs. It ignores a session of another API.
extends RefCounted

const Promise := preload("promise.gd")

var _store: RanchStore
var _api: String
var _delay: Callable
var _held: RanchSession  # what the store ought to hold
var _is_failing := false  # the store could not be given it


func _init(store: RanchStore, api: String, delay: Callable) -> void:
	_store = store
	_api = api
	_delay = delay


func load_session() -> RanchSession:
	if not _is_failing:
		var loaded: Variant = await _store.load_session()
		if not loaded is int:  # or else what was known last counts
			_held = _ours(loaded)
	return _held


# Calls change once. It returns why the store within could not be updated, or OK.
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


# Takes the store's lock, and returns what gives it up. After limit seconds, or if it is cancelled, it returns without the
# lock: two clients that refresh cost a request, and one that waits for ever costs a player.
func lock(limit: float, cancel: RanchCancel) -> Callable:
	var race := Promise.new()
	var waiting := RanchCancel.new()
	var ask := func() -> void:
		var release: Callable = await _store.lock(waiting)
		if race.is_settled and release.is_valid():
			release.call()  # it came too late
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
