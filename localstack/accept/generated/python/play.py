"""Plays the loop with the client that openapi-generator makes for Python."""

import json
import sys

import ranch_game as ranch

api, username, show_name = sys.argv[1:]
client = ranch.ApiClient(ranch.Configuration(host=api))
account, shows = ranch.AccountApi(client), ranch.ShowsApi(client)
registration = ranch.Registration(
    email=f"{username}@example.com", username=username, password="a long password", ranch_name="Sunny Acres"
)
client.configuration.access_token = account.register(registration).token
animal = ranch.RanchApi(client).list_animals()[0]
show = next(show for show in shows.list_shows(tier="rookie") if show.name == show_name)
entry = ranch.EntryRequest(animal_id=animal.id)
shows.enter_show(show.id, entry)
second = "is accepted"
try:
    shows.enter_show(show.id, entry)
except ranch.ApiException as e:
    second = f"{e.status} {json.loads(e.body)['error']}"
shows.judge_show(show.id)
prize = shows.claim_reward(show.id)
me = account.get_me()
season = ranch.SeasonApi(client).get_season()
print(f"{me.status}, {me.gold_balance} gold, rank {prize.rank}, season score {season.my_season_score}, second entry {second}")
