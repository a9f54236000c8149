# Sends single requests to an API.
extends RefCounted

const Answer := preload("answer.gd")
const Promise := preload("promise.gd")

# The largest answer, a show with 45,000 entries, has 18 MB decompressed.
const _MAX_BYTES := 32 << 20

static var _host := RegEx.create_from_string("(?i)^http://(\\[[^\\]]*\\]|[^/:?#]*)")

var api: String
var _transport: RanchTransport
var _refusal: RanchError


func _init(base: String, options: RanchOptions) -> void:
	api = base.rstrip("/")
	_transport = options.transport
	if not options.allow_http and not is_safe(base):
		_refusal = RanchError.network()
		_refusal.message = (
			"Anybody on the way to %s could read the password or the token: use https://, or set allow_http."
			% base
		)
		push_error(_refusal.message)


# Whether no other machine can read requests to an API, because they use TLS or stay on this machine.
static func is_safe(base: String) -> bool:
	var found := _host.search(base)
	if found == null:
		return true  # the address does not begin with http://
	var host := found.get_string(1).to_lower()
	return (
		host == "localhost"
		or host == "[::1]"
		or host.begins_with("127.") and host.is_valid_ip_address()
	)


# Sends a request once. It returns an Answer. If it was cancelled, or the address is not safe, it returns a RanchError.
func send(
	method: HTTPClient.Method,
	path: String,
	body: Variant,
	token: String,
	timeout: float,
	cancel: RanchCancel
) -> Variant:
	if _refusal:
		return _refusal
	if cancel and cancel.is_cancelled:
		return RanchError.cancelled()
	var request := RanchTransport.Request.new()
	request.method = method
	request.url = api + path
	if token != "":
		request.headers.append("Authorization: Bearer " + token)
	if body != null:
		request.headers.append("Content-Type: application/json")
		request.body = JSON.stringify(body)
	request.timeout = timeout
	request.max_bytes = _MAX_BYTES
	var answer: Variant = await Promise.until(_transport.send.bind(request, cancel), cancel)
	return answer if answer is RanchError else Answer.new(answer)
