## Calls the Ranch API as one player. Make a client, for example in an autoload, and keep it as long as its calls run.
## Await the calls: each returns a [RanchResult]. Concurrent calls are allowed.
class_name RanchClient
extends RefCounted

## The player registered or logged in.
signal session_started
## There is a new access token.
signal session_refreshed
## The player logged out, or the service ended the session. The reason is logout, refused or banned.
signal session_ended(reason: String)
## A call got no answer; the session stays.
signal unreachable
## The first answer after unreachable.
signal reachable

const _Answer := preload("internal/answer.gd")
const _Caller := preload("internal/caller.gd")
const _Keeper := preload("internal/keeper.gd")
const _Lookup := preload("internal/lookup.gd")
const _Patience := preload("internal/patience.gd")
const _Promise := preload("internal/promise.gd")
const _Shapes := preload("internal/shapes.gd")
const _Sturdy := preload("internal/sturdy.gd")
const _Told := preload("internal/told.gd")
const _Wire := preload("internal/wire.gd")

## The status of a filter that selects shows of every status.
const ANY_STATUS := "*"
## The names of the traits in an animal's phenotype, in the order of docs/rules.md, S2.3.1.
const TRAITS: Array[String] = [
	"weightScore",
	"milkYieldScore",
	"growthRateScore",
	"temperamentScore",
	"coatQualityScore",
	"fertilityScore",
	"hardinessScore",
	"showPotentialScore",
]

var _keeper: _Keeper
var _caller: _Caller
var _long_timeout: float


## Makes a client of the API at a base URL. It sends nothing. If the address begins with http:// and is of another
## machine, all calls fail, unless the options allow such addresses.
func _init(api: String, options := RanchOptions.new()) -> void:
	var timeout := options.timeout if options.timeout > 0 else 10.0
	_long_timeout = options.timeout if options.timeout > 0 else 35.0
	var wire := _Wire.new(api, options)
	var patience := _Patience.new(options, _delay)
	var told := _Told.new(reachable, unreachable)
	var store := _Sturdy.new(options.store, wire.api, _delay)
	_keeper = _Keeper.new(
		wire,
		patience,
		told,
		store,
		timeout,
		options.now,
		[session_started, session_refreshed, session_ended]
	)
	_caller = _Caller.new(wire, patience, _keeper, told, timeout)


## The [RanchSession] from the store, or null if the player must log in.
func session(cancel: RanchCancel = null) -> RanchResult:
	return RanchResult.of(await _Promise.until(_keeper.load_session, cancel))


## The time of the service's clock in seconds since 1970, for countdowns. It is exact to the second. Before the first
## access token, it is this machine's time.
func server_time() -> float:
	return _keeper.server_time()


## Creates a player with a ranch, gold and three animals, and logs in. The value is the user.
func register(
	email: String,
	username: String,
	password: String,
	ranch_name: String,
	cancel: RanchCancel = null
) -> RanchResult:
	var request := _Caller.Request.post(
		"/auth/register",
		{"email": email, "username": username, "password": password, "ranchName": ranch_name},
		cancel
	)
	request.is_open = true
	var done := func(answer: _Answer) -> Variant:
		return await _start(answer.read(201, _Shapes.is_started))
	var look := func(last: RanchError, _player: String) -> Variant:
		if last.is_rule() and last.code != "CONFLICT":
			return null
		var logged_in: Variant = await _log_in(email, password, cancel)
		if logged_in is RanchError:
			return null if logged_in.is_rule() else logged_in
		return await _start(logged_in) if logged_in.user.username == username else null
	return RanchResult.of(await _caller.change("register", request, done, look))


## Logs in. The new session replaces the client's old session, which the service does not end. The value is the account.
func login(email: String, password: String, cancel: RanchCancel = null) -> RanchResult:
	return RanchResult.of(await _start(await _log_in(email, password, cancel)))


## Ends the session here in any case, and asks the service to end it, too. Without its confirmation, the refresh token
## may stay valid until it expires, and the result has an error. [constant RanchError.STORE]: the store may still have
## the session.
func logout(cancel: RanchCancel = null) -> RanchResult:
	var was := await _keeper.end()
	if was.session == null:
		return RanchResult.new()
	var request := _Caller.Request.post(
		"/auth/logout", {"refreshToken": was.session.refresh_token}, cancel
	)
	request.is_open = true
	var result: Variant = await _caller.send(request)
	if result is _Answer:
		result = result.read(200, _Shapes.is_done)
	var error: RanchError = result if result is RanchError else null
	return RanchResult.of(RanchError.store(error) if was.failure != OK else error)


