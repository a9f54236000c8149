package token_test

import (
	"testing"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/token"
)

func BenchmarkVerifyAccess(b *testing.B) {
	keys, err := token.NewKeys("k1", map[string][]byte{"k1": make([]byte, 32)})
	if err != nil {
		b.Fatal(err)
	}
	text, err := keys.IssueAccess(game.User{ID: game.NewID(), Username: "ann", Email: "ann@example.com"}, 0)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := keys.VerifyAccess(text, 1); err != nil {
			b.Fatal(err)
		}
	}
}
