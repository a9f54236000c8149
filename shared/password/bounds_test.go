package password

import "testing"

// TestBoundsOfAStoredHash holds the largest values that a stored hash may have.
func TestBoundsOfAStoredHash(t *testing.T) {
	stored := func(memory uint32, salt, key int) string {
		return format(cost{memory: memory, time: 1, threads: 1}, make([]byte, salt), make([]byte, key))
	}
	for phc, good := range map[string]bool{
		stored(maxMemory, minSaltBytes, minHashBytes): true,
		stored(64, maxSaltBytes, minHashBytes):        true,
		stored(64, maxSaltBytes+1, minHashBytes):      false,
		stored(64, minSaltBytes, maxHashBytes):        true,
		stored(64, minSaltBytes, maxHashBytes+1):      false,
	} {
		if _, _, _, err := parse(phc); (err == nil) != good {
			t.Errorf("%s: %v", phc, err)
		}
	}
}
