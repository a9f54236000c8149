package password

import (
	"encoding/hex"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestHash(t *testing.T) {
	phc := Hash("correct horse")
	if !regexp.MustCompile(`^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$`).MatchString(phc) {
		t.Errorf("got %s", phc)
	}
	if again := Hash("correct horse"); again == phc {
		t.Error("two hashes of one password are equal")
	}
	for password, want := range map[string]bool{"correct horse": true, "Correct horse": false, "correct horse ": false, "": false} {
		if got, err := Verify(phc, password); err != nil || got != want {
			t.Errorf("%q: got %t, %v", password, got, err)
		}
	}
}

// Unlike bcrypt, which stops at 72 bytes.
func TestAllCharactersCount(t *testing.T) {
	for name, character := range map[string]string{"one byte": "p", "four bytes": "🐎", "NUL": "\x00"} {
		password := strings.Repeat(character, 127)
		phc := Hash(password + "a")
		if ok, err := Verify(phc, password+"a"); err != nil || !ok {
			t.Errorf("%s: the password does not match: %v", name, err)
		}
		for _, other := range []string{password + "b", password, password + "a" + character} {
			if ok, err := Verify(phc, other); err != nil || ok {
				t.Errorf("%s: another password matches: %v", name, err)
			}
		}
	}
}

// Hashes of other costs, computed with the reference implementation's parameters in the string, keep working.
func TestVerifyHonoursTheStatedParameters(t *testing.T) {
	for _, c := range []cost{{64, 1, 1}, {256, 3, 2}, {8 * maxThreads, maxTime, maxThreads}} {
		for _, length := range []uint32{minHashBytes, keyBytes, maxHashBytes} {
			salt := []byte("01234567")
			phc := format(c, salt, c.key("secret", salt, length))
			if ok, err := Verify(phc, "secret"); err != nil || !ok {
				t.Errorf("%s: %t, %v", phc, ok, err)
			}
			if ok, err := Verify(phc, "Secret"); err != nil || ok {
				t.Errorf("%s: %t, %v", phc, ok, err)
			}
		}
	}
}

// The test vector of the reference implementation's own test suite (phc-winner-argon2, test.c): version 19, t=2,
// m=65536, p=1.
func TestVerifyReferenceVector(t *testing.T) {
	const vector = "09316115d5cf24ed5a15a31a3ba326e5cf32edc24702987c02b6566f61913cf7"
	key, err := hex.DecodeString(vector)
	if err != nil {
		t.Fatal(err)
	}
	phc := format(cost{memory: 65536, time: 2, threads: 1}, []byte("somesalt"), key)
	if ok, err := Verify(phc, "password"); err != nil || !ok {
		t.Errorf("%s: %t, %v", phc, ok, err)
	}
}

// The time of a comparison must not reveal whether there is an account. The fastest of a few runs counts, since other
// work on the machine only makes a run slower.
func TestVerifyUnknownCostsWhatVerifyCosts(t *testing.T) {
	phc := Hash("correct horse")
	known := fastest(func() {
		if _, err := Verify(phc, "wrong"); err != nil {
			t.Fatal(err)
		}
	})
	unknown := fastest(func() { VerifyUnknown("wrong") })
	if unknown < known/2 || unknown > known*2 {
		t.Errorf("with an account %v, without %v", known, unknown)
	}
}

func fastest(f func()) time.Duration {
	best := time.Hour
	for range 7 {
		start := time.Now()
		f()
		best = min(best, time.Since(start))
	}
	return best
}

func TestOutdated(t *testing.T) {
	phc := func(c cost, salt, key int) string { return format(c, make([]byte, salt), make([]byte, key)) }
	for _, c := range []struct {
		phc  string
		want bool
	}{
		{phc(current, saltBytes, keyBytes), false},
		{phc(cost{current.memory - 1, current.time, 1}, saltBytes, keyBytes), true},
		{phc(cost{current.memory, current.time - 1, 1}, saltBytes, keyBytes), true},
		{phc(cost{46 * 1024, 1, 1}, saltBytes, keyBytes), false}, // as much work, in another way
		{phc(cost{current.memory + 1, current.time, 4}, saltBytes, keyBytes), false},
		{phc(cost{maxMemory, maxTime, 1}, saltBytes, keyBytes), false},
		{phc(current, saltBytes-1, keyBytes), true},
		{phc(current, saltBytes, keyBytes-1), true},
		{"", false}, {"$argon2id$v=19$m=1,t=1,p=1$$", false}, {"$2b$12$" + strings.Repeat("a", 53), false},
	} {
		if got := Outdated(c.phc); got != c.want {
			t.Errorf("%s is outdated: %t", c.phc, got)
		}
	}
	if Outdated(Hash("secret")) {
		t.Error("a new hash is outdated")
	}
}
