package resident

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// Variable is the environment variable that says whether there is a resident:
// off, on, or how long it stays when nobody asks, such as 30s.
const Variable = "WB_RESIDENT"

// Config says which resident is meant, and what holds one that is started.
type Config struct {
	// Cache is the "wb" directory of the user's caches.
	Cache string
	// Idle is how long it stays when nobody asks; 0 is ten minutes.
	Idle time.Duration
	// Memory is what it may need, in bytes; 0 is three GiB.
	Memory int64
}

// WithDefaults is the config with what is meant by 0.
func (c Config) WithDefaults() Config {
	if c.Idle == 0 {
		c.Idle = 10 * time.Minute
	}
	if c.Memory == 0 {
		c.Memory = 3 << 30
	}
	return c
}

// OffError says why there is no resident.
type OffError struct{ Reason string }

func (e *OffError) Error() string { return e.Reason }

// FromEnvironment is what the user wants, or an [OffError]. Where nothing is said
// there is a resident, but not where machines test: with CI set, and in tests.
func FromEnvironment(cache string) (Config, error) {
	config := Config{Cache: cache}
	if err := Supported(); err != nil {
		return config, err
	}
	switch wish := os.Getenv(Variable); strings.ToLower(wish) {
	case "off", "no", "0", "false":
		return config, &OffError{Variable + "=" + wish}
	case "on", "yes", "1", "true":
	case "":
		if os.Getenv("CI") != "" {
			return config, &OffError{"CI is set"}
		}
		if testing.Testing() {
			return config, &OffError{"this is a test"}
		}
	default:
		idle, err := time.ParseDuration(wish)
		if err != nil || idle <= 0 {
			return config, &OffError{fmt.Sprintf("%s=%s is neither on, off nor a time such as 10m", Variable, wish)}
		}
		config.Idle = idle
	}
	return config, nil
}

// ErrNone says that no resident runs.
var ErrNone = errors.New("none runs")