## Changes the player's password. Every other session of the player ends, and this client goes on with a new one. A wrong
## password is the code INVALID_CREDENTIALS.
func change_password(
	current_password: String, new_password: String, cancel: RanchCancel = null
) -> RanchResult:
	var session: Variant = await _keeper.current("", "", cancel)
	if session is RanchError:
		return RanchResult.of(session)
	var request := _Caller.Request.sending(
		HTTPClient.METHOD_PUT,
		"/me/password",
		{"currentPassword": current_password, "newPassword": new_password},
		cancel
	)
	request.player = session.user_id
	var done := func(answer: _Answer) -> Variant:
		var tokens: Variant = answer.read(200, _Shapes.is_session)
		if tokens is RanchError:
			return tokens
		await _keeper.start(
			session.user_id, session.username, tokens.token, tokens.refreshToken, true
		)
		return true
	# The access token outlives the change, so the client can read the address to log in with.
	var look := func(_last: RanchError, player: String) -> Variant:
		var user: Variant = await _player(player, cancel)
		if user is RanchError:
			return user
		var logged_in: Variant = await _log_in(user.email, new_password, cancel)
		if logged_in is RanchError:
			return null if logged_in.is_rule() else logged_in
		await _keeper.start(
			session.user_id, session.username, logged_in.token, logged_in.refreshToken, true
		)
		return true
	return RanchResult.of(await _caller.change("changePassword", request, done, look))


## Changes the player's e-mail address. Sessions stay. The value is the player.
func change_email(email: String, password: String, cancel: RanchCancel = null) -> RanchResult:
	var request := _Caller.Request.sending(
		HTTPClient.METHOD_PUT, "/me/email", {"email": email, "password": password}, cancel
	)
	var done := func(answer: _Answer) -> Variant: return answer.read(200, _Shapes.is_identified)
	var look := func(_last: RanchError, player: String) -> Variant:
		var user: Variant = await _player(player, cancel)
		return user if user is RanchError or user.email == email.to_lower() else null
	return RanchResult.of(await _caller.change("changeEmail", request, done, look))


## Deletes the player's account, and ends the session here. An account without a password needs none: null.
func delete_account(password: Variant = null, cancel: RanchCancel = null) -> RanchResult:
	var request := _Caller.Request.sending(
		HTTPClient.METHOD_DELETE, "/me", null if password == null else {"password": password}, cancel
	)
	request.timeout = _long_timeout
	request.looks_without_session = true
	var done := func(answer: _Answer) -> Variant: return answer.read(200, _Shapes.is_done)
	var look := func(last: RanchError, player: String) -> Variant:
		if last.is_rule():
			return null
		var found: Variant = last
		if last.kind != RanchError.Kind.SESSION_ENDED:
			found = await _player(player, cancel)
		if not found is RanchError:
			return null
		if found.kind != RanchError.Kind.SESSION_ENDED:
			return found
		return true if found.reason == "banned" else null  # banned or deleted
	var result: Variant = await _caller.change("deleteAccount", request, done, look)
	if not result is RanchError:
		await _keeper.end()
	return RanchResult.of(result)


## The player, with the current gold.
func me(cancel: RanchCancel = null) -> RanchResult:
	return RanchResult.of(await _get("/me", _Shapes.is_identified, cancel))


## All animals of the player.
func animals(cancel: RanchCancel = null) -> RanchResult:
	return RanchResult.of(await _get("/animals", _Shapes.is_list, cancel))


## The active season with the player's score, or null if no season is active.
func season(cancel: RanchCancel = null) -> RanchResult:
	var found: Variant = await _get("/events/season", _Shapes.is_season, cancel)
	return RanchResult.of(null if found is Dictionary and found.get("active") == false else found)


## The latest 50 seasons, the latest start first.
func seasons(cancel: RanchCancel = null) -> RanchResult:
	return RanchResult.of(await _get("/events/seasons", _Shapes.is_list, cancel))


