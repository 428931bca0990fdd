package run

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"wb/internal/lazyregexp"
	"wb/sandbox"
	"wb/workbook/plan"
)

// profileSizes are the limits of each profile; a name that is not here is
// compute.
var profileSizes = map[string]sandbox.Limits{
	"compute": {Memory: 64 << 20, Timeout: 5 * time.Second},
	"minimal": {Memory: 64 << 20, Timeout: 5 * time.Second},
	"network": {Memory: 128 << 20, Timeout: 30 * time.Second},
	"posix":   {Memory: 256 << 20, Timeout: 60 * time.Second},
}

// ProfileLimits are the limits of a profile. Fuel grows with time, so that it
// and not the clock ends what runs too long.
func ProfileLimits(profile string) sandbox.Limits {
	l, ok := profileSizes[profile]
	if !ok {
		l = profileSizes["compute"]
	}
	l.Fuel = sandbox.DefaultLimits.Fuel * int64(l.Timeout/sandbox.DefaultLimits.Timeout)
	l.Output, l.Files = sandbox.DefaultLimits.Output, sandbox.DefaultLimits.Files
	return l
}

// limitKinds are the limits that a block can ask for in its header arguments and a
// user can raise with --limits, in the order in which they are shown.
var limitKinds = []struct {
	name  string
	parse func(string) (int64, error)
	show  func(int64) string
	field func(*sandbox.Limits) *int64
}{
	{"timeout", parseTimeout, showTime, func(l *sandbox.Limits) *int64 { return (*int64)(&l.Timeout) }},
	{"memory", parseBytes, showBytes, func(l *sandbox.Limits) *int64 { return &l.Memory }},
	{"fuel", parseCount, showCount, func(l *sandbox.Limits) *int64 { return &l.Fuel }},
	{"output", parseBytes, showBytes, func(l *sandbox.Limits) *int64 { return &l.Output }},
}

func showTime(n int64) string { return time.Duration(n).String() }

// showCount writes 5000000000 as 5e9.
func showCount(n int64) string {
	text := strconv.FormatFloat(float64(n), 'g', 4, 64)
	return strings.NewReplacer("e+0", "e", "e+", "e").Replace(text)
}

func showBytes(n int64) string {
	switch {
	case n >= 1<<20:
		return strings.TrimSuffix(strconv.FormatFloat(float64(n)/(1<<20), 'f', 1, 64), ".0") + " MiB"
	case n >= 1<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// LimitNames are the limits that ParseLimits knows.
func LimitNames() []string {
	var names []string
	for _, k := range limitKinds {
		names = append(names, k.name)
	}
	return names
}

// ParseLimits reads timeout=60s,memory=512MiB,fuel=1e11,output=64MiB.
func ParseLimits(text string) (l sandbox.Limits, err error) {
	for _, part := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		name, size, said := strings.Cut(part, "=")
		at := slices.Index(LimitNames(), name)
		if at < 0 || !said {
			return l, fmt.Errorf("%s: limits are %s", part, plan.JoinNames(LimitNames()))
		}
		if *limitKinds[at].field(&l), err = limitKinds[at].parse(size); err != nil {
			return l, fmt.Errorf("%s: %w", part, err)
		}
	}
	return l, nil
}

// AskedLimit is a limit that a block asks for, and what it gets.
type AskedLimit struct {
	Name    string `json:"name"`
	Text    string `json:"asked"` // as the block has it
	Got     string `json:"got"`
	Refused bool   `json:"refused,omitempty"` // it is more than the user allows
}

// settleLimits obeys :timeout, :memory, :fuel and :output as far as the user allows. Less
// is always granted.
func settleLimits(l *sandbox.Limits, args argSet, ceiling sandbox.Limits) ([]AskedLimit, error) {
	var asked []AskedLimit
	for _, k := range limitKinds {
		text, ok, err := args.text(":" + k.name)
		if err != nil || !ok {
			continue
		}
		want, err := k.parse(text)
		if err != nil {
			return nil, fmt.Errorf(":%s: %w", k.name, err)
		}
		now := k.field(l)
		most := max(*now, *k.field(&ceiling))
		*now = min(want, most)
		asked = append(asked, AskedLimit{k.name, text, k.show(*now), want > most})
	}
	return asked, nil
}

// parseTimeout reads 30s, 2m or a number of seconds.
func parseTimeout(text string) (int64, error) {
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds > 0 {
		return int64(seconds * float64(time.Second)), nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("%s is not a time: write 30s or 5m", text)
	}
	return int64(d), nil
}

var byteCount = lazyregexp.New(`^([0-9]+(?:\.[0-9]+)?)\s*([kKmMgG]?)(i?[bB])?$`)

// parseBytes reads 128MiB, 64 MB, 1G or a number of bytes; units are binary.
func parseBytes(text string) (int64, error) {
	m := byteCount.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return 0, fmt.Errorf("%s is not a size: write 512MiB or 2GiB", text)
	}
	n, err := strconv.ParseFloat(m[1], 64)
	shift := map[string]int{"": 0, "k": 10, "m": 20, "g": 30}[strings.ToLower(m[2])]
	return int64(n * float64(int64(1)<<shift)), err
}

// parseCount reads 5000000 or 5e9.
func parseCount(text string) (int64, error) {
	n, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
	if err != nil || n <= 0 || n > 1e18 {
		return 0, fmt.Errorf("%s is not a number: write 5e9", text)
	}
	return int64(n), nil
}

// profileOf is the profile a component runs under: what the user chose. The
// document's own :profile only asks.
func (r binder) profileOf(*plan.Component) string {
	if _, ok := profileSizes[r.opts.Profile]; ok {
		return r.opts.Profile
	}
	return "compute"
}
