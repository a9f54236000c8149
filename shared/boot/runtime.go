package boot

import (
	"runtime"
	"runtime/debug"
	"strconv"
)

const (
	// MemoryOfAProcessor is the memory, in MB, for which Lambda gives a function a whole processor. Other functions get
	// a share in proportion, although they see two processors: "At 1,769 MB, a function has the equivalent of one vCPU"
	// (docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html).
	MemoryOfAProcessor = 1769
	// garbagePercent lets garbage grow to four times the used memory, 16 MB at least, before it is collected: a
	// function uses a few megabytes of the 256 that it pays for.
	garbagePercent = 400
	// memoryPercent is the share of the function's memory that Go may use. Near that, garbage is collected as often as
	// necessary.
	memoryPercent = 75
)

// fitRuntime adjusts Go's runtime to the function's share. It runs no more threads at once than there are processors,
// because a thread that looks for work uses the same share. It uses the memory to save processor time for garbage
// collection. If the memory is unknown, Go's own settings stay.
func (env environment) fitRuntime() {
	memory, err := strconv.ParseInt(env("AWS_LAMBDA_FUNCTION_MEMORY_SIZE"), 10, 64) // in MB
	if err != nil || memory <= 0 {
		return
	}
	if processors := int((memory + MemoryOfAProcessor - 1) / MemoryOfAProcessor); processors < runtime.GOMAXPROCS(0) {
		runtime.GOMAXPROCS(processors)
	}
	debug.SetGCPercent(garbagePercent)
	debug.SetMemoryLimit(memory << 20 / 100 * memoryPercent)
}
