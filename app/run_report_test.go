package app

import (
	"errors"
	"testing"

	"wb/compile/toolchain"
	"wb/internal/diag"
	"wb/workbook"
)

// A run ends with 3 when all that went wrong is a toolchain that cannot be had.
func TestFailedCode(t *testing.T) {
	missing := workbook.Done{Status: workbook.StatusFailed, Err: &toolchain.UnavailableError{Tool: "quickjs", Err: errors.New("no network")}}
	wrong := workbook.Done{Status: workbook.StatusFailed, Err: errors.New("a mistake")}
	fine := workbook.Done{Status: workbook.StatusOK}
	for _, c := range []struct {
		all  []workbook.Done
		want int
	}{{[]workbook.Done{fine, missing}, diag.ExitUnavailable}, {[]workbook.Done{missing, wrong}, diag.ExitFailed}, {[]workbook.Done{wrong}, diag.ExitFailed}} {
		if got := failedCode(&workbook.Report{Components: c.all}); got != c.want {
			t.Errorf("%d, want %d", got, c.want)
		}
	}
}
