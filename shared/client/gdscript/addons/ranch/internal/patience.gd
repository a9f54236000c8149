# The number of attempts of a call, and the waits between them.
extends RefCounted

const Answer := preload("answer.gd")
const Instant := preload("instant.gd")

const _FIRST := 0.2  # seconds
const _MOST := 5.0
const _MOST_ASKED := 30.0

var attempts: int
var _wait: Callable
var _random: Callable


func _init(options: RanchOptions, delay: Callable) -> void:
	attempts = options.attempts
	_wait = options.wait if options.wait.is_valid() else delay
	_random = options.random


# Waits after an attempt, counted from 1. The time is random, below a bound that doubles from 200 ms to 5 s (full
# jitter), and not shorter than the answer's Retry-After. If the call was cancelled, it returns false.
func pause(attempt: int, answer: Answer, cancel: RanchCancel) -> bool:
	var delay: float = _random.call() * minf(_MOST, _FIRST * pow(2, attempt - 1))
	await _wait.call(maxf(delay, _retry_after(answer)), cancel)
	return not (cancel and cancel.is_cancelled)


# Returns the seconds that an answer's Retry-After asks to wait, 30 at most. It compares a date with the answer's Date.
static func _retry_after(answer: Answer) -> float:
	var asked := answer.header("retry-after")
	if asked.is_valid_int() and not asked.begins_with("-"):
		return minf(asked.to_float(), _MOST_ASKED)
	var delay := Instant.of_header(asked) - Instant.of_header(answer.header("date"))
	return 0.0 if is_nan(delay) else clampf(delay, 0, _MOST_ASKED)
