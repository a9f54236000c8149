package signingkeys

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"math"
	"strings"
)

const (
	newKeyBytes = 48 // random bytes, which are 64 characters as text
	minKeyBytes = 32 // RFC 7518, 3.2 requires at least this size for HS256
	// minBitsPerByte is the least entropy of a key, in bits for each byte. Random texts of 32 hex digits have more, and
	// texts that repeat a few characters have less.
	minBitsPerByte = 2.5
)

// NewKey returns a new key, made of random data from the operating system.
func NewKey() string {
	var random [newKeyBytes]byte
	rand.Read(random[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(random[:])
}

// CheckKey returns an error if the key has fewer than 32 bytes or is repetitive. It does not find other keys that are
// easy to guess. The error contains no part of the key.
func CheckKey(key string) error {
	switch {
	case len(key) < minKeyBytes:
		return errors.New("the key has fewer than 32 bytes: make it of at least 32 random bytes")
	case repeats(key), bitsPerByte(key) < minBitsPerByte:
		return errors.New("the key is repetitive: make it of random bytes")
	}
	return nil
}

// repeats reports whether the text repeats its beginning, of at most half its length, up to its end.
func repeats(text string) bool {
	for period := 1; period <= len(text)/2; period++ {
		if strings.HasPrefix(text, text[period:]) {
			return true
		}
	}
	return false
}

// bitsPerByte returns the Shannon entropy of the frequencies of the text's bytes, in bits per byte. It is 0 for "".
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
