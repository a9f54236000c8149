package store_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ranch-game/ranch/localstack/kit/storetest"
	"github.com/ranch-game/ranch/shared/game"
	"github.com/ranch-game/ranch/shared/store"
)

// published returns the keys of a version of a secret with one key.
func published(secret string, written game.Instant, kid string) store.PublicKeys {
	return store.PublicKeys{Secret: secret, Written: written, Keys: map[string]string{kid: "of " + kid}}
}

// A process with an older version of the secret changes nothing; a process with another secret does.
func TestTheLatestKeysArePublished(t *testing.T) {
	t.Parallel()
	f := bareFair(t)
	for _, step := range []struct {
		publish store.PublicKeys
		want    string
	}{
		{published("ours", 1_000, "k1"), "k1"},
		{published("ours", 2_000, "k2"), "k2"},
		{published("ours", 1_999, "k1"), "k2"}, // late
		{published("ours", 2_000, "k3"), "k3"},
		{published("another", 1, "k4"), "k4"}, // a table that was restored for another secret
		{published("ours", 2_000, "k3"), "k3"},
	} {
		checkError(t, f.PublishKeys(t.Context(), step.publish), nil)
		got := must(f.PublicKeys(t.Context()))(t)
		storetest.Equal(t, "published", got, map[string]string{step.want: "of " + step.want})
	}
}

// Publishing survives faults, because it is idempotent.
func TestPublishingSurvivesFaults(t *testing.T) {
	t.Parallel()
	f := bareFair(t)
	f.Wire.Next("PutItem", storetest.Throttle, storetest.Unavailable, storetest.LoseAnswer, storetest.Refuse)
	checkError(t, f.PublishKeys(t.Context(), published("ours", 1_000, "k1")), nil)
	f.CheckFaults(t)
	keys, err := f.PublicKeys(t.Context())
	assert.True(t, keys["k1"] != "" && err == nil, "%v, %v", keys, err)
	f.Wire.Cut()
	assert.Error(t, f.PublishKeys(soon(t), published("ours", 2_000, "k2")), "published without a table")
}
