package verify_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"wb/proof/jcs"
)

// doubles are numbers whose shortest decimal form is hard to find: around powers
// of two and ten, where precision changes, the smallest ones, and n with random
// bits, the same ones every time.
func doubles(n int) []float64 {
	out := []float64{0, math.SmallestNonzeroFloat64, math.MaxFloat64, 0.1, 0.2, 0.3, 1.0 / 3, 5e-324, 2.2250738585072014e-308, 9007199254740993}
	for e := -1074; e < 1024; e++ {
		at := math.Ldexp(1, e)
		out = append(out, math.Nextafter(at, 0), at, math.Nextafter(at, math.Inf(1)))
	}
	for e := -323; e <= 308; e++ {
		var at float64
		fmt.Sscanf(fmt.Sprintf("1e%d", e), "%g", &at)
		out = append(out, math.Nextafter(at, 0), at, math.Nextafter(at, math.Inf(1)), at/3, -at*7)
	}
	for i := range uint64(2000) { // the smallest normal numbers
		out = append(out, math.Float64frombits(0x0010000000000000+i))
	}
	block := make([]byte, 32)
	for len(out) < n {
		sum := sha256.Sum256(block)
		block = sum[:]
		for i := 0; i < 32; i += 8 {
			if f := math.Float64frombits(binary.LittleEndian.Uint64(block[i:])); !math.IsNaN(f) && !math.IsInf(f, 0) {
				out = append(out, f)
			}
		}
	}
	var finite []float64
	for _, f := range out {
		if !math.IsNaN(f) && !math.IsInf(f, 0) {
			finite = append(finite, f)
		}
	}
	return finite
}

// TestNumbersAsBrowsers writes numbers as ECMAScript does, which RFC 8785 asks
// for: as a JavaScript engine itself writes them.
func TestNumbersAsBrowsers(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not there: apt-get install nodejs")
	}
	all := doubles(60_000)
	var in bytes.Buffer
	for _, f := range all {
		fmt.Fprintf(&in, "%016x\n", math.Float64bits(f))
	}
	cmd := exec.Command(node, filepath.Join("testdata", "numbers.mjs"))
	cmd.Stdin = &in
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	wrong := 0
	for i := 0; lines.Scan(); i++ {
		got, err := jcs.Marshal(all[i])
		if err != nil || string(got) != lines.Text() {
			t.Errorf("%016x: %s %v, a browser writes %s", math.Float64bits(all[i]), got, err, lines.Text())
			if wrong++; wrong > 10 {
				t.Fatal("and more")
			}
		}
		all[i] = math.NaN() // seen
	}
	for _, f := range all {
		if !math.IsNaN(f) {
			t.Fatalf("%016x: the browser wrote nothing", math.Float64bits(f))
		}
	}
}
