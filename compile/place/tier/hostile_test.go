//go:build unix

package tier_test

import (
	"context"
	"testing"

	"wb/compile"
	"wb/compile/place/tier"
	"wb/internal/test/hostile"
	"wb/sandbox/dock"
)

// TestHostile tries every hostile call of the dock from a process of its own: its
// calls come back to the dock of the caller, which refuses the same.
func TestHostile(t *testing.T) { tryHostile(t, nil) }

func tryHostile(t *testing.T, change func(*tier.Config)) {
	_, runner := open(t, change)
	hostile.Run(t, func(t testing.TB, d *dock.Dock) hostile.Guest {
		return func(ctx context.Context, frame []byte) []byte {
			reply, err := do(ctx, runner, "ask", compile.Job{Dock: d, Stdin: frame})
			if err != nil {
				t.Fatal(err)
			}
			return []byte(reply)
		}
	})
}
