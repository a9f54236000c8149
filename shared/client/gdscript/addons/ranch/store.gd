## Keeps a session. Extend it to keep the session elsewhere, in a keychain for example. Clients that share a store share
## the session: what one refreshes, the others use. The methods may await.
class_name RanchStore
extends RefCounted

const _Turn := preload("internal/turn.gd")

var _turn := _Turn.new()


## The session, null if there is none, or an [enum Error] if the store cannot be read. The client then goes on with what it
## knows.
func load_session() -> Variant:
	push_error("RanchStore.load_session is to be overridden")
	return ERR_UNAVAILABLE


## Keeps what [param change] makes of the session; null removes it, and the session that it was given is left as it is.
## Nothing else updates the store in between. The change is called once at most, and does not await.
func update(_change: Callable) -> Error:
	push_error("RanchStore.update is to be overridden")
	return ERR_UNAVAILABLE


## Waits until no other client of this store holds the lock, and returns what gives the lock up; an empty Callable if the
## wait was cancelled. The lock is held while the session is refreshed, over the network. Updates do not wait for it.
func lock(cancel: RanchCancel) -> Callable:
	return _turn.give if await _turn.take(cancel) else Callable()
