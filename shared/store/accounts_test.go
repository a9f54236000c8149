package store_test

import (
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

func TestRegistrationIsReadBackWhole(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	p := s.NewHerd(game.StartingGold, 3) // animals with different traits
	checkError(t, p.Create(t.Context(), s.Store), nil)
	byEmail, hash, err := s.AccountByEmail(t.Context(), p.Email)
	require.NoError(t, err)
	storetest.Equal(t, "account by e-mail", byEmail, &p.Account)
	storetest.Equal(t, "hash", hash, p.PasswordHash)
	byUsername := must(s.AccountsByUsername(t.Context(), p.Username))(t)
	storetest.Equal(t, "accounts by username", byUsername, []game.Account{p.Account})
	record, account, err := s.RefreshRecord(t.Context(), p.Refresh.Digest, p.ID)
	require.NoError(t, err)
	storetest.Equal(t, "refresh record", record, &p.Refresh)
	storetest.Equal(t, "account of the refresh record", account, &p.Account)
	rows := must(s.Ledger(t.Context(), p.ID))(t)
	storetest.Equal(t, "ledger", rows, []game.LedgerEntry{p.Starter})
	animals := must(s.Animals(t.Context(), p.ID))(t)
	storetest.Equal(t, "animals", byID(animals), byID(p.Animals))
	for i := 1; i < len(animals); i++ {
		assert.True(t, animals[i-1].ID < animals[i].ID, "the animals are not in the order of their ids")
	}
	storetest.Equal(t, "rows", len(s.Scan(t)), 8)
}

func byID(animals []game.Animal) map[game.ID]game.Animal {
	m := map[game.ID]game.Animal{}
	for _, a := range animals {
		m[a.ID] = a
	}
	return m
}

func TestNamesAreUnique(t *testing.T) {
	t.Parallel()
	for name, steal := range map[string]func(p *storetest.Player, from storetest.Player){
		"e-mail":   func(p *storetest.Player, from storetest.Player) { p.Email = from.Email },
		"username": func(p *storetest.Player, from storetest.Player) { p.Username = from.Username },
		"both":     func(p *storetest.Player, from storetest.Player) { p.Email, p.Username = from.Email, from.Username },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			first, second := s.AddPlayer(t, storetest.Ann), s.NewPlayer(storetest.Anybody)
			steal(&second, first)
			s.Unchanged(t, func() {
				if err := second.Create(t.Context(), s.Store); err != game.ErrTaken { // itself: clients see it
					t.Errorf("got %v", err)
				}
				external := game.NewExternalAccount(second.Email, second.Username, s.Now)
				err := s.Desk.Operator(s.Change()).CreateExternalAccount(t.Context(), external)
				assert.True(t, err == game.ErrTaken, "external: got %v", err)
			})
		})
	}
}

func TestUnknownAccounts(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	if a, hash, err := s.AccountByEmail(t.Context(), "nobody@example.com"); a != nil || hash != "" || err != nil {
		t.Error(a, hash, err)
	}
	if a, err := s.AccountsByUsername(t.Context(), "nobody"); len(a) > 0 || err != nil {
		t.Error(a, err)
	}
	if a, err := s.Account(t.Context(), game.NewID()); a != nil || err != nil {
		t.Error(a, err)
	}
	if record, a, err := s.RefreshRecord(t.Context(), "none", game.NewID()); record != nil || a != nil || err != nil {
		t.Error(record, a, err)
	}
	p := s.AddPlayer(t, storetest.Ann)
	if record, a, err := s.RefreshRecord(t.Context(), "none", p.ID); record != nil || a == nil || err != nil {
		t.Error(record, a, err)
	}
	if record, a, err := s.RefreshRecord(t.Context(), p.Refresh.Digest, game.NewID()); record == nil || a != nil || err != nil {
		t.Error(record, a, err)
	}
	if animals, err := s.Animals(t.Context(), game.NewID()); animals == nil || len(animals) != 0 || err != nil {
		t.Error(animals, err) // want an empty list, not nil: JSON shows the difference
	}
	if animal, err := s.Animal(t.Context(), p.ID, game.NewID()); animal != nil || err != store.ErrUnknownAnimal {
		t.Error(animal, err)
	}
	checkError(t, s.Desk.Operator(s.Change()).Ban(t.Context(), game.NewID()), store.ErrUnknownUser)
	checkError(t, s.Desk.Operator(s.Change()).Unban(t.Context(), game.NewID()), store.ErrUnknownUser)
	checkError(t, s.Desk.Operator(s.Change()).RevokeSessions(t.Context(), game.NewID()), store.ErrUnknownUser)
	unknown := game.Account{User: game.User{ID: game.NewID(), Status: game.UserActive}}
	checkError(t, errOf(s.RecordLogin(t.Context(), unknown, s.NewRefresh(unknown.ID), game.Rehash{}, s.Now)), game.ErrInvalidCredentials)
}

