# Notes whether the service is reachable, and emits a signal if that changes.
extends RefCounted

var _reachable: Signal
var _unreachable: Signal
var _is_reachable := true


func _init(reachable: Signal, unreachable: Signal) -> void:
	_reachable = reachable
	_unreachable = unreachable


# Notes that an answer came, or that a call failed without one.
func reached(now: bool) -> void:
	if now == _is_reachable:
		return
	_is_reachable = now
	(_reachable if now else _unreachable).emit()
