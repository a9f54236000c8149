# Makes calls and repeats them. Calls that are not open get the session's token.
extends RefCounted

const Answer := preload("answer.gd")
const Keeper := preload("keeper.gd")
const Patience := preload("patience.gd")
const Told := preload("told.gd")
const Wire := preload("wire.gd")


# A request, and how to send it.
class Request:
	var method := HTTPClient.METHOD_GET
	var path: String
	var body: Variant  # null: none
	var is_open := false  # the request needs no session
	var looks_without_session := false  # look can do without one, and gets its end as an error
	var player := ""  # the id of the player who must make the call; "": the session's player
	var timeout := 0.0  # 0: the client's
	var cancel: RanchCancel

	func _init(to: String, cancelling: RanchCancel) -> void:
		path = to
		cancel = cancelling

	static func post(to: String, content: Variant, cancelling: RanchCancel) -> Request:
		return sending(HTTPClient.METHOD_POST, to, content, cancelling)

	static func sending(
		how: HTTPClient.Method, to: String, content: Variant, cancelling: RanchCancel
	) -> Request:
		var request := Request.new(to, cancelling)
		request.method = how
		request.body = content
		return request


# The state of a call.
class Course:
	var session: RanchSession
	var in_doubt := false  # the service may have applied an attempt


var _wire: Wire
var _patience: Patience
var _keeper: Keeper
var _told: Told
var _timeout: float


func _init(wire: Wire, patience: Patience, keeper: Keeper, told: Told, timeout: float) -> void:
	_wire = wire
	_patience = patience
	_keeper = keeper
	_told = told
	_timeout = timeout


# Makes a change; done reads its answer. If the outcome is in doubt, it calls look with the last error and the id of the
# player who made the change. look returns null if the change is not there. All return a value or a RanchError.
func change(operation: String, request: Request, done: Callable, look: Callable) -> Variant:
	var course := Course.new()
	var last: Variant = await send(request, course)
	if last is Answer:
		last = await done.call(last)
	if not last is RanchError or not (course.in_doubt or last.is_unread()):
		return last
	if request.cancel and request.cancel.is_cancelled:
		return RanchError.unknown_outcome(operation, RanchError.cancelled())
	if last.kind == RanchError.Kind.SESSION_ENDED and not request.looks_without_session:
		return RanchError.unknown_outcome(operation, last)
	var found: Variant = await look.call(last, course.session.user_id if course.session else "")
	if found is RanchError:
		return RanchError.unknown_outcome(operation, found)
	if found != null:
		return found
	return last if last.is_rule() else RanchError.unknown_outcome(operation, last)


# Sends a request until an answer is final or no attempt is left. It returns an Answer or a RanchError.
func send(request: Request, course := Course.new()) -> Variant:
	var refused := ""
	var attempt := 1
	while true:
		if not request.is_open:
			var session: Variant = await _keeper.current(
				course.session.user_id if course.session else request.player,
				refused,
				request.cancel
			)
			if session is RanchError:
				if session.kind == RanchError.Kind.NETWORK:
					_told.reached(false)
				return session
			course.session = session
		if request.cancel and request.cancel.is_cancelled:
			return RanchError.cancelled()
		var token := course.session.token if course.session else ""
		var answer: Variant = await _wire.send(
			request.method,
			request.path,
			request.body,
			token,
			request.timeout if request.timeout > 0 else _timeout,
			request.cancel
		)
		if answer is RanchError:
			if answer.kind == RanchError.Kind.CANCELLED:
				course.in_doubt = true  # the caller cancelled during the attempt
			return answer
		if answer.status > 0:
			_told.reached(true)
		if answer.status >= 500 or answer.status == 0 and answer.sent:
			course.in_doubt = true
		if answer.status == 401 and course.session and refused == "":
			refused = token
			continue
		if answer.status > 0 and not answer.passes():
			return answer
		if attempt >= _patience.attempts:
			if answer.status > 0:
				return answer
			_told.reached(false)
			return RanchError.network()
		if not await _patience.pause(attempt, answer, request.cancel):
			return RanchError.cancelled()
		attempt += 1
	return null