## A page of a season's standings: the contract's fields, "next" and "prev". at may have season, one of after, before (a
## playerId) and around ("me"), and limit (1 to 100). If asOf is another one than on the page before, begin again.
func standings(at := {}, cancel: RanchCancel = null) -> RanchResult:
	var path := _with_query("/events/season/standings", at)
	var answer: Variant = await _caller.send(_Caller.Request.new(path, cancel))
	if answer is RanchError:
		return RanchResult.of(answer)
	var page: Variant = answer.read(200, _Shapes.is_standings)
	if page is Dictionary:
		page.next = _linked(answer, "next") != ""
		page.prev = _linked(answer, "prev") != ""
	return RanchResult.of(page)


## The first page of shows, 50 at most, by closing time. The filter may have tier, status (absent: open; or [constant
## ANY_STATUS]), and after: the id of the last show of the page before.
func shows(filter := {}, cancel: RanchCancel = null) -> RanchResult:
	var page: Variant = await _page(_shows_path(filter), cancel)
	return RanchResult.of(page.items if page is Dictionary else page)


## A page of shows: {"items", "next"}. If next is true, there is a page after the last show.
func shows_page(filter := {}, cancel: RanchCancel = null) -> RanchResult:
	return RanchResult.of(await _page(_shows_path(filter), cancel))


## A pager of all shows.
func each_show(filter := {}) -> RanchPager:
	return _pager(_shows_path(filter))


## A page of the player's own entries: {"items", "next"}, newest first. The filter may have season (an id or "all"),
## show, unclaimed (true: only entries with a prize to claim), after, and limit (1 to 50). Without season and show, it
## selects the entries of the active season, and with unclaimed those of all seasons. Page through unclaimed prizes with
## [method each_own_entry]: a page may be empty, and still have a next one.
func own_entries(filter := {}, cancel: RanchCancel = null) -> RanchResult:
	return RanchResult.of(await _page(_with_query("/me/entries", filter), cancel))


## A pager of all entries of the player.
func each_own_entry(filter := {}) -> RanchPager:
	return _pager(_with_query("/me/entries", filter))


## A show with its entries by rank. Entries without a rank are last, by the time of entry.
func show(id: String, cancel: RanchCancel = null) -> RanchResult:
	return RanchResult.of(await _get(_show_path(id), _Shapes.is_show, cancel))


## A page of a show's entries: {"items", "next", "prev"}, by rank if the show is completed. at may have after or before
## with an entry's id, or around ("me"), and limit (1 to 100).
func show_entries(id: String, at := {}, cancel: RanchCancel = null) -> RanchResult:
	return RanchResult.of(await _page(_with_query(_show_path(id) + "/entries", at), cancel))


## A pager of a show's entries. If the show is judged meanwhile, it goes on in the old order, without scores.
func each_entry(id: String, at := {}) -> RanchPager:
	return _pager(_with_query(_show_path(id) + "/entries", at))


## Enters an animal for the show's fee. If an answer gets lost, the client tries again. The fee is paid once. If the
## value is resolved, the entry may be older than this call.
func enter(show_id: String, animal_id: String, cancel: RanchCancel = null) -> RanchResult:
	var request := _Caller.Request.post(
		_show_path(show_id) + "/enter", {"animalId": animal_id}, cancel
	)
	var look := func(_last: RanchError, player: String) -> Variant:
		var own: Variant = await _own(show_id, player, cancel)
		return own if own is RanchError else _Lookup.entered(animal_id, own)
	return RanchResult.of(
		await _caller.change("enter", request, _reads(201, _Shapes.is_entered), look)
	)


## Judges a show. If the value is resolved, another player may have judged the show.
func judge(show_id: String, cancel: RanchCancel = null) -> RanchResult:
	var request := _Caller.Request.post(_show_path(show_id) + "/judge", null, cancel)
	request.timeout = _long_timeout
	var look := func(_last: RanchError, _player: String) -> Variant:
		var found: Variant = await _get(_show_path(show_id), _Shapes.is_show, cancel)
		if found is RanchError:
			return null if found.is_rule() and found.status == 404 else found
		return _Lookup.judged(found)
	return RanchResult.of(
		await _caller.change("judge", request, _reads(200, _Shapes.is_judged), look)
	)


## Claims the player's prize. If an answer gets lost, the client tries again. The prize is paid once. If the value is
## resolved, the claim may be older than this call.
func claim(show_id: String, cancel: RanchCancel = null) -> RanchResult:
	var request := _Caller.Request.post(_show_path(show_id) + "/claim-reward", null, cancel)
	var look := func(_last: RanchError, player: String) -> Variant:
		var own: Variant = await _own(show_id, player, cancel)
		return own if own is RanchError else _Lookup.claimed(own)
	return RanchResult.of(
		await _caller.change("claim", request, _reads(200, _Shapes.is_claimed), look)
	)


