## Keeps a session as long as the game runs.
class_name RanchMemoryStore
extends RanchStore

var _session: RanchSession


func load_session() -> Variant:
	return _session


func update(change: Callable) -> Error:
	_session = change.call(_session)
	return OK
