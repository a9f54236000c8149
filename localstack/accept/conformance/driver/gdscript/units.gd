# Tests of the GDScript client that no scenario covers: node driver.mjs units.
extends RefCounted

const Instant := preload("res://addons/ranch/internal/instant.gd")
const Sturdy := preload("res://addons/ranch/internal/sturdy.gd")
const Tokens := preload("res://addons/ranch/internal/tokens.gd")
const Turn := preload("res://addons/ranch/internal/turn.gd")
const Wire := preload("res://addons/ranch/internal/wire.gd")

const STORED := '{"aheadMs":-1500,"api":"https://a","lifetimeMs":900000,"receivedAt":"2026-11-25T10:00:00.123Z","refreshToken":"d.e.f","refusedLast":"2026-11-25T10:01:00.000Z","refusedSince":"2026-11-25T10:00:00.000Z","token":"a.b.c","userId":"1","username":"ada"}'
const LOGGED_IN := '{"token":"a.b.c","refreshToken":"d.e.f","user":{"id":"1","username":"ada","tomorrow":[{}]}}'

var checks := 0
var wrong := 0


# Answers requests by their path.
class Answers:
	extends RanchTransport

	var bodies: Dictionary

	func _init(by_path: Dictionary) -> void:
		bodies = by_path

	func send(request: Request, _cancel: RanchCancel) -> Answer:
		var answer := Answer.new()
		answer.status = 200
		answer.body = bodies.get(request.url.trim_prefix("https://a"), "[]")
		return answer


# A store that fails, and never gives its lock.
class Failing:
	extends RanchStore

	func load_session() -> Variant:
		return ERR_FILE_CANT_READ

	func update(_change: Callable) -> Error:
		return ERR_FILE_CANT_WRITE

	func lock(cancel: RanchCancel) -> Callable:
		await cancel.cancelled
		return Callable()


# Runs all checks, prints the failed ones and the number of all, and returns the exit code.
func check() -> int:
	for id: String in [
		"6f9d1c2e-8a4b-4c3d-9e5f-0a1b2c3d4e5f", "6F9D1C2E-8A4B-4C3D-9E5F-0A1B2C3D4E5F"
	]:  # docs/scoring.md
		equal(
			RanchClient.favourites(id),
			["growthRateScore", "fertilityScore"],
			"the favourites of " + id
		)
	for i in OS.get_cmdline_user_args()[-1].to_int():
		equal(load("res://sample%d.gd" % i).can_instantiate(), true, "sample %d compiles" % i)
	sessions()
	addresses()
	await files()
	await failing_stores()
	await turns()
	await pages()
	print("%d checks, %d wrong" % [checks, wrong])
	return 0 if wrong == 0 else 1


func equal(got: Variant, want: Variant, what: String) -> void:
	checks += 1
	if got != want:
		wrong += 1
		print("WRONG: %s: got %s, want %s" % [what, got, want])


func sessions() -> void:
	var session := RanchSession.parse(STORED)
	equal(session.to_json(), STORED, "a session that was read and written again")
	equal(str(session), "session of ada at https://a", "what is printed of a session")
	equal(
		Instant.parse("2026-11-25T12:00:00.123456789+02:00"),
		Instant.parse("2026-11-25T10:00:00.123456789Z"),
		"a time of another zone"
	)
	equal(
		Instant.of_header("Wed, 25 Nov 2026 10:00:00 GMT"),
		Instant.parse("2026-11-25T10:00:00Z"),
		"a time of a header"
	)
	for change: Array in [
		['"a.b.c"', '"a.b\\n.c"'],
		['"a.b.c"', '"a.b.c\\n"'],
		["-1500", "1e300"],
		['"lifetimeMs":900000,', ""],
		['"userId":"1"', '"userId":1'],
		['"2026-11-25T10:00:00.123Z"', '"26"'],
	]:
		equal(
			RanchSession.parse(STORED.replace(change[0], change[1])),
			null,
			"a session with " + change[1]
		)
	for text: String in ["", "null", "{", "<html>", "[]", '{"api":7}']:
		equal(RanchSession.parse(text), null, "the session of " + text)
	for token: String in [
		"a.b.c", "a.e30.c", "a.eyJpYXQiOiIxIn0.c", "a.eyJpYXQiOjEsImV4cCI6MX0.c", "a.xxxxx.c"
	]:
		equal(Tokens.times(token), {}, "the times of " + token)


