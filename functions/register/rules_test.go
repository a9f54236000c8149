package main

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ranch-game/ranch/localstack/kit/functiontest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/httpapi"
)

// The same form at the same instant, on tables of their own, gives other animals: what is drawn follows neither from
// the clock nor from the user's names nor from how many came before, so that nobody can choose a moment or a name for a
// rare animal.
func TestStartersCannotBeForeseen(t *testing.T) {
	t.Parallel()
	genotypes := func() (drawn []game.Genotype) {
		b := functiontest.New(t, endpoint)
		user := functiontest.In[map[string]any](t, b.Do(t, ann().request()).Object(t), "user")
		animals, err := b.Rival.Animals(t.Context(), game.ID(functiontest.In[string](t, user, "id")))
		if err != nil || len(animals) != 3 {
			t.Fatal(animals, err)
		}
		for _, name := range []string{"Buck", "Bessie", "Millie"} {
			for _, animal := range animals {
				if animal.Name == name {
					drawn = append(drawn, *animal.Genotype)
				}
			}
		}
		return drawn
	}
	first, second := genotypes(), genotypes()
	for i := range first { // of 21 values for each of eight genes, two are the same once in 38,000,000,000 times
		if cmp.Equal(first[i], second[i]) {
			t.Errorf("starter %d is the same twice: %v", i, first[i])
		}
	}
}

func TestFieldsThatAreNotThere(t *testing.T) {
	t.Parallel()
	_, err := readForm(&httpapi.Request{Body: []byte(`{"email":null,"username":7,"password":["x"],"Ranchname":"Acres"}`)})
	var refusal *game.Refusal
	want := map[string][]string{
		"email": {"E-mail is required."}, "username": {"Username must be a string."}, "password": {"Password must be a string."},
		"ranchName": {"Ranch name is required."},
	}
	if !errors.As(err, &refusal) || !errors.Is(err, game.ErrInvalidInput) {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, refusal.Details); diff != "" {
		t.Error(diff)
	}
}
