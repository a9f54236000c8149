// Package password turns passwords into one-way hashes, and checks passwords against hashes. The hash is Argon2id in
// the form of a PHC string ($argon2id$…). Each string has its own cost parameters, so that old hashes stay valid if the
// cost rises.
package password

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/crypto/argon2"
)

// cost is the cost of computing one hash.
type cost struct {
	memory  uint32 // KiB
	time    uint32 // passes over the memory
	threads uint8
}

// current is the cost of new hashes. OWASP's Password Storage Cheat Sheet recommends these parameters
// (docs/adr/0003-argon2id.md).
var current = cost{memory: 19 * 1024, time: 2, threads: 1}

const (
	saltBytes = 16
	keyBytes  = 32
)

// Verify returns an error for a hash whose parameters are not within these limits. So a damaged record cannot take all
// memory, and an empty hash cannot match.
const (
	maxMemory    = 256 * 1024 // KiB
	maxTime      = 16
	maxThreads   = 8
	minHashBytes = 16
	maxHashBytes = 64
	minSaltBytes = 8
	maxSaltBytes = 64
)

// errMalformed has no details, so that the log never contains a part of a hash.
var errMalformed = errors.New("password: the stored password hash is not an Argon2id hash in PHC format, or its parameters are out of bounds: reset the player's password (ranchctl user)")

var encoding = base64.RawStdEncoding.Strict()

// Hash returns the hash of the password as a PHC string, with a random salt. Every byte of the password counts,
// whatever its length. The call takes 19 MiB, and 15 to 30 ms on a whole core.
func Hash(password string) string {
	salt := make([]byte, saltBytes)
	rand.Read(salt) // never fails
	return format(current, salt, current.key(password, salt, keyBytes))
}

// Verify reports whether phc is a hash of the password. The time of the comparison does not reveal where the hashes
// differ. If phc is malformed or its parameters exceed the limits, Verify returns an error, which has no part of phc.
func Verify(phc, password string) (bool, error) {
	c, salt, key, err := parse(phc)
	if err != nil {
		return false, err
	}
	return subtle.ConstantTimeCompare(key, c.key(password, salt, uint32(len(key)))) == 1, nil
}

// Check returns nil if phc is a hash of the password, and wrong if it is not. Its other error is Verify's.
func Check(phc, password string, wrong error) error {
	match, err := Verify(phc, password)
	if err == nil && !match {
		err = wrong
	}
	return err
}

// Outdated reports whether phc has a lower cost, a shorter salt or a shorter hash than Hash gives today. A caller that
// has just verified the password should then replace phc by a new hash. Outdated returns false for a malformed phc.
func Outdated(phc string) bool {
	c, salt, key, err := parse(phc)
	return err == nil && (c.work() < current.work() || len(salt) < saltBytes || len(key) < keyBytes)
}

// work returns the work of an attacker for one guess: the memory in KiB times the passes over it. All parameters that
// OWASP recommends have about the same work.
func (c cost) work() uint64 { return uint64(c.memory) * uint64(c.time) }

// VerifyUnknown takes as long as Verify does with a new hash. A caller that has no hash calls it, so that the time of
// the answer does not reveal whether an account exists.
func VerifyUnknown(password string) { _, _ = Verify(nobodys, password) }

// nobodys has the form and the cost of a new hash.
var nobodys = format(current, make([]byte, saltBytes), make([]byte, keyBytes))

func (c cost) key(password string, salt []byte, length uint32) []byte {
	return argon2.IDKey([]byte(password), salt, c.time, c.memory, c.threads, length)
}

func format(c cost, salt, key []byte) string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, c.memory, c.time, c.threads,
		encoding.EncodeToString(salt), encoding.EncodeToString(key))
}

// parse reads $argon2id$v=19$m=<KiB>,t=<passes>,p=<threads>$<salt>$<hash>. It returns errMalformed unless the text is
// exactly as format writes it.
func parse(phc string) (c cost, salt, key []byte, err error) {
	fields := strings.Split(phc, "$")
	if len(fields) != 6 || fields[0] != "" || fields[1] != "argon2id" || fields[2] != "v="+strconv.Itoa(argon2.Version) {
		return cost{}, nil, nil, errMalformed
	}
	parameters := strings.Split(fields[3], ",")
	if len(parameters) != 3 {
		return cost{}, nil, nil, errMalformed
	}
	memory, memoryErr := parameter(parameters[0], "m=", maxMemory)
	time, timeErr := parameter(parameters[1], "t=", maxTime)
	threads, threadsErr := parameter(parameters[2], "p=", maxThreads)
	salt, saltErr := decode(fields[4], minSaltBytes, maxSaltBytes)
	key, keyErr := decode(fields[5], minHashBytes, maxHashBytes)
	if err := errors.Join(memoryErr, timeErr, threadsErr, saltErr, keyErr); err != nil {
		return cost{}, nil, nil, errMalformed
	}
	c = cost{memory: memory, time: time, threads: uint8(threads)}
	if format(c, salt, key) != phc { // leading zeros, and line breaks, which base64 decoding skips
		return cost{}, nil, nil, errMalformed
	}
	return c, salt, key, nil
}

func parameter(field, name string, most uint32) (uint32, error) {
	digits, found := strings.CutPrefix(field, name)
	value, err := strconv.ParseUint(digits, 10, 32)
	if !found || err != nil || value < 1 || uint32(value) > most {
		return 0, errMalformed
	}
	return uint32(value), nil
}

func decode(field string, least, most int) ([]byte, error) {
	decoded, err := encoding.DecodeString(field)
	if err != nil || len(decoded) < least || len(decoded) > most {
		return nil, errMalformed
	}
	return decoded, nil
}
