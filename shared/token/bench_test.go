package token_test

import (
	"testing"

	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/token"
)

// The costs of signing and verifying an access token, with Ed25519 and with HMAC-SHA256.
func BenchmarkAccess(b *testing.B) {
	keys, err := token.NewKeys("k1", map[string][]byte{"k1": make([]byte, 32)})
	if err != nil {
		b.Fatal(err)
	}
	ann := game.User{ID: game.NewID(), Username: "ann", Email: "ann@example.com"}
	for name, keys := range map[string]*token.Keys{"Ed25519": keys, "HS256": keys.With(token.Issued)} {
		b.Run("issue/"+name, func(b *testing.B) {
			for b.Loop() {
				if _, err := keys.IssueAccess(ann, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("verify/"+name, func(b *testing.B) {
			text, err := keys.IssueAccess(ann, 0)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := keys.VerifyAccess(text, 1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
