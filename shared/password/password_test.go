package password

import (
	"encoding/hex"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHash(t *testing.T) {
	password := strings.Repeat("correct horse ", 10)
	phc := Hash(password)
	assert.True(t, regexp.MustCompile(`^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$`).MatchString(phc),
		"got %s", phc)
	assert.True(t, Hash(password) != phc, "two hashes of one password are equal")
	for tried, want := range map[string]bool{password: true, "C" + password[1:]: false, password[:139]: false, password + " ": false, "": false} {
		got, err := Verify(phc, tried)
		assert.True(t, err == nil && got == want, "%q: got %t, %v", tried, got, err)
	}
}

// Verify uses the cost parameters and the length in the string, not those of new hashes.
func TestVerifyHonoursTheStatedParameters(t *testing.T) {
	for _, c := range []cost{{64, 1, 1}, {256, 3, 2}, {8 * maxThreads, maxTime, maxThreads}} {
		for _, length := range []uint32{minHashBytes, keyBytes, maxHashBytes} {
			salt := []byte("01234567")
			phc := format(c, salt, c.key("secret", salt, length))
			ok, err := Verify(phc, "secret")
			assert.True(t, err == nil && ok, "%s: %t, %v", phc, ok, err)
			ok, err = Verify(phc, "Secret")
			assert.True(t, err == nil && !ok, "%s: %t, %v", phc, ok, err)
		}
	}
}

// The test vector of the reference implementation's own test suite (phc-winner-argon2, test.c): version 19, t=2,
// m=65536, p=1.
func TestVerifyReferenceVector(t *testing.T) {
	const vector = "09316115d5cf24ed5a15a31a3ba326e5cf32edc24702987c02b6566f61913cf7"
	key, err := hex.DecodeString(vector)
	require.NoError(t, err)
	phc := format(cost{memory: 65536, time: 2, threads: 1}, []byte("somesalt"), key)
	ok, err := Verify(phc, "password")
	assert.True(t, err == nil && ok, "%s: %t, %v", phc, ok, err)
}

// The duration of a log-in must not reveal whether there is an account. So VerifyUnknown must verify a hash with the
// parameters of a new hash. The test looks at the 19 MiB that Argon2 allocates. So no test here is parallel.
func TestVerifyUnknownCostsWhatVerifyCosts(t *testing.T) {
	stated, salt, key, err := parse(nobodys)
	ofNew, newSalt, newKey, newErr := parse(Hash("correct horse"))
	assert.True(t, err == nil && newErr == nil && stated == ofNew && len(salt) == len(newSalt) && len(key) == len(newKey),
		"without an account %s, %v; with one %+v, %v", nobodys, err, ofNew, newErr)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	VerifyUnknown("wrong")
	runtime.ReadMemStats(&after)
	allocated := after.TotalAlloc - before.TotalAlloc
	assert.True(t, allocated >= 19<<20, "it allocates %d bytes", allocated)
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
		{phc(cost{46 * 1024, 1, 1}, saltBytes, keyBytes), false}, // the same work with more memory and one pass
		{phc(cost{current.memory + 1, current.time, 4}, saltBytes, keyBytes), false},
		{phc(cost{maxMemory, maxTime, 1}, saltBytes, keyBytes), false},
		{phc(current, saltBytes-1, keyBytes), true},
		{phc(current, saltBytes, keyBytes-1), true},
		{"", false}, {"$argon2id$v=19$m=1,t=1,p=1$$", false}, {"$2b$12$" + strings.Repeat("a", 53), false},
	} {
		got := Outdated(c.phc)
		assert.Equal(t, c.want, got, "%s is outdated: %t", c.phc, got)
	}
	assert.False(t, Outdated(Hash("secret")), "a new hash is outdated")
}
