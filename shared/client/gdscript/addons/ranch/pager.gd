## Reads a list, page by page: [codeblock] var entries := ranch.each_entry(show.id) while await entries.next():
##     print(entries.item.animalName)
## if entries.error:
##     print(entries.error.message)
## [/codeblock]
class_name RanchPager
extends RefCounted

## The item that [method next] has read.
var item: Dictionary
## The error that ended the list early, or null.
var error: RanchError

var _page: Callable
var _path: String  # of the next page; "" behind the last one
var _items: Array = []


func _init(page: Callable, path: String) -> void:
	_page = page
	_path = path


## Reads the next item. It returns false at the end of the list, or if a page could not be read.
func next(cancel: RanchCancel = null) -> bool:
	while _items.is_empty() and _path != "" and error == null:
		var page: Variant = await _page.call(_path, cancel)
		if page is RanchError:
			error = page
		else:
			_items = page.items
			_path = page.next_path
	if _items.is_empty():
		return false
	item = _items.pop_front()
	return true
