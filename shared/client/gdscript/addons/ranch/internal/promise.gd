# A value that is set once.
extends RefCounted

signal _settled

var is_settled := false
var _value: Variant


func settle(value: Variant) -> void:
	if is_settled:
		return
	is_settled = true
	_value = value
	_settled.emit()


func wait() -> Variant:
	if not is_settled:
		await _settled
	return _value


# Returns the result of work. If it is cancelled earlier, it returns a RanchError, and the work goes on alone.
static func until(work: Callable, cancel: RanchCancel) -> Variant:
	if cancel == null:
		return await work.call()
	var race := new()
	var run := func() -> void: race.settle(await work.call())
	run.call()
	if race.is_settled:
		return race._value
	var end := func() -> void: race.settle(RanchError.cancelled())
	if cancel.is_cancelled:
		end.call()
	else:
		cancel.cancelled.connect(end)
	var value: Variant = await race.wait()
	if cancel.cancelled.is_connected(end):
		cancel.cancelled.disconnect(end)
	return value
