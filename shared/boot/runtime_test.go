package boot

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"testing"
)

// runtimeSettings returns what Go's runtime goes by: processors, the percentage of garbage, and the limit of memory in
// bytes.
func runtimeSettings() string {
	percent := debug.SetGCPercent(100)
	debug.SetGCPercent(percent)
	return fmt.Sprint(runtime.GOMAXPROCS(0), " ", percent, " ", debug.SetMemoryLimit(-1))
}

func TestFitRuntime(t *testing.T) {
	processors, percent, limit := runtime.GOMAXPROCS(4), debug.SetGCPercent(100), debug.SetMemoryLimit(1<<40)
	defer func() {
		runtime.GOMAXPROCS(processors)
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}()
	for _, c := range []struct{ memory, want string }{
		{"", "4 100 1099511627776"}, // not on Lambda
		{"much", "4 100 1099511627776"},
		{"0", "4 100 1099511627776"},
		{"-1", "4 100 1099511627776"},
		{"256", "1 400 201326550"},
		{"1769", "1 400 1391198175"},
		{"1770", "2 400 1391984625"},
		{"2048", "2 400 1610612700"},
		{"10240", "4 400 8053063650"}, // no more than there are
	} {
		runtime.GOMAXPROCS(4)
		debug.SetGCPercent(100)
		debug.SetMemoryLimit(1 << 40)
		variables{"AWS_LAMBDA_FUNCTION_MEMORY_SIZE": c.memory}.environment().fitRuntime()
		if got := runtimeSettings(); got != c.want {
			t.Errorf("with %q MB: %s, want %s", c.memory, got, c.want)
		}
	}
}
