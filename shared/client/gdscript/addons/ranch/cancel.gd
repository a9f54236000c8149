## Cancels calls: pass a RanchCancel to calls, and call [method cancel] to cancel them.
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
