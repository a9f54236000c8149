# The driver of the GDScript client, in the page of driver.mjs. ../README.md has the protocol.
# With the argument "node", the clients send through Node.js and not through HTTPRequest. With "units", the project only
# runs the tests of units.gd.
extends Node

signal _never

const Received := preload("res://addons/ranch/internal/answer.gd")
const Promise := preload("res://addons/ranch/internal/promise.gd")

var _window := JavaScriptBridge.get_interface("window")
var _asked := JavaScriptBridge.create_callback(func(lines: Array) -> void: _serve(_parse(lines[0])))
var _stores := {}  # by name
var _clients := {}  # by name
var _under_way := {}  # the cancels of requests, by their ids


# A client with its clock, and with the waits that it has skipped.
class Driven:
	var client: RanchClient
	var forward := 0.0
	var delays := []


# Sends through Node.js. The page has window.exchange and window.giveUp for this.
class NodeTransport:
	extends RanchTransport

	static var _last := 0
	var _window := JavaScriptBridge.get_interface("window")

	func send(request: Request, cancel: RanchCancel) -> RanchTransport.Answer:
		_last += 1
		var id := _last
		var method: String = ["GET", "HEAD", "POST", "PUT", "DELETE"][request.method]
		var asked := {
			"id": id,
			"method": method,
			"url": request.url,
			"headers": request.headers,
			"body": request.body,
			"timeoutMs": request.timeout * 1000,
			"maxBytes": request.max_bytes
		}
		var promise := Promise.new()
		var got := JavaScriptBridge.create_callback(
			func(texts: Array) -> void: promise.settle(Received.whole(JSON.parse_string(texts[0])))
		)
		var give_up := func() -> void: _window.giveUp(id)
		if cancel:
			cancel.cancelled.connect(give_up)
		_window.exchange(JSON.stringify(asked)).then(got)
		var came: Dictionary = await promise.wait()
		if cancel:
			cancel.cancelled.disconnect(give_up)
		var answer := RanchTransport.Answer.new()
		for name: String in came:
			answer.set(name, came[name])
		return answer


# A store that waits before each operation, and again after it.
class SlowStore:
	extends RanchStore

	var _store: RanchStore
	var _pause: Callable

	func _init(store: RanchStore, pause: Callable) -> void:
		_store = store
		_pause = pause

	func load_session() -> Variant:
		await _pause.call()
		var session: Variant = await _store.load_session()
		await _pause.call()
		return session

	func update(change: Callable) -> Error:
		await _pause.call()
		var failure: Error = await _store.update(change)
		await _pause.call()
		return failure

	func lock(cancel: RanchCancel) -> Callable:
		return await _store.lock(cancel)


func _ready() -> void:
	if "units" in OS.get_cmdline_user_args():
		_window.ended(await preload("units.gd").new().check())  # quitting can crash this engine
		return
	_window.ask = _asked
	_window.ready()


func _serve(request: Dictionary) -> void:
	var id: int = request.id
	_under_way[id] = RanchCancel.new()
	var result := await _do(request, _under_way[id])
	_under_way.erase(id)
	if result.error:
		_write({"id": id, "error": _describe(result.error)})
	else:
		_write({"id": id, "ok": result.value})


func _do(request: Dictionary, cancel: RanchCancel) -> RanchResult:
	var driven: Driven = _clients.get(request.get("client"))
	match request.op:
		"new":
			_add(request)
		"clock":
			driven.forward += request.forwardMs / 1000.0
		"peek":
			return _stored(await _store_of(request.store).load_session())
		"plant":
			var session := RanchSession.parse(JSON.stringify(request.args))
			await _store_of(request.store).update(
				func(_current: RanchSession) -> RanchSession: return session
			)
		"cancel":
			if _under_way.has(int(request.of)):
				_under_way[int(request.of)].cancel()
		"delays":
			var delays := driven.delays
			driven.delays = []
			return RanchResult.of(delays)
		_:
			return await _call(driven.client, request.op, request.get("args", {}), cancel)
	return RanchResult.new()


