package oql

import (
	"testing"

	"wb/internal/test/cpu"
)

// reportCPU adds the processor time per operation to a benchmark, which says
// more than the time that passed on a machine that has other work.
func reportCPU(b *testing.B) func() {
	start := cpu.Own()
	return func() {
		b.ReportMetric(float64((cpu.Own()-start).Microseconds())/1000/float64(b.N), "cpu-ms/op")
	}
}
