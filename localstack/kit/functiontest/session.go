package functiontest

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/password"
	"github.com/ranch-game/ranch/shared/token"
)

// Session registers the player Ann, and returns her with a refresh token that keys issue at the bench's time.
func (b *Bench) Session(t testing.TB, keys *token.Keys) (ann storetest.Player, refresh string) {
	t.Helper()
	ann = b.NewPlayer(storetest.Ann)
	refresh, ann.Refresh = RefreshBy(t, keys, ann.ID, b.Now)
	b.Register(t, ann)
	return ann, refresh
}

// SetPassword makes the secret the player's password, in place of the text that stands for the hash in scenes.
func (b *Bench) SetPassword(t testing.TB, p storetest.Player, secret string) {
	t.Helper()
	b.Address(p.Email).Edit(t, "SET hp = :hash", map[string]any{":hash": password.Hash(secret)})
}

// Presenting returns a request whose body has the refresh token.
func Presenting(refresh string) Request {
	return Request{Body: JSON(map[string]string{"refreshToken": refresh})}
}

// Caller returns the user whom a valid access token names.
func (b *Bench) Caller(t testing.TB, access string) token.Caller {
	t.Helper()
	caller, err := Keys().VerifyAccess(access, b.Now)
	assert.NoError(t, err)
	return caller
}

// As returns a request with an access token of the user u, issued at the bench's time.
func (b *Bench) As(t testing.TB, u game.User) Request {
	t.Helper()
	return Request{Token: b.Access(t, u)}
}
