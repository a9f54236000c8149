package boot

import (
	"runtime"
	"runtime/debug"
	"strconv"
)

const (
	// MemoryOfAProcessor is the memory in MB with which a Lambda function gets the time of one processor. A function
	// with less memory gets a proportional share, although it can use two processors: "At 1,769 MB, a function has the
	// equivalent of one vCPU" (docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html).
	MemoryOfAProcessor = 1769
	// garbagePercent lets garbage grow to four times the memory in use, and the heap to at least 16 MB, before Go
	// collects it. A small function uses far less than its 256 MB.
	garbagePercent = 400
	// memoryPercent is the share of the function's memory that Go should use at most. Near this limit, Go collects
	// garbage more often.
	memoryPercent = 75
)

// fitRuntime adjusts Go's runtime to the function's memory and processors. At once, Go runs at most as many threads as
// the function has processors, rounded up, because a thread that looks for work takes time from the others. Go collects
// garbage seldom, to save processor time. If Lambda has not set the memory size, fitRuntime changes nothing.
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