func addresses() -> void:
	for api: String in [
		"https://example.com",
		"http://localhost:3000",
		"http://127.0.0.2",
		"http://[::1]:1",
		"HTTP://LOCALHOST"
	]:
		equal(Wire.is_safe(api), true, api)
	for api: String in [
		"http://example.com",
		"http://10.0.0.1",
		"http://localhost.example.com",
		"http://127.0.0.1.example.com",
		"HTTP://example.com",
		"http://user@example.com"
	]:
		equal(Wire.is_safe(api), false, api)


func files() -> void:
	var path := "user://deep_session.json"
	var store := RanchFileStore.new(path)
	equal(store.load_session(), null, "the session of no file")
	var session := RanchSession.parse(STORED)
	for i in 2:  # also in the place of the file
		equal(
			store.update(func(_known: RanchSession) -> RanchSession: return session),
			OK,
			"a session that is stored"
		)
	equal(RanchFileStore.new(path).load_session().to_json(), STORED, "the session of a file")
	equal(FileAccess.file_exists(path + ".new"), false, "there is a file besides")
	equal(
		store.update(func(_known: RanchSession) -> RanchSession: return null),
		OK,
		"a session that is removed"
	)
	equal(FileAccess.file_exists(path), false, "there is a file")
	FileAccess.open(path, FileAccess.WRITE).store_string("{")
	equal(store.load_session(), null, "the session of rubbish")
	equal(
		store.update(func(_known: RanchSession) -> RanchSession: return session),
		OK,
		"a session in the place of rubbish"
	)
	equal(store.load_session().to_json(), STORED, "the session in the place of rubbish")
	DirAccess.remove_absolute(path)
	equal(
		(
			RanchFileStore.new("user://no/such/folder/file").update(
				func(_known: RanchSession) -> RanchSession: return session
			)
			== OK
		),
		false,
		"a folder that is missing"
	)


func client(store: RanchStore, bodies := {}) -> RanchClient:
	var options := RanchOptions.new()
	options.store = store
	options.transport = Answers.new(
		bodies.merged({"/auth/login": LOGGED_IN, "/auth/logout": '{"success":true}'})
	)
	return RanchClient.new("https://a", options)


func failing_stores() -> void:
	var ranch := client(Failing.new())
	equal((await ranch.login("a@example.com", "p")).value.username, "ada", "the player")
	equal((await ranch.session()).value.token, "a.b.c", "the session that cannot be stored")
	equal((await ranch.animals()).value, [], "the animals")
	equal(
		(await ranch.logout()).error.kind, RanchError.Kind.STORE, "a log-out that cannot be stored"
	)
	equal((await ranch.session()).value, null, "the session after a log-out")
	var at_once := func(_seconds: float, _cancel: RanchCancel) -> void: pass
	var release: Callable = await Sturdy.new(Failing.new(), "https://a", at_once).lock(
		1, RanchCancel.new()
	)
	equal(release.is_valid(), true, "what gives up a lock that does not come")


func turns() -> void:
	var turn := Turn.new()
	var order: Array[String] = []
	var giving_up := RanchCancel.new()
	var take := func(name: String, cancel: RanchCancel) -> void:
		order.append(name if await turn.take(cancel) else "not " + name)
	await take.call("first", null)
	take.call("second", giving_up)
	take.call("third", null)
	giving_up.cancel()
	turn.give()
	equal(order, ["first", "not second", "third"], "the turns")


func pages() -> void:
	var ranch := client(
		RanchMemoryStore.new(),
		{
			"/events/shows/1/entries": '[{"id":"1"},{"id":"2"}]',
			"/events/shows/2/entries": "{}",
			"/events/shows/3/entries?limit=20": '[{"id":"3"}]',
		}
	)
	await ranch.login("a@example.com", "p")
	var ids: Array[String] = []
	var entries := ranch.each_entry("1")
	while await entries.next():
		ids.append(entries.item.id)
	equal(ids, ["1", "2"], "the entries")
	equal(await entries.next(), false, "an entry behind the last one")
	equal(entries.error, null, "the error of a whole list")
	entries = ranch.each_entry("2")
	equal(await entries.next(), false, "an entry of what is no list")
	equal(entries.error.code, RanchError.UNEXPECTED, "the error of what is no list")
	for limit: Variant in [20, 20.0]:  # numbers of JSON are floats
		var page := await ranch.show_entries("3", {"limit": limit})
		equal(page.value.items.size(), 1, "the entries of a page with the limit %s" % limit)
