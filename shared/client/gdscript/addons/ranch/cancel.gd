## Cancels calls: pass one to a call, and call [method cancel] to give the call up.
class_name RanchCancel
extends RefCounted

## Emitted once.
signal cancelled

var is_cancelled := false


func cancel() -> void:
	if is_cancelled:
		return
	is_cancelled = true
	cancelled.emit()
