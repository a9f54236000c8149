package main

import (
	"testing"

	"github.com/ranch-game/ranch/localstack/kit/functiontest"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
)

func TestMain(m *testing.M) { functiontest.Main(m) }

const (
	current = "correct horse"
	changed = `{"id":"00000100-0000-4000-8000-000000000000","email":"annie@example.com","username":"Ann","status":"active","goldBalance":500,` +
		`"premiumBalance":0,"prestigePoints":0,"marketRestrictedUntil":"2026-11-27T09:30:00.000Z","createdAt":"2026-11-20T09:30:00.000Z"}`
	wrong   = `{"error":"INVALID_CREDENTIALS","message":"Invalid password"}`
	oauth   = `{"error":"OAUTH_ACCOUNT","message":"Please use OAuth to login"}`
	taken   = `{"error":"CONFLICT","message":"Email or username already taken"}`
	invalid = `{"error":"VALIDATION_ERROR","message":"Invalid input","details":{"email":["E-mail must be an address such as name@example.com of at most 254 characters."]}}`
)

func form(email, password string) string {
	return functiontest.JSON(map[string]string{game.FieldEmail: email, game.FieldPassword: password})
}

// newCase returns a case in which Ann gives herself another address.
func newCase(t *testing.T) *functiontest.Case {
	c := functiontest.NewCase(t, endpoint)
	c.SetPassword(t, c.Ann, current)
	c.Request.Body = form("Annie@Example.com", current)
	return c
}

// The address is lower-cased. A repetition gets the same answer and changes nothing.
func TestChange(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	c.Golden(t, "changed", c.Request).Want(t, 200, changed)
	c.Unchanged(t, func() { c.Do(t, c.Request).Want(t, 200, changed) })
	c.Invariants(t)
}

func TestFlaws(t *testing.T) {
	t.Parallel()
	flaws := append([]functiontest.Flaw{
		{Name: "invalid", By: functiontest.Body, Status: 400, Body: invalid, Make: func(_ *testing.T, c *functiontest.Case) {
			c.Request.Body = form("annie", "")
		}},
		{Name: "taken", By: functiontest.Rules, Status: 409, Body: taken, Make: func(_ *testing.T, c *functiontest.Case) {
			if c.Request.Body != form("annie", "") {
				c.Request.Body = form(c.Bob.Email, current)
			}
		}},
		{Name: "wrong-password", By: functiontest.Rules, Status: 403, Body: wrong, Make: func(_ *testing.T, c *functiontest.Case) {
			if c.Request.Body != form("annie", "") {
				c.Request.Body = form(c.Bob.Email, "")
			}
		}},
	}, functiontest.BannedOrDeleted()...)
	functiontest.Flaws(t, newCase, append(flaws, functiontest.NoCredentials()))
}

func TestFieldsThatAreWrong(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	const both = `{"error":"VALIDATION_ERROR","message":"Invalid input","details":{"email":["E-mail is required."],"password":["Password is required."]}}`
	c.Unchanged(t, func() {
		for body, want := range map[string]string{
			"": both, `"a"`: both, `{"email":null}`: both,
			`{"email":"annie@example.com","password":false}`: `{"error":"VALIDATION_ERROR","message":"Invalid input","details":{"password":["Password must be a string."]}}`,
		} {
			c.Request.Body = body
			c.Do(t, c.Request).Want(t, 400, want)
		}
	})
}

func TestNoPassword(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	c.Request.Token = c.Access(t, c.AddExternal(t, storetest.Cid, "").User)
	c.Unchanged(t, func() { c.Golden(t, "no-password", c.Request).Want(t, 403, oauth) })
}

// If the write fails, the call reads again, also the address that a lost attempt may have taken: its role must allow this.
func TestAChangeBehindTheCheck(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	c.Wire.Next("TransactWriteItems", storetest.LoseAnswer, storetest.Cancelled("ConditionalCheckFailed"))
	c.Do(t, c.Request).Want(t, 200, changed)
}

func TestFaults(t *testing.T) {
	t.Parallel()
	functiontest.PasswordFaults(t, newCase(t), endpoint(nil, functiontest.Keys()))
}

func TestProtected(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	functiontest.Protected(t, c.Bench, c.Ann.User, functiontest.Request{}, 400, c.Request)
}
