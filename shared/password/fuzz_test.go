package password

import (
	"regexp"
	"strings"
	"testing"
)

// FuzzPHC: what is read as a hash is within the bounds, and is what would be written of it, letter by letter; what is
// malformed is neither verified nor outdated.
func FuzzPHC(f *testing.F) {
	for _, s := range []string{
		"", "$", "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$c29tZWhhc2hzb21laGFzaHNvbWVoYXNoc29tZWhhc2g", "$argon2id$v=19$m=64,t=1,p=1$MDEyMzQ1Njc$MDEyMzQ1Njc4OWFiY2RlZg",
		"$argon2i$v=19$m=64,t=1,p=1$MDEyMzQ1Njc$MDEyMzQ1Njc4OWFiY2RlZg", "$argon2id$v=16$m=64,t=1,p=1$MDEyMzQ1Njc$MDEyMzQ1Njc4OWFiY2RlZg", "$argon2id$v=19$m=0,t=0,p=0$$",
		"$argon2id$v=19$m=4294967295,t=16,p=8$MDEyMzQ1Njc$MDEyMzQ1Njc4OWFiY2RlZg", "$argon2id$v=19$t=1,m=64,p=1$MDEyMzQ1Njc$MDEyMzQ1Njc4OWFiY2RlZg",
		"$argon2id$v=19$m=64,t=1,p=1$MDEyMzQ1Njc=$MDEyMzQ1Njc4OWFiY2RlZg", "$argon2id$v=19$m=64,t=1,p=1$MDEyMzQ1Njc$MDEyMzQ1Njc4OWFiY2RlZg$", "$2b$10$abcdefghijklmnopqrstuv",
		"$argon2id$v=19$m=064,t=1,p=1$MDEyMzQ1Njc$MDEyMzQ1Njc4OWFiY2RlZg", "$argon2id$v=19$m=64,t=1,p=1$MDEyMzQ\n1Njc$MDEyMzQ1Njc4OWFiY2RlZg",
	} {
		f.Add(s)
	}
	form := regexp.MustCompile(`^\$argon2id\$v=19\$m=[1-9][0-9]{0,5},t=[1-9][0-9]?,p=[1-8]\$[A-Za-z0-9+/]{11,86}\$[A-Za-z0-9+/]{22,86}$`)
	f.Fuzz(func(t *testing.T, phc string) {
		c, salt, key, err := parse(phc)
		if err != nil {
			if ok, verifyErr := Verify(phc, "x"); ok || verifyErr == nil || Outdated(phc) {
				t.Errorf("%q is malformed, and verified: %t, %v, outdated: %t", phc, ok, verifyErr, Outdated(phc))
			}
			return
		}
		if format(c, salt, key) != phc || !form.MatchString(phc) {
			t.Errorf("%q is written %q", phc, format(c, salt, key))
		}
		if c.memory < 1 || c.memory > maxMemory || c.time < 1 || c.time > maxTime || c.threads < 1 || c.threads > maxThreads ||
			len(salt) < minSaltBytes || len(salt) > maxSaltBytes || len(key) < minHashBytes || len(key) > maxHashBytes {
			t.Errorf("%q: %+v, %d bytes of salt, %d of hash", phc, c, len(salt), len(key))
		}
	})
}

// FuzzPassword: a hash is good for the password that it was made of, whatever its bytes, and for no other.
func FuzzPassword(f *testing.F) {
	f.Add("correct horse", "Correct horse", "saltsalt")
	f.Add("", "\x00", "\x00\x00\x00\x00\x00\x00\x00\x00")
	f.Add(strings.Repeat("p", 128), strings.Repeat("p", 127), "saltsaltsalt")
	f.Add("\xff", "\ufffd", "\xff\xff\xff\xff\xff\xff\xff\xff")
	least := cost{memory: 8, time: 1, threads: 1} // of a thousand inputs a second
	f.Fuzz(func(t *testing.T, password, other, salt string) {
		if len(salt) < minSaltBytes || len(salt) > maxSaltBytes {
			return
		}
		phc := format(least, []byte(salt), least.key(password, []byte(salt), keyBytes))
		if ok, err := Verify(phc, password); err != nil || !ok {
			t.Errorf("%q is not good for %q: %t, %v", phc, password, ok, err)
		}
		if ok, err := Verify(phc, other); err != nil || ok != (other == password) {
			t.Errorf("%q is good for %q: %t, %v", phc, other, ok, err)
		}
		if !Outdated(phc) {
			t.Errorf("%q is not outdated", phc)
		}
	})
}
