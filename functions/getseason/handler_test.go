package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/functiontest"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
)

func TestMain(m *testing.M) { functiontest.Main(m) }

const (
	inactive   = `{"active":false}`
	unexpected = `{"error":"INTERNAL_ERROR"}`
)

// autumn is the expected answer to a player with the points.
func autumn(points int) string {
	return fmt.Sprintf(`{"id":"00009900-0000-4000-8000-000000000000","name":"Autumn","startDate":"2026-11-20T08:30:00.000Z",`+
		`"endDate":"2026-12-20T09:30:00.000Z","isActive":true,"mySeasonScore":%d}`, points)
}

// activate makes a season active or inactive.
func activate(t *testing.T, b *functiontest.Bench, season game.ID, active bool) {
	t.Helper()
	require.NoError(t, b.Operator().SetSeasonActive(t.Context(), season, active))
}

func TestNoSeason(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint)
	r := b.As(t, b.AddPlayer(t, storetest.Ann).User)
	b.Golden(t, "inactive", r).Want(t, 200, inactive)
	season := b.AddSeason(t, func(s *game.Season) { s.IsActive = false })
	b.Do(t, r).Want(t, 200, inactive)
	activate(t, b, season.ID, true)
	b.Do(t, r).Want(t, 200, autumn(0))
	activate(t, b, season.ID, false)
	b.Do(t, r).Want(t, 200, inactive)
}

func TestSeason(t *testing.T) {
	t.Parallel()
	c := functiontest.NewCase(t, endpoint)
	c.Do(t, c.Request).Want(t, 200, autumn(0))
	c.MustEnter(t, c.Ann, c.Show, 0, 2)
	c.Do(t, c.Request).Want(t, 200, autumn(0)) // open shows do not count
	c.MustJudge(t, c.Ann, c.Show)
	c.Unchanged(t, func() { c.Golden(t, "active", c.Request).Want(t, 200, autumn(160)) })
}

// newCase returns a case in which Ann has 100 points.
func newCase(t *testing.T) *functiontest.Case {
	c := functiontest.NewCase(t, endpoint)
	c.MustEnter(t, c.Ann, c.Show, 0)
	c.MustJudge(t, c.Ann, c.Show)
	return c
}

// A banned, deleted or unknown player may read until the token expires.
func TestBannedAndDeletedCallers(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	c.Ban(t, c.Ann.ID)
	c.Do(t, c.Request).Want(t, 200, autumn(100))
	c.DeleteUser(t, c.Ann.ID)
	c.Do(t, c.Request).Want(t, 200, autumn(100))
	stranger := c.Access(t, game.User{ID: storetest.ID(1)})
	c.Do(t, functiontest.Request{Token: stranger}).Want(t, 200, autumn(0))
}

func TestFaults(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	functiontest.Faults(t, c.Bench, c.Request, 500, unexpected, endpoint(nil, functiontest.Keys()))
	c.At("SHOW#"+string(c.Show.ID), "SHOW").Edit(t, "SET re = :damaged", map[string]any{":damaged": "many"})
	c.Golden(t, "failed", c.Request).Want(t, 500, unexpected)
}

func TestProtected(t *testing.T) {
	t.Parallel()
	b := functiontest.New(t, endpoint)
	ann := b.AddPlayer(t, storetest.Ann)
	functiontest.Protected(t, b, ann.User, functiontest.Request{}, 200)
	b.Golden(t, "no-credentials", functiontest.Request{}).WantUnauthorized(t, false)
}
