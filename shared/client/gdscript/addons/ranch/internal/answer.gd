# The answer to an attempt, with its body as JSON.
extends RefCounted

var status: int  # 0: no complete answer came
var sent: bool  # whether the request may have reached the service
var body: Variant  # null if the body is not JSON, or too large
var _headers: Dictionary


func _init(answer: RanchTransport.Answer) -> void:
	# The API sends no redirect and no 511: a network's log-in page has answered instead of the service.
	var is_foreign := answer.status >= 300 and answer.status < 400 or answer.status == 511
	status = 0 if is_foreign else answer.status
	sent = not is_foreign and (answer.sent or status > 0)
	_headers = answer.headers
	var json := JSON.new()
	if json.parse(answer.body) == OK:
		body = whole(json.data)


# Returns "" if there is no such header. Names are in lower case.
func header(name: String) -> String:
	return _headers.get(name, "")


# Whether the service could not process the request now. A 500 is final: the service has repeated its own requests
# before.
func passes() -> bool:
	return status in [429, 502, 503, 504]


# Returns the body. If the status is another, or shape rejects the body, it returns a RanchError.
func read(wanted: int, shape: Callable) -> Variant:
	return body if status == wanted and shape.call(body) else refusal()


# Returns the error of an unwanted answer. It ignores the body of an answer below 400.
func refusal() -> RanchError:
	var said: Dictionary = body if status >= 400 and body is Dictionary else {}
	var code: String = said.error if said.get("error") is String else ""
	var words: String = said.message if said.get("message") is String else ""
	if code == "":
		code = (
			RanchError.TOO_MANY_REQUESTS
			if status == 429
			else RanchError.SERVICE_UNAVAILABLE if passes() else RanchError.UNEXPECTED
		)
	var error := RanchError.refusal(status, code, words)
	error.request_id = header("apigw-requestid")
	var details: Dictionary = said.details if said.get("details") is Dictionary else {}
	for field: String in details:
		if details[field] is Array:
			error.details[field] = details[field].filter(
				func(sentence: Variant) -> bool: return sentence is String
			)
	return error


# Godot reads all numbers of JSON as floats. whole turns whole numbers into ints again.
static func whole(value: Variant) -> Variant:
	if value is float and value == floorf(value) and absf(value) < 9e15:
		return int(value)
	if value is Array or value is Dictionary:
		for key: Variant in value.size() if value is Array else value.keys():
			value[key] = whole(value[key])
	return value
