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

const unexpected = `{"error":"INTERNAL_ERROR"}`

// ann is the expected answer to Ann.
func ann(status string, gold int) string {
	return fmt.Sprintf(`{"id":"00000100-0000-4000-8000-000000000000","email":"ann@example.com","username":"Ann","status":%q,"goldBalance":%d,`+
		`"premiumBalance":0,"prestigePoints":0,"marketRestrictedUntil":"2026-11-27T09:30:00.000Z","createdAt":"2026-11-20T09:30:00.000Z"}`, status, gold)
}

func TestMe(t *testing.T) {
	t.Parallel()
	c := functiontest.NewCase(t, endpoint)
	c.Unchanged(t, func() { c.Golden(t, "me", c.Request).Want(t, 200, ann("active", 500)) })
	c.MustEnter(t, c.Ann, c.Show, 0)
	c.Do(t, c.Request).Want(t, 200, ann("active", 450))
	c.MustJudge(t, c.Bob, c.Show)
	c.MustClaim(t, c.Ann, c.Show)
	c.Do(t, c.Request).Want(t, 200, ann("active", 550))
	require.NoError(t, c.Operator().AdjustGold(t.Context(), c.Ann.ID, 25, "a gift"))
	c.Do(t, c.Request).Want(t, 200, ann("active", 575))
}

// A banned player may read until the token expires. A deleted or unknown player gets a 401.
func TestBannedAndDeletedCallers(t *testing.T) {
	t.Parallel()
	c := functiontest.NewCase(t, endpoint)
	c.Ban(t, c.Ann.ID)
	c.Golden(t, "banned", c.Request).Want(t, 200, ann("banned", 500))
	c.Unban(t, c.Ann.ID)
	c.Do(t, c.Request).Want(t, 200, ann("active", 500))
	c.DeleteUser(t, c.Ann.ID)
	c.Do(t, c.Request).WantUnauthorized(t, true)
	c.Do(t, functiontest.Request{Token: c.Access(t, game.User{ID: storetest.ID(1)})}).WantUnauthorized(t, true)
}

func TestFaults(t *testing.T) {
	t.Parallel()
	c := functiontest.NewCase(t, endpoint)
	functiontest.Faults(t, c.Bench, c.Request, 500, unexpected, endpoint(nil, functiontest.Keys()))
	c.At("USER#"+string(c.Ann.ID), "PROFILE").Edit(t, "SET g = :damaged", map[string]any{":damaged": "much"})
	c.Golden(t, "failed", c.Request).Want(t, 500, unexpected)
}

func TestProtected(t *testing.T) {
	t.Parallel()
	c := functiontest.NewCase(t, endpoint)
	functiontest.Protected(t, c.Bench, c.Ann.User, functiontest.Request{}, 200)
	c.Golden(t, "no-credentials", functiontest.Request{}).WantUnauthorized(t, false)
}
