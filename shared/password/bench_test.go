package password

import "testing"

func BenchmarkHash(b *testing.B) {
	for b.Loop() {
		Hash("a password of ordinary length")
	}
}
