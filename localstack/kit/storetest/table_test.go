package storetest

import (
	"runtime"
	"strings"
	"testing"
)

// fatal records the message that ends a test, and ends only the goroutine.
type fatal struct {
	testing.TB
	text string
}

func (f *fatal) Fatal(args ...any) {
	f.text, _ = args[0].(string)
	runtime.Goexit()
}

// Not parallel: for a moment, no test has an engine.
func TestATableWithoutMainSaysSo(t *testing.T) {
	engine := local
	local = nil
	defer func() { local = engine }()
	f, done := &fatal{TB: t}, make(chan struct{})
	go func() {
		defer close(done)
		newTable(f)
	}()
	<-done
	if !strings.Contains(f.text, "storetest.Main(m)") {
		t.Errorf("it ends with %q", f.text)
	}
}
