# The fields that an answer must have: those on which the client and its callers rely.
extends RefCounted

const Tokens := preload("tokens.gd")


static func is_started(body: Variant) -> bool:
	if not body is Dictionary or not body.get("user") is Dictionary:
		return false
	return (
		_are_texts(body.user, ["id", "username"])
		and Tokens.is_token(body.get("token"))
		and Tokens.is_token(body.get("refreshToken"))
	)


static func is_session(body: Variant) -> bool:
	return is_refreshed(body) and Tokens.is_token(body.get("refreshToken"))


static func is_refreshed(body: Variant) -> bool:
	return body is Dictionary and Tokens.is_token(body.get("token"))


static func is_done(body: Variant) -> bool:
	return body is Dictionary and body.get("success") is bool and body.success


static func is_entered(body: Variant) -> bool:
	return is_done(body) and _is_number(body.get("entryFee"))


static func is_judged(body: Variant) -> bool:
	return is_done(body) and is_list(body.get("topThree"))


static func is_claimed(body: Variant) -> bool:
	return is_done(body) and _is_number(body.get("goldReward"))


static func is_identified(body: Variant) -> bool:
	return body is Dictionary and _are_texts(body, ["id"])


static func is_show(body: Variant) -> bool:
	if (
		not is_identified(body)
		or not _are_texts(body, ["status"])
		or not _is_number(body.get("entryFee"))
		or not is_list(body.get("entries"))
	):
		return false
	return body.entries.all(
		func(entry: Dictionary) -> bool: return _are_texts(entry, ["playerId", "animalId"])
	)


static func is_season(body: Variant) -> bool:
	return (
		body is Dictionary
		and (
			body.get("active") is bool and not body.active or _is_number(body.get("mySeasonScore"))
		)
	)


static func is_standings(body: Variant) -> bool:
	return body is Dictionary and is_list(body.get("standings"))


static func is_list(body: Variant) -> bool:
	return body is Array and body.all(func(item: Variant) -> bool: return item is Dictionary)


static func _are_texts(body: Dictionary, names: Array) -> bool:
	return names.all(
		func(name: String) -> bool: return body.get(name) is String and body[name] != ""
	)


static func _is_number(value: Variant) -> bool:
	return value is int or value is float
