## Keeps a session. Extend it to keep the session elsewhere, for example in a keychain. Clients that share a store share
## the session: each uses the tokens of the last refresh. The methods may await.
class_name RanchStore
extends RefCounted

const _Turn := preload("internal/turn.gd")

var _turn := _Turn.new()


## The session, null without a session, or an [enum Error]: then the client uses the last known session.
func load_session() -> Variant:
	push_error("RanchStore.load_session is to be overridden")
	return ERR_UNAVAILABLE


## Replaces the session by the result of [param change]. Null removes the session. If the result is the argument, the
## session stays as it is. The update is atomic. It calls change once at most. change must not await.
func update(_change: Callable) -> Error:
	push_error("RanchStore.update is to be overridden")
	return ERR_UNAVAILABLE


## Waits until no other client of this store holds the lock, and returns a Callable that releases the lock. If the wait
## was cancelled, the Callable is empty. A client holds the lock during a refresh. Updates do not wait for it.
func lock(cancel: RanchCancel) -> Callable:
	return _turn.give if await _turn.take(cancel) else Callable()
