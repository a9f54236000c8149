# Plays the loop with the client that openapi-generator makes for Godot 4.
extends Node

signal answered(answer)  # ApiResponse, or ApiError

func _ready():
	var arguments := OS.get_cmdline_user_args()
	var config := ApiConfig.new()
	config.host = arguments[0].get_slice("/", 2).get_slice(":", 0)
	config.port = int(arguments[0].get_slice(":", 2))
	config.polling_interval_ms = 0
	var registration := Registration.new()
	registration.email = arguments[1] + "@example.com"
	registration.username = arguments[1]
	registration.password = "a long password"
	registration.ranchName = "Sunny Acres"
	# Each call has an HTTPClient of its own, because the generated client would connect one that is already connected.
	AccountApi.new(config).register(registration, done, done)
	config.set_security_accessToken((await answered).data.token)
	RanchApi.new(config).list_animals(done, done)
	var entry := EntryRequest.new()
	entry.animalId = (await answered).data[0].id
	# list_shows would send an empty `after`, which the service refuses, because it is no id.
	ShowsApi.new(config)._bzz_request(HTTPClient.METHOD_GET, "/events/shows", {}, {"tier": "rookie"}, null, done, done)
	var show: ListedShow
	for listed in ListedShow.bzz_denormalize_multiple((await answered).data):
		if listed.name == arguments[2]:
			show = listed
	ShowsApi.new(config).enter_show(show.id, entry, done, done)
	await answered
	ShowsApi.new(config).enter_show(show.id, entry, done, done)
	var second: ApiError = await answered
	ShowsApi.new(config).judge_show(show.id, done, done)
	await answered
	ShowsApi.new(config).claim_reward(show.id, done, done)
	var prize: Claimed = (await answered).data
	AccountApi.new(config).get_me(done, done)
	var me: Player = (await answered).data
	SeasonApi.new(config).get_season(done, done)
	var season: Season = (await answered).data
	print("%s, %d gold, rank %d, season score %d, second entry %d %s" % [
		me.status, me.goldBalance, prize.rank, season.mySeasonScore,
		second.response_code, JSON.parse_string(second.response.body)["error"],
	])
	get_tree().quit()

func done(answer):
	answered.emit.call_deferred(answer)
