# Reads and writes times. Numbers are seconds since 1970.
extends RefCounted

const _MONTHS: Array[String] = [
	"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"
]

static var _rfc3339 := RegEx.create_from_string(
	"^(\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d)(\\.\\d+)?(?:Z|([+-])(\\d\\d):(\\d\\d))$"
)
static var _http := RegEx.create_from_string(
	"^\\w{3}, (\\d\\d) (\\w{3}) (\\d{4}) (\\d\\d):(\\d\\d):(\\d\\d) GMT$"
)


# Reads a time in RFC 3339. For any other text, it returns NAN.
static func parse(text: String) -> float:
	var found := _rfc3339.search(text)
	if found == null:
		return NAN
	var offset := (found.get_string(4).to_int() * 60 + found.get_string(5).to_int()) * 60
	var time := (
		Time.get_unix_time_from_datetime_string(found.get_string(1))
		+ found.get_string(2).to_float()
	)
	return time + offset if found.get_string(3) == "-" else time - offset


# Reads a time of an HTTP header. For any other text, it returns NAN.
static func of_header(text: String) -> float:
	var found := _http.search(text)
	if found == null or not found.get_string(2) in _MONTHS:
		return NAN
	var date := {
		"day": found.get_string(1).to_int(),
		"month": _MONTHS.find(found.get_string(2)) + 1,
		"year": found.get_string(3).to_int()
	}
	date.merge(
		{
			"hour": found.get_string(4).to_int(),
			"minute": found.get_string(5).to_int(),
			"second": found.get_string(6).to_int()
		}
	)
	return Time.get_unix_time_from_datetime_dict(date)


# Writes a time in RFC 3339 and UTC, to the millisecond.
static func write(time: float) -> String:
	var ms := roundi(time * 1000)
	@warning_ignore("integer_division")
	return "%s.%03dZ" % [Time.get_datetime_string_from_unix_time(ms / 1000), ms % 1000]
