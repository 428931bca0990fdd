package main

import (
	"fmt"
	"strings"
	"testing"
)

// keepArgs keep the agent of the scripted runs; what its schedule says never comes.
func keepArgs(when string) []string {
	return []string{"agent", "keep", "team.org#waldo", when, "--exec", "--grant", "kv", "--grant", "queue"}
}

// A keeper that is killed with SIGKILL in a wake leaves it to the next, which brings
// it to the same end: every effect once, and no wake twice.
func TestKillKeeper(t *testing.T) {
	wb := crashable(t)
	for seed := range keptRuns {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			keep := func(c *crashBench, when string) string {
				t.Helper()
				command, out, stderr := c.command(keepArgs(when)...)
				if err := command.Run(); err != nil {
					t.Fatalf("%v\n%s%s", err, stderr, out)
				}
				return out.String()
			}
			whole := newCrashBench(t, wb, seed)
			end := fmt.Sprintf("done run %d is done\n", seed)
			if got := keep(whole, "--now"); !strings.HasSuffix(got, end) {
				t.Fatalf("woke: %q", got)
			}
			_, length := whole.journal()
			did := whole.did()
			for n := 1; n <= length; n += keptStride {
				c := newCrashBench(t, wb, seed)
				if _, _, ok := c.killed(n, keepArgs("--now")...); !ok {
					continue
				}
				// A run that ended just before its keeper died is known by its status.
				if got := keep(c, "--once"); !strings.HasSuffix(got, end) && !strings.HasSuffix(got, " done\n") && got != "" {
					t.Errorf("killed after %d entries the next keeper said %q", n, got)
				}
				if got := keep(c, "--once"); got != "" {
					t.Errorf("killed after %d entries the wake was there twice: %q", n, got)
				}
				if got := c.did(); got != did {
					t.Errorf("killed after %d entries it did\n%swant\n%s", n, got, did)
				}
			}
		})
	}
}
