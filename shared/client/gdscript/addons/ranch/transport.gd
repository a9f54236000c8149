## Sends single requests over HTTP. It has no session and repeats nothing. Extend it for a network of your own.
class_name RanchTransport
extends RefCounted


## A request.
class Request:
	var method: HTTPClient.Method
	var url: String
	var headers: PackedStringArray
	## JSON, or "" without a body.
	var body: String
	## The time limit of the whole exchange, in seconds.
	var timeout: float
	## The most bytes of a decompressed answer. For a larger answer, the transport returns no body.
	var max_bytes: int


## The answer to a request.
class Answer:
	## 0 if no complete answer came.
	var status := 0
	## By name in lower case.
	var headers := {}
	## "" if the body was too large.
	var body := ""
	## If no answer came: whether the request may have reached the service.
	var sent := true


## Sends a request once and returns the answer, whatever its status. It follows no redirect. If it is cancelled, it
## should end at once, and its result is ignored.
func send(_request: Request, _cancel: RanchCancel) -> Answer:
	push_error("RanchTransport.send is to be overridden")
	return Answer.new()
