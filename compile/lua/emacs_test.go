package lua

import (
	"flag"
	"testing"

	"wb/internal/test/lanetest"
	"wb/internal/value"
)

var update = flag.Bool("update", false, "ask Emacs and lua on this machine what testdata says anew")

// TestBabelLikeEmacs compares values with what ob-lua of Org 9.8 and PUC-Rio's
// lua made of the same bodies. -update asks the Emacs on this machine.
func TestBabelLikeEmacs(t *testing.T) {
	l := testLane(t)
	lanetest.LikeEmacs(t, *update, func(line string, want value.Value) {
		out, err := lanetest.Execute(t, l, lanetest.BabelBlock(t, "lua", line), nil)
		if complaint := lanetest.Complaint(out, err); complaint != "" {
			t.Errorf("%s: %s", line, complaint)
		} else if !value.Equal(out.Value, want) {
			t.Errorf("%s: got %s, Emacs has %s", line, out.Value, want)
		}
	})
}
