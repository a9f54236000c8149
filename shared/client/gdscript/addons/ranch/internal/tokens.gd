# Reads the times of access tokens, which only say when to refresh. The client does not verify tokens.
extends RefCounted

const _LONGEST := 2147483648.0  # seconds

static var _pattern := RegEx.create_from_string(
	"^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\z"
)


# Whether a value has the form of a token: three parts of base64url with dots between.
static func is_token(value: Variant) -> bool:
	return value is String and _pattern.search(value) != null


# Returns {"issued_at", "lifetime"} in seconds. If the token lacks these times or they are impossible, it returns {}.
static func times(token: String) -> Dictionary:
	var payload := token.get_slice(".", 1).replace("-", "+").replace("_", "/")
	if payload.length() % 4 == 1:
		return {}
	var claims := Marshalls.base64_to_raw(payload + "=".repeat(-payload.length() & 3))
	var json := JSON.new()
	if json.parse(claims.get_string_from_utf8()) != OK or not json.data is Dictionary:
		return {}
	var issued: Variant = json.data.get("iat")
	var expires: Variant = json.data.get("exp")
	if not (issued is float or issued is int) or not (expires is float or expires is int):
		return {}
	if issued <= 0 or issued >= 100 * _LONGEST or expires <= issued or expires - issued >= _LONGEST:
		return {}
	return {"issued_at": float(issued), "lifetime": float(expires - issued)}
