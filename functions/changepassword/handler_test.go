package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/functiontest"
	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/operate"
	"github.com/ranch-game/ranch/shared/password"
	"github.com/ranch-game/ranch/shared/token"
)

func TestMain(m *testing.M) { functiontest.Main(m) }

const (
	current = "correct horse"
	wrong   = `{"error":"INVALID_CREDENTIALS","message":"Invalid password"}`
	oauth   = `{"error":"OAUTH_ACCOUNT","message":"Please use OAuth to login"}`
	invalid = `{"error":"VALIDATION_ERROR","message":"Invalid input","details":{"newPassword":["New password must have 8 to 128 characters."]}}`
)

func form(currentPassword, newPassword string) string {
	return functiontest.JSON(map[string]string{game.FieldCurrentPassword: currentPassword, game.FieldNewPassword: newPassword})
}

// newCase returns a case in which Ann, who has a password, gives herself another.
func newCase(t *testing.T) *functiontest.Case {
	c := functiontest.NewCase(t, endpoint)
	c.SetPassword(t, c.Ann, current)
	c.Request.Body = form(current, "battery staple")
	return c
}

// The new password may equal the current one. The new session is valid at once, and the one before is not.
func TestChange(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	before := c.Ann.Refresh
	for _, next := range []string{"battery staple", "battery staple", strings.Repeat("🐎", 128)} {
		body := c.Do(t, c.Request).Object(t)
		access, refresh := functiontest.In[string](t, body, "token"), functiontest.In[string](t, body, "refreshToken")
		storetest.Equal(t, "caller", c.Caller(t, access), token.Caller{ID: c.Ann.ID, Username: "Ann", Email: "ann@example.com", Status: "active"})
		record, account, err := c.Rival.RefreshRecord(t.Context(), token.Digest(refresh), c.Ann.ID)
		assert.True(t, err == nil && record != nil && !account.Revoked(*record) && account.Revoked(before), "%v, %v, %v", record, account, err)
		before = *record
		sent := functiontest.In[string](t, functiontest.Answer{Body: c.Request.Body}.Object(t), game.FieldNewPassword)
		assert.NoError(t, password.Check(c.HashOf(t, "ann@example.com"), sent, game.ErrWrongPassword))
		c.Request.Body = form(sent, next)
	}
	c.Golden(t, "changed", c.Request).WantStatus(t, 200)
	c.Invariants(t)
}

func TestFlaws(t *testing.T) {
	t.Parallel()
	flaws := append([]functiontest.Flaw{
		{Name: "invalid", By: functiontest.Body, Status: 400, Body: invalid, Make: func(_ *testing.T, c *functiontest.Case) {
			c.Request.Body = form("", "1234567")
		}},
		{Name: "wrong-password", By: functiontest.Rules, Status: 403, Body: wrong, Make: func(_ *testing.T, c *functiontest.Case) {
			if c.Request.Body == form(current, "battery staple") { // else the body is invalid
				c.Request.Body = form("", "battery staple")
			}
		}},
	}, functiontest.BannedOrDeleted()...)
	functiontest.Flaws(t, newCase, append(flaws, functiontest.NoCredentials()))
}

func TestFieldsThatAreWrong(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	const both = `{"error":"VALIDATION_ERROR","message":"Invalid input","details":{"currentPassword":["Current password is required."],"newPassword":["New password is required."]}}`
	c.Unchanged(t, func() {
		for body, want := range map[string]string{
			"": both, "[]": both, `{"currentPassword":null}`: both, form(current, strings.Repeat("x", 129)): invalid,
			`{"currentPassword":1,"newPassword":"battery staple"}`: `{"error":"VALIDATION_ERROR","message":"Invalid input","details":{"currentPassword":["Current password must be a string."]}}`,
		} {
			c.Request.Body = body
			c.Do(t, c.Request).Want(t, 400, want)
		}
	})
}

// An account without a password is refused before any password is looked at.
func TestNoPassword(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	outsider := c.AddExternal(t, storetest.Cid, "")
	c.Request.Token = c.Access(t, outsider.User)
	c.Unchanged(t, func() { c.Golden(t, "no-password", c.Request).Want(t, 403, oauth) })
}

// If the write fails, the call reads again, also a session that a lost attempt may have begun: its role must allow this.
func TestAChangeBehindTheCheck(t *testing.T) {
	t.Parallel()
	c := newCase(t)
	c.Wire.Next("TransactWriteItems", storetest.LoseAnswer, storetest.Cancelled("ConditionalCheckFailed"))
	c.Do(t, c.Request).WantStatus(t, 200)
	c.Meanwhile(func() {
		_, err := c.Operator().SetUser(t.Context(), c.Ann.ID, operate.UserChange{Email: new("annie@example.com")})
		assert.NoError(t, err)
	})
	c.Request.Body = form("battery staple", current)
	c.Do(t, c.Request).WantStatus(t, 200)
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
