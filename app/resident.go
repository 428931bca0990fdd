package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"wb/compile"
	"wb/compile/place/resident"
)

// Resident is what builds programs with compilers that stay loaded between commands,
// nil where the user or the system does without.
func Resident() compile.Builder {
	config, err := residentConfig()
	if err != nil {
		return nil
	}
	return resident.NewClient(config)
}

func residentConfig() (resident.Config, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return resident.Config{}, err
	}
	return resident.FromEnvironment(filepath.Join(cache, "wb"))
}

// checkResident tells whether compilers are kept loaded, and how.
func checkResident(ctx context.Context) Checkup {
	check := Checkup{Name: "resident", OK: true}
	config, err := residentConfig()
	if err != nil {
		check.Detail = "off: " + err.Error()
		return check
	}
	s, err := resident.NewClient(config).Status(ctx)
	switch {
	case errors.Is(err, resident.ErrNone):
		check.Detail = "none runs; the next compiler starts one, which ends after " + config.WithDefaults().Idle.String() + " without work"
	case err != nil:
		check.OK, check.Detail = false, err.Error()
		check.Fix = "WB_RESIDENT=off does without"
	default:
		check.Detail = fmt.Sprintf("process %d, up %v, %d MiB of %d, built %d; loaded: %s", s.PID, s.Up.Round(time.Second), s.Memory>>20, s.Limit>>20, s.Served, strings.Join(s.Loaded, ", "))
		if len(s.Notes) > 0 {
			check.Detail += "; but: " + strings.Join(s.Notes, "; ")
		}
	}
	return check
}

// endResident ends the process that keeps compilers loaded, if there is one.
func endResident(ctx context.Context) error {
	config, err := residentConfig()
	if off := (*resident.OffError)(nil); errors.As(err, &off) { // one may run that was started before
		err = nil
	}
	if err == nil {
		err = resident.NewClient(config).End(ctx)
	}
	if errors.Is(err, resident.ErrNone) {
		return nil
	}
	return err
}
