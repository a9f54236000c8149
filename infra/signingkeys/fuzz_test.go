package signingkeys

import (
	"strings"
	"testing"
)

// FuzzCheckKey holds the check of a key against naive ones: at least 32 bytes, and no text over and over. What it
// refuses, it refuses without a word of it, and longer repetitions of it, too.
func FuzzCheckKey(f *testing.F) {
	for _, key := range []string{
		"", "short", strings.Repeat("a", 32), strings.Repeat("ab", 64), "0123456789abcdef0123456789abcdef", "kX9!vQ2#mZ7$wL4%nB8^tR1&yP6*dF3(", NewKey(), strings.Repeat("\x00\xff", 40),
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
	} {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, key string) {
		if len(key) > 512 {
			return // the naive checks take the square of it
		}
		err := CheckKey(key)
		repetitive := false
		for n := 1; n <= len(key)/2; n++ {
			repetitive = repetitive || strings.HasPrefix(strings.Repeat(key[:n], len(key)/n+1), key)
		}
		distinct := map[byte]bool{}
		for _, b := range []byte(key) {
			distinct[b] = true
		}
		// 2.5 bits a byte take six bytes at least.
		if bad := len(key) < 32 || repetitive || len(distinct) < 6; bad && err == nil {
			t.Errorf("%q is taken for a key", key)
		}
		if err != nil && len(key) >= 8 && strings.Contains(err.Error(), key) {
			t.Errorf("%v quotes the key", err)
		}
		if twice := CheckKey(key + key); key != "" && twice == nil {
			t.Errorf("%q twice is taken for a key", key)
		}
		if CheckKey(NewKey()+key) != nil && len(key) < 32 {
			t.Errorf("a new key before %q is none", key)
		}
	})
}
