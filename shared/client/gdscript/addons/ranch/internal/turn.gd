# A lock. Callers get the lock in the order of their calls.
extends RefCounted

const Promise := preload("promise.gd")

var _queue: Array[Promise] = []  # the first one has the lock


# Waits for the lock, which the caller must give back. If the wait was cancelled, it returns false.
func take(cancel: RanchCancel = null) -> bool:
	var mine := Promise.new()
	_queue.append(mine)
	if _queue.size() == 1:
		return true
	var got: Variant = await Promise.until(mine.wait, cancel)
	if not got is RanchError:
		return true
	if _queue[0] == mine:
		give()  # the lock came at the same time
	else:
		_queue.erase(mine)
	return false


func give() -> void:
	_queue.pop_front()
	if not _queue.is_empty():
		_queue[0].settle(true)
