package blackbox

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
)

// TestLoop plays the whole game once. Two players enter one show, one of them judges it, and each claims the prize of
// their best rank. The search of localstack/verify/stress plays the game at random, with faults.
func TestLoop(t *testing.T) {
	t.Parallel()
	players := newPlayers(t, 2)
	ann, bob := players[0], players[1]
	show := newShow(t, game.Show{Tier: game.TierPro, EntryFee: 25})

	animal := ann.get(t, "/animals").list(t)[0]
	entered := object{"success": true, "message": fmt.Sprintf("%s entered in %s!", animal["name"], show.Name), "entryFee": 25}
	send(t, ann.entering(show.id, animal["id"].(string))).is(t, 201, entered)
	ann.token = ann.renew(t, ann.refresh).object(t, 200)["token"].(string)
	bob.enters(t, show.id, bob.animals...)
	bob.judges(t, show.id, 4)

	best, points, ranked := map[any]int{}, map[any]int64{}, entries(t, show.id)
	for i, entry := range ranked {
		if id := entry["playerId"]; best[id] == 0 {
			best[id] = i + 1
		}
		points[entry["playerId"]] += []int64{100, 60, 30, 15}[i]
		assert.True(t, entry["rank"] == float64(i+1) && entry["rewardClaimed"] == false && (i <= 0 || entry["score"].(float64) <= ranked[i-1]["score"].(float64)),
			"place %d: %v", i+1, entry)
	}
	for _, p := range players {
		entries := map[*player]int64{ann: 1, bob: 3}[p]
		prize := int64([]int{400, 200, 100, 0}[best[p.id]-1])
		p.claims(t, show.id, best[p.id], int(prize))
		send(t, p.claiming(show.id)).refuses(t, 400, "ALREADY_CLAIMED", "")
		want := object{"id": suite.season.ID, "name": suite.season.Name, "isActive": true, "mySeasonScore": points[p.id]}
		p.get(t, "/events/season?id="+newID()).is(t, 200, want)
		p.has(t, 500-25*entries+prize)
		wanted := append([]string{"starter 500"}, slices.Repeat([]string{"fee -25"}, int(entries))...)
		if prize > 0 {
			wanted = append(wanted, fmt.Sprint("reward ", prize))
		}
		rows, err := suite.Store.Ledger(t.Context(), game.ID(p.id))
		require.NoError(t, err)
		var story []string
		for _, row := range rows {
			story = append(story, fmt.Sprint(row.Category, " ", row.Amount))
		}
		assert.True(t, slices.Equal(story, wanted), "the ledger says %q, not %q", story, wanted)
	}
	for _, entry := range entries(t, show.id) {
		assert.True(t, entry["rewardClaimed"] == true, "unclaimed: %v", entry)
	}
	send(t, ann.anonymously("/auth/logout", object{"refreshToken": ann.refresh})).is(t, 200, object{"success": true})
	ann.renew(t, ann.refresh).refuses(t, 401, "INVALID_TOKEN", "Refresh token invalid or expired")
}

// TestLoop_crowd lets many players enter one show with a single gate (counter of entries) at the same time. Each player
// sends every entry and every claim twice. One of the two must succeed, the other must be refused.
func TestLoop_crowd(t *testing.T) {
	t.Parallel()
	players := newPlayers(t, 12)
	show := newShow(t, game.Show{Tier: game.TierElite, EntryFee: 7})
	var entering, claiming []request
	for _, p := range players {
		for _, animal := range p.animals {
			entering = append(entering, p.entering(show.id, animal))
		}
		claiming = append(claiming, p.claiming(show.id))
	}
	outcome(t, together(t, append(entering, entering...)...), map[int]int{201: 36, 409: 36})
	reader(t).judges(t, show.id, 36)
	outcome(t, together(t, append(claiming, claiming...)...), map[int]int{200: 12, 400: 12})
	gold := map[any]int64{}
	for i, entry := range entries(t, show.id) {
		if _, known := gold[entry["playerId"]]; !known {
			gold[entry["playerId"]] = game.Prize(game.TierElite, i+1)
		}
		assert.True(t, entry["rank"] == float64(i+1) && entry["rewardClaimed"] == true, "place %d: %v", i+1, entry)
	}
	for _, p := range players {
		p.has(t, 500-3*7+gold[p.id])
	}
}

// TestAccount_banned checks that a banned player can read until the access token expires, and that an access token is
// valid again after the end of the ban.
func TestAccount_banned(t *testing.T) {
	t.Parallel()
	p, show := newPlayer(t), newShow(t, game.Show{})
	p.operated(t, operate.Operator.Ban)
	for _, o := range protected() {
		if o.Method == http.MethodGet {
			answer := p.get(t, o.At(show.id))
			assert.Equal(t, 200, answer.status, answer)
		}
	}
	send(t, p.entering(show.id, p.animals[0])).unauthorized(t)
	p.operated(t, operate.Operator.Unban)
	p.enters(t, show.id, p.animals[0])
}
