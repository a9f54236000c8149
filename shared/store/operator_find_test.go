package store_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// FindAccounts finds users by the beginning of the address or the username, each once, and not by another part.
func TestFindAccounts(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	named := func(email, username string) game.ID {
		p := s.NewPlayer(storetest.Anybody)
		p.Email, p.Username = email, username
		s.Register(t, p)
		return p.ID
	}
	annika, both := named("annika@example.com", "Rider"), named("ann@example.org", "ANNabel")
	bob, gone := named("bob@example.com", "Anna"), named("ann@example.net", "Annie")
	s.DeleteUser(t, gone)
	for text, want := range map[string][]game.ID{
		"ann": {both, annika, bob}, "ANN@": {both}, "anna": {bob, both}, "rid": {annika}, "Rider": {annika}, "riders": {}, "nna": {}, "an": {},
		"exa": {}, "annika@example.com": {annika}, "annß": {},
	} {
		found, more, err := s.FindAccounts(t.Context(), text, 10)
		checkError(t, err, nil)
		storetest.Equal(t, text+": more", more, false)
		storetest.Equal(t, text, ids(found), want)
	}
}

func ids(accounts []game.Account) []game.ID {
	ids := []game.ID{}
	for _, a := range accounts {
		ids = append(ids, a.ID)
	}
	return ids
}

// A page of accounts takes three round trips and no scan, however many names match.
func TestFindingIsCheap(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	for i := range 60 {
		p := s.NewPlayer(storetest.Anybody, 50_00)
		p.Email, p.Username = fmt.Sprintf("player-%03d@example.com", i), fmt.Sprintf("Player-%03d", i)
		s.Register(t, p)
	}
	for most, more := range map[int]bool{20: true, 59: true, 60: false, 100: false} {
		s.Wire.Reset()
		found, left, err := s.FindAccounts(t.Context(), "player-0", most)
		checkError(t, err, nil)
		storetest.Equal(t, fmt.Sprint("users of ", most), len(found), min(most, 60))
		storetest.Equal(t, fmt.Sprint("more than ", most), left, more)
		cost := s.Wire.Cost()
		assert.True(t, cost.RCU <= float64(2*min(most+1, 60)+10) && cost.Requests <= 3, "%d users: %+v", most, cost)
	}
	found := must(s.AccountsByUsername(t.Context(), "pLAYER-007"))(t)
	assert.True(t, len(found) == 1 && found[0].Username == "Player-007", "found %+v", found)
}

// A damaged table has names that lead to no user. There may be users behind these names.
func TestFindingBehindNamesOfNoUser(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	for i := range 3 {
		p := s.NewPlayer(storetest.Anybody)
		p.Email, p.Username = fmt.Sprintf("ann@%d.example", i), fmt.Sprintf("Ann_%d", i)
		s.Register(t, p)
		if i < 2 {
			for _, name := range []storetest.Row{s.At(store.EmailKey(p.Email)), s.At(store.UsernameKey(p.Username))} {
				name.Edit(t, "SET u = :gone", map[string]any{":gone": "gone"})
			}
		}
	}
	for _, text := range []string{"ann@", "ann_", "ann"} {
		found, more, err := s.FindAccounts(t.Context(), text, 1)
		assert.True(t, err == nil && more && len(found) == 0, "%s: %+v, %t, %v", text, found, more, err)
	}
}
