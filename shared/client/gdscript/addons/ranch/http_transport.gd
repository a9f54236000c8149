## Sends requests with Godot's HTTPRequest, on all of Godot's platforms, also in a paused game.
class_name RanchHTTPTransport
extends RanchTransport

const _UNSENT: Array[HTTPRequest.Result] = [
	HTTPRequest.RESULT_CANT_CONNECT,
	HTTPRequest.RESULT_CANT_RESOLVE,
	HTTPRequest.RESULT_TLS_HANDSHAKE_ERROR,
]
const _WHOLE: Array[HTTPRequest.Result] = [
	HTTPRequest.RESULT_SUCCESS,
	HTTPRequest.RESULT_BODY_SIZE_LIMIT_EXCEEDED,
	HTTPRequest.RESULT_REDIRECT_LIMIT_REACHED,
]

var _parent: Node


func send(request: Request, cancel: RanchCancel) -> Answer:
	var tree := Engine.get_main_loop() as SceneTree
	var http := HTTPRequest.new()
	http.max_redirects = 0
	http.body_size_limit = request.max_bytes
	http.download_chunk_size = 1 << 20  # one chunk is read in each frame
	http.accept_gzip = not OS.has_feature("web")  # browsers decompress by themselves
	var until := Time.get_ticks_msec() + request.timeout * 1000
	while not _is_ready(tree):
		await tree.process_frame
	_parent.add_child(http)
	var completed := []
	http.request_completed.connect(
		func(result: int, status: int, headers: PackedStringArray, body: PackedByteArray) -> void:
			completed.append_array([result, status, headers, body])
	)
	var answer := Answer.new()
	answer.sent = false
	if http.request(request.url, request.headers, request.method, request.body) == OK:
		while (
			completed.is_empty()
			and Time.get_ticks_msec() < until
			and not (cancel and cancel.is_cancelled)
		):
			await tree.process_frame
			# For an answer that breaks off, the result is RESULT_CANT_CONNECT, too. So the client's status decides.
			if (
				http.get_http_client_status()
				in [HTTPClient.STATUS_REQUESTING, HTTPClient.STATUS_BODY]
			):
				answer.sent = true
	http.queue_free()
	if completed.is_empty():
		return answer
	if not completed[0] in _UNSENT:
		answer.sent = true
	if completed[0] in _WHOLE:
		_read(answer, completed)
	return answer


func _is_ready(tree: SceneTree) -> bool:
	if _parent == null:
		_parent = Node.new()
		_parent.process_mode = Node.PROCESS_MODE_ALWAYS
		tree.root.add_child.call_deferred(_parent)  # a tree that is being set up accepts no child now
	return _parent.is_inside_tree()


func _read(answer: Answer, completed: Array) -> void:
	answer.status = completed[1]
	for header: String in completed[2]:
		var colon := header.find(":")
		answer.headers[header.left(colon).to_lower()] = header.substr(colon + 1).strip_edges()
	if completed[0] == HTTPRequest.RESULT_SUCCESS:
		var body: PackedByteArray = completed[3]
		answer.body = body.get_string_from_utf8()


func _notification(what: int) -> void:
	if what == NOTIFICATION_PREDELETE and is_instance_valid(_parent):
		_parent.queue_free()
