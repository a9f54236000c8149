## The result of a call: a value, or an error.
class_name RanchResult
extends RefCounted

## Its fields have the API's names, for example [code]value.goldBalance[/code]. Null after an error.
var value: Variant
## Null after a success.
var error: RanchError


static func of(value_or_error: Variant) -> RanchResult:
	var result := RanchResult.new()
	if value_or_error is RanchError:
		result.error = value_or_error
	else:
		result.value = value_or_error
	return result
