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
var _items: Array = []
var _after := ""
var _is_last := false


func _init(page: Callable) -> void:
	_page = page


## Reads the next item. It returns false at the end of the list, or if a page could not be read.
func next(cancel: RanchCancel = null) -> bool:
	if _items.is_empty() and not _is_last and error == null:
		var page: Variant = await _page.call(_after, cancel)
		if page is RanchError:
			error = page
		else:
			_items = page.items
			_is_last = not page.next
	if _items.is_empty():
		_is_last = true
		return false
	item = _items.pop_front()
	_after = str(item.get("id", ""))
	return true
