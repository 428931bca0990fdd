package spawn_test

import (
	"io"
	"os/exec"
	"sync"
	"testing"

	"wb/compile/place/fabric/spawn"
)

// A worker that dies again and again is replaced five times; then it is known
// that none is left.
func TestGone(t *testing.T) {
	program, err := exec.LookPath("false")
	if err != nil {
		t.Skip("no program here that fails: ", err)
	}
	var mu sync.Mutex
	deaths, last := map[string]int{}, map[string]bool{}
	workers, err := spawn.Start(t.Context(), spawn.Config{Program: program, Workers: 2, Stderr: io.Discard, Died: func(name string, err error, again bool) {
		mu.Lock()
		defer mu.Unlock()
		if last[name] {
			t.Errorf("%s died after it was given up", name)
		}
		deaths[name]++
		last[name] = !again
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(workers.Close)
	<-workers.Gone()
	if len(deaths) != 2 || deaths["worker-1"] != 6 || deaths["worker-2"] != 6 {
		t.Errorf("deaths: %v", deaths)
	}
}