## The two traits whose weights a show multiplies by four. It sends nothing: the formula is public (docs/scoring.md).
static func favourites(show_id: String) -> Array[String]:
	var hash_of := ("ranch/score/1/weights/" + show_id.to_lower()).sha256_buffer()
	var first := hash_of[8] % 8
	return [TRAITS[first], TRAITS[(first + 1 + hash_of[9] % 7) % 8]]


func _get(path: String, shape: Callable, cancel: RanchCancel) -> Variant:
	var answer: Variant = await _caller.send(_Caller.Request.new(path, cancel))
	return answer if answer is RanchError else answer.read(200, shape)


# Returns a page: {"items", "next", "prev", "next_path"}. The pager reads the next page at next_path.
func _page(path: String, cancel: RanchCancel, player := "") -> Variant:
	var request := _Caller.Request.new(path, cancel)
	request.player = player
	var answer: Variant = await _caller.send(request)
	if answer is RanchError:
		return answer
	var items: Variant = answer.read(200, _Shapes.is_list)
	if items is RanchError:
		return items
	var next_path := _linked(answer, "next")
	return {
		"items": items,
		"next": next_path != "",
		"prev": _linked(answer, "prev") != "",
		"next_path": next_path
	}


# Returns the path and query of another page of a list, or "".
static func _linked(answer: _Answer, relation: String) -> String:
	var pattern := RegEx.create_from_string('<(/[^<>]*)>; *rel="?%s"?' % relation)
	var found := pattern.search(answer.header("link"))
	return found.get_string(1) if found else ""


func _pager(path: String, player := "") -> RanchPager:
	var page := func(at: String, cancel: RanchCancel) -> Variant:
		return await _page(at, cancel, player)
	return RanchPager.new(page, path)


# Returns the entries of a player in a show. If another player has logged in, it returns a RanchError.
func _own(show_id: String, player: String, cancel: RanchCancel) -> Variant:
	var own := _pager(_with_query("/me/entries", {"show": show_id, "limit": 50}), player)
	var all: Array = []
	while await own.next(cancel):
		all.append(own.item)
	return own.error if own.error else all


func _player(player: String, cancel: RanchCancel) -> Variant:
	var request := _Caller.Request.new("/me", cancel)
	request.player = player
	var answer: Variant = await _caller.send(request)
	return answer if answer is RanchError else answer.read(200, _Shapes.is_identified)


func _log_in(email: String, password: String, cancel: RanchCancel) -> Variant:
	var request := _Caller.Request.post(
		"/auth/login", {"email": email, "password": password}, cancel
	)
	request.is_open = true
	var answer: Variant = await _caller.send(request)
	return answer if answer is RanchError else answer.read(200, _Shapes.is_started)


# Starts the session of an answer to a log-in or a registration, and returns its user.
func _start(logged_in: Variant) -> Variant:
	if logged_in is RanchError:
		return logged_in
	await _keeper.start(
		logged_in.user.id, logged_in.user.username, logged_in.token, logged_in.refreshToken
	)
	return logged_in.user


static func _reads(status: int, shape: Callable) -> Callable:
	return func(answer: _Answer) -> Variant:
		var body: Variant = answer.read(status, shape)
		if body is Dictionary:
			body.resolved = false
		return body


static func _with_query(path: String, query: Dictionary) -> String:
	var parts: Array[String] = []
	for name: String in query:
		if query[name] != null:
			parts.append("%s=%s" % [name, str(_Answer.whole(query[name])).uri_encode()])
	return path if parts.is_empty() else path + "?" + "&".join(parts)


static func _shows_path(filter: Dictionary) -> String:
	var status: Variant = filter.get("status")
	# In the API, an empty status selects shows of every status.
	var query := {
		"tier": filter.get("tier"),
		"after": filter.get("after"),
		"status": "" if status == ANY_STATUS else null if status == "" else status
	}
	return _with_query("/events/shows", query)


static func _show_path(id: String) -> String:
	return "/events/shows/" + id.uri_encode()


# Waits some seconds, also in a paused game, or until it is cancelled.
static func _delay(seconds: float, cancel: RanchCancel) -> void:
	var timer := (Engine.get_main_loop() as SceneTree).create_timer(seconds, true, false, true)
	await _Promise.until(func() -> void: await timer.timeout, cancel)
