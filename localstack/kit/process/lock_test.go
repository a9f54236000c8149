package process

import (
	"os/exec"
	"testing"
)

// What is unlocked can be locked again at once, also while other processes are being started.
func TestUnlockedIsFree(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	started := make(chan error)
	go func() {
		var err error
		for i := 0; i < 100 && err == nil; i++ {
			err = exec.Command("true").Run()
		}
		started <- err
	}()
	for {
		unlock, err := TryLock(folder)
		if err != nil || unlock == nil {
			t.Fatalf("is still locked, %v", err)
		}
		unlock()
		select {
		case err := <-started:
			if err != nil {
				t.Fatal(err)
			}
			return
		default:
		}
	}
}
