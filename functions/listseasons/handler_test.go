package main

import (
	"testing"

	"github.com/ranch-game/ranch/localstack/kit/functiontest"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
)

func TestMain(m *testing.M) { functiontest.Main(m) }

const unexpected = `{"error":"INTERNAL_ERROR"}`

func TestSeasons(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint)
	r := b.As(t, b.AddPlayer(t, storetest.Ann).User)
	b.Do(t, r).Want(t, 200, "[]")
	past := b.AddSeason(t, func(s *game.Season) { s.StartDate, s.IsActive = s.StartDate-1, false })
	present := b.AddSeason(t)
	seasons := b.Golden(t, "seasons", r).List(t)
	storetest.Equal(t, "the active season, then the past one",
		[]any{seasons[0]["id"], seasons[0]["isActive"], seasons[1]["id"], seasons[1]["isActive"]}, []any{string(present.ID), true, string(past.ID), false})
}

// A banned player may read until the token expires. A deleted or unknown player gets a 401.
func TestBannedAndDeletedCallers(t *testing.T) {
	t.Parallel()
	c := functiontest.NewCase(t, endpoint)
	c.Ban(t, c.Ann.ID)
	c.Do(t, c.Request).WantStatus(t, 200)
	c.DeleteUser(t, c.Ann.ID)
	c.Do(t, c.Request).WantUnauthorized(t, true)
	c.Do(t, functiontest.Request{Token: c.Access(t, game.User{ID: storetest.ID(1)})}).WantUnauthorized(t, true)
}

func TestFaults(t *testing.T) {
	t.Parallel()
	c := functiontest.NewCase(t, endpoint)
	functiontest.Faults(t, c.Bench, c.Request, 500, unexpected, endpoint(nil, functiontest.Keys()))
	c.At("SEASON", "SEASON#"+string(c.Show.SeasonID)).Edit(t, "SET sd = :damaged", map[string]any{":damaged": "soon"})
	c.Golden(t, "failed", c.Request).Want(t, 500, unexpected)
}

func TestProtected(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint)
	functiontest.Protected(t, b, b.AddPlayer(t, storetest.Ann).User, functiontest.Request{}, 200)
	b.Golden(t, "no-credentials", functiontest.Request{}).WantUnauthorized(t, false)
}
