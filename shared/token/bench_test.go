package token

import (
	"testing"

	"github.com/ranch-game/ranch/shared/game"
)

func BenchmarkVerifyAccess(b *testing.B) {
	keys, err := NewKeys("k1", map[string][]byte{"k1": make([]byte, 32)})
	if err != nil {
		b.Fatal(err)
	}
	token, err := keys.IssueAccess(game.User{ID: game.NewID(), Username: "ann", Email: "ann@example.com"}, 0)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := keys.VerifyAccess(token, 1); err != nil {
			b.Fatal(err)
		}
	}
}
