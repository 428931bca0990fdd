package sandbox

import (
	"context"
	"fmt"
	"math"
	"os"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
)

// kernels are the programs that metering is measured on, with an argument that
// makes each run some tens of milliseconds.
var kernels = []struct {
	name string
	n    uint64
}{
	{"fib", 30},
	{"interp", 1_000_000},
	{"matmul", 200},
	{"nbody", 100_000},
	{"sieve", 4_000_000},
	{"sort", 200_000},
	{"xorshift", 10_000_000},
}

// BenchmarkMetering runs each kernel plain and metered by turns and reports
// the ratio of the fastest times, which is what fuel costs.
func BenchmarkMetering(b *testing.B) {
	ctx := context.Background()
	e := testEngine(b)
	plain := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigCompiler())
	defer plain.Close(ctx)
	product, count := 1.0, 0.0
	for _, k := range kernels {
		b.Run(k.name, func(b *testing.B) {
			wasm, err := os.ReadFile(fmt.Sprintf("testdata/bench/%s.wasm", k.name))
			if err != nil {
				b.Fatal(err)
			}
			m, err := plain.InstantiateWithConfig(ctx, wasm, wazero.NewModuleConfig().WithName(""))
			if err != nil {
				b.Fatal(err)
			}
			defer m.Close(ctx)
			run := m.ExportedFunction("run")
			module, err := e.Compile(ctx, k.name, wasm)
			if err != nil {
				b.Fatal(err)
			}
			in, err := e.Start(ctx, Command{Module: module, Limits: Limits{Fuel: -1, Timeout: -1}})
			if err != nil {
				b.Fatal(err)
			}
			defer in.Close(ctx)

			best := [2]time.Duration{math.MaxInt64, math.MaxInt64}
			for b.Loop() {
				start := time.Now()
				want, err1 := run.Call(ctx, k.n)
				middle := time.Now()
				got, err2 := in.Call(ctx, "run", k.n)
				end := time.Now()
				if err1 != nil || err2 != nil || want[0] != got[0] {
					b.Fatalf("plain %v %v, metered %v %v", want, err1, got, err2)
				}
				best[0] = min(best[0], middle.Sub(start))
				best[1] = min(best[1], end.Sub(middle))
			}
			ratio := float64(best[1]) / float64(best[0])
			product, count = product*ratio, count+1
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(best[0])/1e6, "plain-ms")
			b.ReportMetric(float64(best[1])/1e6, "metered-ms")
			b.ReportMetric(ratio, "ratio")
		})
	}
	b.Run("geomean", func(b *testing.B) {
		for b.Loop() {
		}
		b.ReportMetric(0, "ns/op")
		b.ReportMetric(math.Pow(product, 1/count), "ratio")
	})
}
