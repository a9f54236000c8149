## Plays one show, from the registration to the prize, and writes each step on the screen.
extends Control

@export var api := "http://127.0.0.1:3000"

var _ranch: RanchClient
var _leaving := RanchCancel.new()


func _ready() -> void:
	var arguments := OS.get_cmdline_user_args()  # godot -- http://127.0.0.1:3000
	var options := RanchOptions.new()
	options.store = RanchMemoryStore.new()  # a new player each time; without this line a file keeps the session
	_ranch = RanchClient.new(arguments[0] if arguments else api, options)
	_ranch.session_started.connect(_say.bind("(logged in)"))
	var error := await _play()
	if error:
		_say(error.advice if error.kind == RanchError.Kind.UNKNOWN_OUTCOME else error.message)
	if DisplayServer.get_name() == "headless":
		get_tree().quit(1 if error else 0)


func _exit_tree() -> void:
	_leaving.cancel()


# Returns the first error, or null.
func _play() -> RanchError:
	var player := "godot-" + Crypto.new().generate_random_bytes(6).hex_encode()
	var registered := await _ranch.register(
		player + "@example.com",
		player,
		Crypto.new().generate_random_bytes(16).hex_encode(),
		"Sunny Acres",
		_leaving
	)
	if registered.error:
		return registered.error
	_say("You have %d gold." % registered.value.goldBalance)

	# The rookie show that closes last.
	var shows := await _ranch.shows({"tier": "rookie"}, _leaving)
	if shows.error:
		return shows.error
	var open: Array = shows.value.filter(
		func(s: Dictionary) -> bool:
			return Time.get_unix_time_from_datetime_string(s.entryClosesAt) > _ranch.server_time()
	)
	if open.is_empty():
		_say("No show takes entries at the moment.")
		return null
	var contest: Dictionary = open.back()

	# The animal that is best in the show's favourite traits.
	var favourites := RanchClient.favourites(contest.id)
	_say("The judges of %s look for %s and %s." % [contest.name, favourites[0], favourites[1]])
	var animals := await _ranch.animals(_leaving)
	if animals.error:
		return animals.error
	var liking := func(animal: Dictionary) -> float:
		return animal.phenotype[favourites[0]] + animal.phenotype[favourites[1]]
	var judged: Array = animals.value.filter(
		func(animal: Dictionary) -> bool: return animal.phenotype != null
	)
	judged.sort_custom(
		func(a: Dictionary, b: Dictionary) -> bool: return liking.call(a) > liking.call(b)
	)

	for step: Callable in [
		_ranch.enter.bind(contest.id, judged[0].id, _leaving),
		_ranch.judge.bind(contest.id, _leaving),
		_ranch.claim.bind(contest.id, _leaving)
	]:
		var result: RanchResult = await step.call()
		if result.error:
			return result.error
		_say(result.value.message)
	var me := await _ranch.me(_leaving)
	if me.error:
		return me.error
	_say("You have %d gold." % me.value.goldBalance)
	return null


func _say(line: String) -> void:
	print(line)
	$Lines.text += line + "\n"
