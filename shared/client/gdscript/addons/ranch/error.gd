## Why a call failed. The message is a sentence for people. The kind is for programs, with the code of [constant API].
class_name RanchError
extends RefCounted

enum Kind {
	API,  ## The service refused or failed: see [member code] and [member status].
	NETWORK,  ## No answer came, and the call changed nothing. The session stays.
	UNKNOWN_OUTCOME,  ## A change may have been made, and the client could not find out: see [member operation] and [member advice].
	SESSION_ENDED,  ## The call needs a log-in: see [member reason].
	CANCELLED,  ## The call was cancelled before it changed anything.
	STORE,  ## A log-out could not remove the session from its store. The next start finds the session again.
}

## The client's own codes: for 429, for 502 to 504, and for an answer that is not in the contract.
const TOO_MANY_REQUESTS := "TOO_MANY_REQUESTS"
const SERVICE_UNAVAILABLE := "SERVICE_UNAVAILABLE"
const UNEXPECTED := "UNEXPECTED"

const _SENTENCES := {
	"VALIDATION_ERROR": "The service did not understand this.",
	"UNAUTHORIZED": "Please log in again.",
	"NOT_FOUND": "It does not exist, or no longer exists.",
	"ALREADY_CLAIMED": "The prize is claimed already.",
	"INTERNAL_ERROR": "The service has failed. Please try again later.",
	TOO_MANY_REQUESTS: "There are too many requests at the moment. Please try again shortly.",
	SERVICE_UNAVAILABLE: "The service is not there at the moment. Please try again shortly.",
	UNEXPECTED: "The service has given an answer that this version does not understand.",
}
const _ADVICE := {
	"enter": "Look at the show again in a minute; entering again cannot charge twice.",
	"judge": "Look at the show again in a minute; judging again cannot change the ranks.",
	"claim": "Look at the show again in a minute; claiming again cannot pay twice.",
	"register":
	"Log in with the same e-mail address and password; if that is refused, register again.",
	"changePassword": "Log in with the new password; if that is refused, use the old one.",
	"changeEmail": "Look at the account in a minute; changing the address again is safe.",
	"deleteAccount": "Try again in a minute; if you can no longer log in, the account is deleted.",
}

var kind: Kind
## A sentence for people: the service's, or else the client's own.
var message: String
## The HTTP status, of [constant API].
var status := 0
## The code, of [constant API]: docs/clients.md has the list. A later service may have others.
var code := ""
## The service's sentence, or "".
var said := ""
## Of a form, such as a registration: lists of sentences by field.
var details := {}
## Finds the request in the service's log; "" if the answer has no id.
var request_id := ""
## enter, judge, claim, register, changePassword, changeEmail or deleteAccount, of [constant UNKNOWN_OUTCOME].
var operation := ""
## A sentence for people: what to do now, of [constant UNKNOWN_OUTCOME].
var advice := ""
## Of [constant SESSION_ENDED]: none (there was no session), logout, refused (the refresh token is revoked or has
## expired) or banned (the account is banned or deleted).
var reason := ""
## The error that led to this error, or null.
var cause: RanchError


func _init(error_kind: Kind, sentence: String) -> void:
	kind = error_kind
	message = sentence


func _to_string() -> String:
	return message


static func refusal(http_status: int, error_code: String, words: String) -> RanchError:
	var fallback: String = _SENTENCES.get(error_code, "The service has answered %d." % http_status)
	var error := RanchError.new(Kind.API, words if words != "" else fallback)
	error.status = http_status
	error.code = error_code
	error.said = words
	return error


static func network() -> RanchError:
	return RanchError.new(Kind.NETWORK, "The service cannot be reached.")


static func unknown_outcome(changing: String, last: RanchError) -> RanchError:
	var error := RanchError.new(
		Kind.UNKNOWN_OUTCOME, "It is not known whether this was done. " + _ADVICE[changing]
	)
	error.operation = changing
	error.advice = _ADVICE[changing]
	error.cause = last
	return error


static func session_ended(why: String, last: RanchError = null) -> RanchError:
	var error := RanchError.new(
		Kind.SESSION_ENDED,
		"This account is banned or deleted." if why == "banned" else "Please log in."
	)
	error.reason = why
	error.cause = last
	return error


static func cancelled() -> RanchError:
	return RanchError.new(Kind.CANCELLED, "This was cancelled.")


static func store(last: RanchError) -> RanchError:
	var error := RanchError.new(
		Kind.STORE,
		"You are logged out for now, but the session could not be removed from this device."
	)
	error.cause = last
	return error


## Whether the service refused the request by its rules. Such a request changed nothing.
func is_rule() -> bool:
	return (
		kind == Kind.API and code != UNEXPECTED and status >= 400 and status < 500 and status != 429
	)


## Whether the answer was a success that the client could not read.
func is_unread() -> bool:
	return kind == Kind.API and code == UNEXPECTED and status >= 200 and status < 300
