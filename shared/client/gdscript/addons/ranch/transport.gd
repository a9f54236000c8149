## Makes single exchanges over HTTP: no session, no repetition, no interpretation. Extend it for a network of your own.
class_name RanchTransport
extends RefCounted


## A request.
class Request:
	var method: HTTPClient.Method
	var url: String
	var headers: PackedStringArray
	## JSON, or "" without a body.
	var body: String
	## Seconds, of the whole exchange.
	var timeout: float
	## The most bytes of an answer, unpacked. Of a larger one, the transport returns no body.
	var max_bytes: int


## The answer to a request.
class Answer:
	## 0 if no whole answer came.
	var status := 0
	## By name, in small letters.
	var headers := {}
	## "" if it was too large.
	var body := ""
	## Whether the request may have reached the service, if no answer came.
	var sent := true


## Sends a request once and returns what came back, whatever its status. It follows no redirection. If it is cancelled, it
## ends soon; what it returns then does not matter.
func send(_request: Request, _cancel: RanchCancel) -> Answer:
	push_error("RanchTransport.send is to be overridden")
	return Answer.new()
