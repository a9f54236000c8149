# Notes whether the service can be reached, and emits a signal for each change.
extends RefCounted

var _reachable: Signal
var _unreachable: Signal
var _is_reachable := true


func _init(reachable: Signal, unreachable: Signal) -> void:
	_reachable = reachable
	_unreachable = unreachable


# Notes that an answer came, or that a call ended without an answer.
func reached(now: bool) -> void:
	if now == _is_reachable:
		return
	_is_reachable = now
	(_reachable if now else _unreachable).emit()
