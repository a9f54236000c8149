## Keeps a session in a file that only its owner may read, or, in an exported web game, in the browser's storage. An
## update replaces the whole file, even if the file has no session. Give each process its own file.
class_name RanchFileStore
extends RanchStore

var _path: String


func _init(path := "user://ranch_session.json") -> void:
	_path = path


func load_session() -> Variant:
	if not FileAccess.file_exists(_path):
		return null
	var file := FileAccess.open(_path, FileAccess.READ)
	return RanchSession.parse(file.get_as_text()) if file else FileAccess.get_open_error()


func update(change: Callable) -> Error:
	var current: Variant = load_session()
	if current is int:
		return current
	var next: RanchSession = change.call(current)
	if next == current:
		return OK
	if next == null:
		return DirAccess.remove_absolute(_path)
	var fresh := _path + ".new"
	var file := FileAccess.open(fresh, FileAccess.WRITE)
	if file == null:
		return FileAccess.get_open_error()
	if OS.has_feature("linux") or OS.has_feature("macos"):
		FileAccess.set_unix_permissions(
			fresh, FileAccess.UNIX_READ_OWNER | FileAccess.UNIX_WRITE_OWNER
		)  # before the file has a secret
	file.store_string(next.to_json())
	var failure := file.get_error()
	file.close()
	return failure if failure != OK else DirAccess.rename_absolute(fresh, _path)