// A log-in writes its time, its refresh record, and a new hash if the old one is still there.
func TestLoginIsRecorded(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	p := s.AddPlayer(t, storetest.Ann)
	want := p.Account
	for _, c := range []struct {
		later    game.Instant
		rehash   game.Rehash
		hash     string
		requests int
	}{
		{1, game.Rehash{}, p.PasswordHash, 1},
		{5000, game.Rehash{Old: p.PasswordHash, New: "second"}, "second", 1},
		{5001, game.Rehash{Old: p.PasswordHash, New: "third"}, "second", 3}, // the hash is another
		{5002, game.Rehash{}, "second", 1},
	} {
		at := s.Now + c.later
		token := s.AtTime(at).NewRefresh(p.ID)
		s.Wire.Reset()
		checkError(t, errOf(s.RecordLogin(t.Context(), s.AccountOf(t, p.ID), token, c.rehash, at)), nil)
		storetest.Equal(t, "requests", s.Wire.Cost().Requests, c.requests)
		record, account, err := s.RefreshRecord(t.Context(), token.Digest, p.ID)
		checkError(t, err, nil)
		storetest.Equal(t, "refresh record", record, &token)
		want.LastLoginAt = &at
		storetest.Equal(t, "account", account, &want)
		storetest.Equal(t, "hash", s.HashOf(t, p.Email), c.hash)
	}
}

// A revocation by a slow clock does not make revoked sessions valid. It revokes the last login, or the session that began
// at the last revocation, and no later one.
func TestSessionsAreRevoked(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	p := s.AddPlayer(t, storetest.Ann)
	revoked := func(issued game.Instant) bool { return s.AccountOf(t, p.ID).Revoked(s.AtTime(issued).NewRefresh(p.ID)) }
	assert.False(t, revoked(s.Now), "a session is revoked before anybody has revoked it")
	checkError(t, s.Desk.Operator(s.AtTime(s.Now+5000).Change()).RevokeSessions(t.Context(), p.ID), nil)
	for i, slow := range []game.Instant{s.Now + 5000, s.Now + 4000, 0} {
		checkError(t, s.Desk.Operator(s.AtTime(slow).Change()).RevokeSessions(t.Context(), p.ID), nil)
		storetest.Equal(t, "sessions from", s.AccountOf(t, p.ID).SessionsFrom, s.Now+5002+game.Instant(i))
	}
	login := s.AtTime(s.Now + 9000).NewRefresh(p.ID)
	checkError(t, errOf(s.RecordLogin(t.Context(), p.Account, login, game.Rehash{}, s.Now+9000)), nil)
	assert.False(t, revoked(s.Now+9000), "a login after the revocation is revoked")
	checkError(t, s.Desk.Operator(s.AtTime(s.Now+6000).Change()).Ban(t.Context(), p.ID), nil) // by a slow clock
	s.Unban(t, p.ID)
	assert.True(t, revoked(s.Now+9000) && !revoked(s.Now+9001), "the ban has not revoked the login before it, or more")
}

// DynamoDB deletes by whole seconds. A record must not be deleted before its token expires.
func TestRefreshRecordsAreNotCollectedEarly(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	for _, millisecond := range []game.Instant{0, 1, 999} {
		p := s.NewPlayer(storetest.Anybody)
		p.Refresh.ExpiresAt = 2_000_000_000_000 + millisecond
		s.Register(t, p)
		ttl, ok := s.At(store.TokenKey(p.Refresh.Digest)).Read(t)["ttl"].(*types.AttributeValueMemberN)
		assert.True(t, ok && ttl.Value == "2000000001", "a token that expires at %d has the ttl %+v", p.Refresh.ExpiresAt, ttl)
	}
}

// A flood of log-ins with unknown addresses is spread over the table: each reads the key of another random user.
func TestUnknownAddressesReadAnotherUserEachTime(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	var requests []map[string]any
	for range 6 {
		s.Wire.Next("GetItem", recorded(&requests, storetest.Pass))
	}
	users := map[string]bool{}
	for i := range 3 {
		if a, _, err := s.AccountByEmail(t.Context(), "nobody@example.com"); a != nil || err != nil {
			t.Error(a, err)
		}
		pk := requests[2*i+1]["Key"].(map[string]any)["PK"].(map[string]any)["S"].(string)
		_, ok := game.ParseID(strings.TrimPrefix(pk, "USER#"))
		assert.True(t, ok && !users[pk], "look-up %d reads %s", i+1, pk)
		users[pk] = true
	}
}
