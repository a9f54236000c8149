package gateway

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ranch-game/ranch/localstack/kit/process/processtest"
)

// TestReload replaces a program as `go build` does. The next request gets the new program. A busy process finishes its
// request, and the processes of the old program end. If a build changes nothing, the processes go on.
func TestReload(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bootstrap")
	require.NoError(t, build(path, "first"))
	barrier := newBarrier(t)
	s := serveOne(t, func(_ *Config, f *FunctionConfig) { f.Binary = path })
	one, other := s.doing("wait", barrier.url), s.doing("wait", barrier.url)
	barrier.wait(t, 2)
	require.NoError(t, build(path, "second"))
	now := s.ask()
	assert.Equal(t, "second", now.Build)
	barrier.release()
	old := []instance{(<-one).instance(t), (<-other).instance(t)}
	require.NoError(t, build(path, "second"))
	assert.Equal(t, now.PID, s.ask().PID, "another process without a change")
	for _, i := range old {
		assert.Equal(t, "first", i.Build)
		processtest.Eventually(t, "the old process has ended", func() bool { return !processtest.Alive(i.PID) })
	}
	require.NoError(t, build(path, "third"))
	assert.Equal(t, "third", s.ask().Build)
	processtest.Eventually(t, "the idle process has ended", func() bool { return !processtest.Alive(now.PID) })
}
