package main

import (
	"testing"

	"github.com/ranch-game/ranch/localstack/kit/functiontest"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
)

func TestMain(m *testing.M) { functiontest.Main(m) }

const (
	current  = "correct horse"
	deleted  = `{"success":true}`
	wrong    = `{"error":"INVALID_CREDENTIALS","message":"Invalid password"}`
	notText  = `{"error":"VALIDATION_ERROR","message":"Invalid input","details":{"password":["Password must be a string."]}}`
	noObject = `{"error":"VALIDATION_ERROR","message":"Invalid input","details":{"password":["The body must be a JSON object with the password, or empty."]}}`
)

// newCase returns a case in which Ann deletes her account.
func newCase(t *testing.T) *functiontest.Case {
	c := functiontest.NewCase(t, endpoint)
	c.SetPassword(t, c.Ann, current)
	c.Request.Body = functiontest.JSON(map[string]string{game.FieldPassword: current})
	return c
}

// Entries in open and completed shows, also large ones, get game.DeletedPlayer in the call. A repetition is refused.
func TestDeletion(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	small, large := c.AddShow(t, storetest.Fee(0)), c.AddShow(t, storetest.Fee(0))
	for range 34 {
		c.MustEnter(t, c.AddHerd(t, game.StartingGold, 3), large)
	}
	for _, show := range []game.Show{c.Show, small, large} {
		c.MustEnter(t, c.Ann, show, 0)
	}
	c.MustJudge(t, c.Bob, small)
	c.MustJudge(t, c.Bob, large)
	c.Golden(t, "deleted", c.Request).Want(t, 200, deleted)
	for _, show := range []game.Show{c.Show, small, large} {
		_, entries, err := c.Rival.ShowWithEntries(t.Context(), show.ID)
		storetest.Equal(t, "error", err, nil)
		for _, e := range entries {
			if e.PlayerID == c.Ann.ID {
				storetest.Equal(t, "name", e.PlayerUsername, game.DeletedPlayer)
			}
		}
	}
	pending, err := c.Rival.Unfinished(t.Context())
	storetest.Equal(t, "error", err, nil)
	storetest.Equal(t, "pending work", len(pending), 0)
	c.Unchanged(t, func() { c.Do(t, c.Request).WantUnauthorized(t, true) })
	c.Invariants(t)
}

func TestFlaws(t *testing.T) {
	t.Parallel()
	flaws := append([]functiontest.Flaw{
		{Name: "invalid", By: functiontest.Body, Status: 400, Body: notText, Make: func(_ *testing.T, c *functiontest.Case) {
			c.Request.Body = `{"password":[]}`
		}},
		{Name: "wrong-password", By: functiontest.Rules, Status: 403, Body: wrong, Make: func(_ *testing.T, c *functiontest.Case) {
			if c.Request.Body != `{"password":[]}` {
				c.Request.Body = ""
			}
		}},
	}, functiontest.BannedOrDeleted()...)
	functiontest.Flaws(t, newCase, append(flaws, functiontest.NoCredentials()))
}

// A body of zero bytes counts as an empty object, and no other text does.
func TestBodies(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	c.Unchanged(t, func() {
		for body, want := range map[string]string{" ": noObject, "null": noObject, "{": noObject, "[]": noObject, `{"password":1}`: notText} {
			c.Request.Body = body
			c.Do(t, c.Request).Want(t, 400, want)
		}
		for _, body := range []string{"", "{}", `{"password":null}`, `{"password":""}`, `{"password":"correct"}`, `{"Password":"correct horse"}`} {
			c.Request.Body = body
			c.Do(t, c.Request).Want(t, 403, wrong)
		}
	})
}

// An account without a password needs none.
func TestNoPassword(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", `{"password":"any"}`} {
		c := newCase(t)
		c.Request = c.As(t, c.AddExternal(t, storetest.Cid, "").User)
		c.Request.Body = body
		c.Do(t, c.Request).Want(t, 200, deleted)
	}
}

// If the write fails, the call reads again, also whether a lost attempt has deleted the account.
func TestAChangeBehindTheCheck(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	c.Wire.Next("TransactWriteItems", storetest.LoseAnswer, storetest.Cancelled("ConditionalCheckFailed"))
	c.Do(t, c.Request).Want(t, 200, deleted)
	c.Invariants(t)
}

// If the table is away after the deletion, the answer is a success in time, and the scheduled function renames the entries.
func TestTheTableIsAwayAfterTheDeletion(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	c.MustEnter(t, c.Ann, c.Show, 0)
	c.Wire.Next("UpdateItem", storetest.Denied)
	c.Do(t, c.Request).Want(t, 200, deleted)
	pending, err := c.Rival.Unfinished(t.Context())
	storetest.Equal(t, "error", err, nil)
	storetest.Equal(t, "pending work", len(pending), 1)
}

func TestFaults(t *testing.T) {
	t.Parallel()
	functiontest.PasswordFaults(t, newCase(t), endpoint(nil, functiontest.Keys()))
}

func TestProtected(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	functiontest.Protected(t, c.Bench, c.Ann.User, functiontest.Request{}, 403, c.Request)
}
