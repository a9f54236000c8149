package boot

import (
	"runtime"
	"runtime/debug"
	"strconv"
)

const (
	// MemoryOfAProcessor is the memory, in MB, of a function that Lambda gives a whole processor; others have one in
	// proportion, though they see two: "At 1,769 MB, a function has the equivalent of one vCPU"
	// (docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html).
	MemoryOfAProcessor = 1769
	// garbagePercent lets garbage grow to four times what is in use, 16 MB at least, before it is collected: a function
	// uses a few megabytes of the 256 that it pays for.
	garbagePercent = 400
	// memoryPercent is how much of the function's memory Go may take. Near that, garbage is collected as often as it
	// takes.
	memoryPercent = 75
)

// fitRuntime fits Go's runtime to what Lambda gives the function: no more threads that run at once than it has
// processors, since one that looks for work on another processor takes its time from the same share; and its memory,
// in place of the processor's time for collecting garbage. Where nobody says how much memory there is, Go's own
// settings stay.
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
