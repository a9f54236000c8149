package password

import (
	"encoding/base64"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// FuzzPHC compares parse with a regular expression. If a hash has the right form and is within the limits, format
// writes the parsed hash exactly as it was. Any other text is malformed: Verify returns an error, and Outdated false.
func FuzzPHC(f *testing.F) {
	const salt, key = "MDEyMzQ1Njc", "MDEyMzQ1Njc4OWFiY2RlZg"
	with := func(parameters, salt, key string) string {
		return "$argon2id$v=19$" + parameters + "$" + salt + "$" + key
	}
	for _, parameters := range []string{
		"m=64,t=1,p=1", "m=64,t=1", "t=1,m=64,p=1", "m=,t=1,p=1", "m=+64,t=1,p=1", "m=064,t=1,p=1", "m=0,t=1,p=1", "m=262144,t=1,p=1", "m=262145,t=1,p=1",
		"m=4294967360,t=1,p=1", "m=64,t=0,p=1", "m=64,t=16,p=1", "m=64,t=17,p=1", "m=64,t=1,p=0", "m=64,t=1,p=8", "m=64,t=1,p=9", "m=0,t=0,p=0",
	} {
		f.Add(with(parameters, salt, key))
	}
	for _, n := range []int{0, 7, 64, 65} {
		f.Add(with("m=64,t=1,p=1", encoding.EncodeToString(make([]byte, n)), key))
	}
	for _, n := range []int{0, 15, 16, 64, 65} {
		f.Add(with("m=64,t=1,p=1", salt, encoding.EncodeToString(make([]byte, n))))
	}
	good := with("m=64,t=1,p=1", salt, key)
	for _, s := range []string{
		"", "$", "secret", "$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy", "x" + good, good + "$", strings.Replace(good, "2id", "2i", 1),
		strings.Replace(good, "v=19$", "", 1), strings.Replace(good, "v=19", "v=16", 1), with("m=64,t=1,p=1", salt+"=", key), with("m=64,t=1,p=1", "MDEyMzQ\n1Njc", key),
		with("m=64,t=1,p=1", "MDEyMzQ1Njd", key), // a stray trailing bit
		with("m=64,t=1,p=1", salt, "____________________-w"),
	} {
		f.Add(s)
	}
	form := regexp.MustCompile(`^\$argon2id\$v=19\$m=([1-9][0-9]{0,5}),t=([1-9][0-9]?),p=([1-8])\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$`)
	f.Fuzz(func(t *testing.T, phc string) {
		c, salt, key, err := parse(phc)
		want := false
		if m := form.FindStringSubmatch(phc); m != nil {
			memory, _ := strconv.Atoi(m[1])
			passes, _ := strconv.Atoi(m[2])
			salt, saltErr := base64.RawStdEncoding.DecodeString(m[4])
			key, keyErr := base64.RawStdEncoding.DecodeString(m[5])
			want = memory <= 256*1024 && passes <= 16 && saltErr == nil && keyErr == nil && len(salt) <= 64 && len(key) <= 64 &&
				base64.RawStdEncoding.EncodeToString(salt) == m[4] && base64.RawStdEncoding.EncodeToString(key) == m[5]
		}
		if (err == nil) != want || want && format(c, salt, key) != phc {
			t.Fatalf("%q: %v, and is written %q", phc, err, format(c, salt, key))
		}
		if err == nil {
			return
		}
		if ok, verifyErr := Verify(phc, "x"); ok || verifyErr == nil || Outdated(phc) {
			t.Errorf("%q is malformed, and verified: %t, %v, outdated: %t", phc, ok, verifyErr, Outdated(phc))
		}
	})
}

// FuzzPassword checks that a hash verifies its password, whatever the bytes, and no other password. Every byte counts,
// while bcrypt would ignore those after the 72nd.
func FuzzPassword(f *testing.F) {
	f.Add("correct horse", "Correct horse", "saltsalt")
	f.Add("", "\x00", "\x00\x00\x00\x00\x00\x00\x00\x00")
	for _, character := range []string{"p", "🐎", "\x00"} {
		long := strings.Repeat(character, 127)
		for _, other := range []string{long + "b", long, long + "a" + character} {
			f.Add(long+"a", other, "saltsaltsalt")
		}
	}
	f.Add("\xff", "\ufffd", "\xff\xff\xff\xff\xff\xff\xff\xff")
	least := cost{memory: 8, time: 1, threads: 1} // allows a thousand inputs a second
	f.Fuzz(func(t *testing.T, password, other, salt string) {
		if len(salt) < minSaltBytes || len(salt) > maxSaltBytes {
			return
		}
		phc := format(least, []byte(salt), least.key(password, []byte(salt), keyBytes))
		ok, err := Verify(phc, password)
		assert.True(t, err == nil && ok, "%q is not good for %q: %t, %v", phc, password, ok, err)
		ok, err = Verify(phc, other)
		assert.True(t, err == nil && ok == (other == password), "%q is good for %q: %t, %v", phc, other, ok, err)
		assert.True(t, Outdated(phc), "%q is not outdated", phc)
	})
}