func _call(client: RanchClient, op: String, a: Dictionary, cancel: RanchCancel) -> RanchResult:
	var at := {"limit": int(a.limit) if a.has("limit") else null, "around": a.get("around")}
	match op:
		"register":
			return await client.register(a.email, a.username, a.password, a.ranchName, cancel)
		"changePassword":
			return await client.change_password(a.current, a.next, cancel)
		"changeEmail":
			return await client.change_email(a.email, a.password, cancel)
		"deleteAccount":
			return await client.delete_account(a.get("password"), cancel)
		"login":
			return await client.login(a.email, a.password, cancel)
		"session":
			return _stored((await client.session(cancel)).value)
		"shows":
			return await client.shows(a, cancel)
		"eachShow":
			return await _all(client.each_show(a), cancel)
		"eachOwnEntry":
			var filter := {
				"show": a.get("show"), "unclaimed": a.get("unclaimed"), "limit": at.limit
			}
			return await _all(client.each_own_entry(filter), cancel)
		"eachEntry":
			return await _all(client.each_entry(a.show, at), cancel)
		"showEntries":
			return await client.show_entries(a.show, at, cancel)
		"standings":
			return await client.standings(at, cancel)
		"enter":
			return await client.enter(a.show, a.animal, cancel)
		"show", "judge", "claim":
			return await client.call(op, a.show, cancel)
		"serverTime":
			return RanchResult.of(roundi(client.server_time() * 1000))
		_:
			return await client.call(op, cancel)  # a read without arguments


func _all(items: RanchPager, cancel: RanchCancel) -> RanchResult:
	var all := []
	while await items.next(cancel):
		all.append(items.item)
	return RanchResult.of(items.error if items.error else all)


func _add(request: Dictionary) -> void:
	var driven := Driven.new()
	var options := RanchOptions.new()
	var store := _store_of(request.get("store", ""))
	options.store = (
		SlowStore.new(store, _pause.bind(request.slowMs / 1000.0))
		if request.has("slowMs")
		else store
	)
	options.attempts = request.get("attempts", options.attempts)
	options.timeout = request.get("timeoutMs", 0) / 1000.0
	options.now = func() -> float: return Time.get_unix_time_from_system() + driven.forward
	options.wait = func(delay: float, cancel: RanchCancel) -> void:
		driven.delays.append(roundi(delay * 1000))
		if request.get("stuck", false) and not (cancel and cancel.is_cancelled):
			await (cancel.cancelled if cancel else _never)
	if "node" in OS.get_cmdline_user_args():
		options.transport = NodeTransport.new()
	driven.client = RanchClient.new(request.api, options)
	var tell := func(kind: String, told := {}) -> void:
		_write({"event": told.merged({"kind": kind}), "client": request.client})
	driven.client.session_started.connect(tell.bind("sessionStarted"))
	driven.client.session_refreshed.connect(tell.bind("sessionRefreshed"))
	driven.client.session_ended.connect(
		func(reason: String) -> void: tell.call("sessionEnded", {"reason": reason})
	)
	driven.client.unreachable.connect(tell.bind("unreachable"))
	driven.client.reachable.connect(tell.bind("reachable"))
	_clients[request.client] = driven


func _pause(seconds: float) -> void:
	await get_tree().create_timer(seconds).timeout


func _store_of(name: String) -> RanchStore:
	if name == "":
		return RanchMemoryStore.new()
	if not _stores.has(name):
		_stores[name] = RanchMemoryStore.new()
	return _stores[name]


static func _parse(text: String) -> Variant:
	return Received.whole(JSON.parse_string(text))


static func _stored(session: RanchSession) -> RanchResult:
	return RanchResult.of(_parse(session.to_json()) if session else null)


static func _describe(error: RanchError) -> Dictionary:
	match error.kind:
		RanchError.Kind.API:
			var said := {
				"kind": "api",
				"status": error.status,
				"code": error.code,
				"message": error.said,
				"requestId": error.request_id
			}
			if not error.details.is_empty():
				said.details = error.details
			return said
		RanchError.Kind.NETWORK:
			return {"kind": "network", "message": error.message}
		RanchError.Kind.UNKNOWN_OUTCOME:
			return {
				"kind": "unknown",
				"operation": error.operation,
				"advice": error.advice,
				"cause": _describe(error.cause)
			}
		RanchError.Kind.SESSION_ENDED:
			return {"kind": "ended", "reason": error.reason}
		RanchError.Kind.CANCELLED:
			return {"kind": "cancelled"}
	return {"kind": "other", "message": error.message}


func _write(message: Dictionary) -> void:
	_window.answer(JSON.stringify(message))
