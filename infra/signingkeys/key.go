package signingkeys

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"math"
	"strings"
)

const (
	newKeyBytes = 48 // of randomness, 64 as text
	minKeyBytes = 32 // what RFC 7518, 3.2 allows for HS256 at the least
	// minBitsPerByte is less than the bytes of any text of 32 hex digits that chance has made have, and more than
	// repetitions of a few have.
	minBitsPerByte = 2.5
)

// NewKey returns a key of cryptographic randomness.
func NewKey() string {
	var random [newKeyBytes]byte
	rand.Read(random[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(random[:])
}

// CheckKey refuses keys that are short or repetitive. It cannot tell what else is easy to guess. Its errors say nothing
// of the key.
func CheckKey(key string) error {
	switch {
	case len(key) < minKeyBytes:
		return errors.New("the key has fewer than 32 bytes")
	case repeats(key), bitsPerByte(key) < minBitsPerByte:
		return errors.New("the key is repetitive: make it of random bytes")
	}
	return nil
}

// repeats reports whether the text is one of at most half its length, over and over.
func repeats(text string) bool {
	for period := 1; period <= len(text)/2; period++ {
		if strings.HasPrefix(text, text[period:]) {
			return true
		}
	}
	return false
}

// bitsPerByte is the entropy of the bytes' frequencies.
func bitsPerByte(text string) (bits float64) {
	var counts [256]float64
	for _, b := range []byte(text) {
		counts[b]++
	}
	for _, n := range counts {
		if n > 0 {
			share := n / float64(len(text))
			bits -= share * math.Log2(share)
		}
	}
	return bits
}
