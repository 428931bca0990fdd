package broker

import (
	"testing"

	"wb/sandbox/dock"
)

// What was done under a key is not done again under it, and what was read is read
// again as it was.
func TestOnce(t *testing.T) {
	s := open(t)
	guest := func(who string) *dock.Dock {
		once := Once(s, who)
		return dock.New(dock.Config{Principal: dock.Principal{Tenant: "t", Project: "p", Name: "n"}, Granted: []string{"kv", "queue", "vfs"},
			Brokers: map[string]dock.Broker{"kv": once(KV(s)), "queue": once(Queue(s)), "vfs": once(VFS(s))}})
	}
	steps := []struct {
		operation string
		args      []string
	}{
		{"kv.get", []string{"n"}}, {"kv.put", []string{"n", "1"}}, {"kv.get", []string{"n"}}, {"queue.push", []string{"q", "a"}}, {"queue.push", []string{"q", "a"}},
		{"queue.length", []string{"q"}}, {"queue.pop", []string{"q"}}, {"queue.pop", []string{"none"}}, {"vfs.write", []string{"memory:x", "y"}}, {"vfs.read", []string{"memory:x"}},
	}
	var first []string
	for n := range len(steps) + 1 { // who dies after n operations is started again
		d := guest("run/1")
		for i, step := range steps[:n] {
			got := ask(t, d, step.operation, step.args...)
			if i == len(first) {
				first = append(first, got)
			}
			expect(t, got, first[i])
		}
	}
	other := guest("")
	expect(t, ask(t, other, "queue.length", "q"), "1") // of two that were pushed one was popped
	expect(t, ask(t, other, "kv.get", "n"), "1")
	d := guest("run/2") // another call is not this one
	expect(t, ask(t, d, "kv.get", "n"), "1")
	ask(t, d, "queue.push", "q", "a")
	expect(t, ask(t, other, "queue.length", "q"), "2")
}
