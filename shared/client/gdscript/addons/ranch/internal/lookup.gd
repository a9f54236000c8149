# If the answer to a change got lost, these functions make the answer from the show or the caller's entries. They return
# null if the change is not there.
extends RefCounted


# Looks among the caller's entries in the show.
static func entered(animal: String, own: Array) -> Variant:
	for entry: Dictionary in own:
		if str(entry.get("animalId")).to_lower() != animal.to_lower():  # the service accepts ids in any case
			continue
		if entry.get("showStatus") == "cancelled":
			return null  # a cancelled show returns the fee
		return {
			"success": true,
			"message": "%s entered in %s!" % [entry.animalName, entry.showName],
			"entryFee": entry.entryFee,
			"resolved": true
		}
	return null


static func judged(show: Dictionary) -> Variant:
	if show.status != "completed":
		return null
	var ranked: Array = show.entries.filter(
		func(entry: Dictionary) -> bool: return entry.get("rank") != null
	)
	var winners := ranked.slice(0, 3).map(
		func(entry: Dictionary) -> Dictionary:
			var score: Variant = entry.get("score")
			return {
				"rank": entry.rank,
				"playerId": entry.playerId,
				"animalId": entry.animalId,
				"score": 0 if score == null else score
			}
	)
	return {
		"success": true,
		"message": "Show judged. %d entries." % ranked.size(),
		"topThree": winners,
		"resolved": true
	}


# Looks among the caller's entries in the show.
static func claimed(own: Array) -> Variant:
	if not own.any(func(entry: Dictionary) -> bool: return entry.get("rewardClaimed") == true):
		return null
	var ranks := (
		own
		. map(func(entry: Dictionary) -> Variant: return entry.get("rank"))
		. filter(func(rank: Variant) -> bool: return rank != null)
	)
	var gold := 0
	for entry: Dictionary in own:
		gold = maxi(gold, entry.goldReward if entry.get("goldReward") != null else 0)
	var message := (
		"You received %d gold for rank %d!" % [gold, ranks.min()]
		if gold > 0
		else "No reward for this placement."
	)
	return {
		"success": true,
		"rank": ranks.min(),
		"goldReward": gold,
		"message": message,
		"resolved": true
	}
