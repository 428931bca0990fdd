package workbook

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"wb/internal/diag"
	"wb/internal/lazyregexp"
	"wb/sandbox"
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

// profileOf is the profile a component runs under: what the user chose. The
// document's own :profile only asks.
func (r *runner) profileOf(*Component) string {
	if _, ok := profileSizes[r.opts.Profile]; ok {
		return r.opts.Profile
	}
	return "compute"
}

// granted reports whether the user granted a capability, by name alone or
// narrowed (net:api.example.com grants net to that host).
func (r *runner) granted(capability string) bool {
	if slices.Contains(profiles[r.profileOf(nil)], capability) {
		return true
	}
	return slices.ContainsFunc(r.opts.Grants, func(g string) bool { return Capability(g) == capability })
}

// unserved are capabilities that can be granted but that nothing in a workbook
// run performs yet.
func (r *runner) unserved(capability string) bool {
	switch capability {
	case "clock", "random":
		return false
	case "vfs":
		return false // a component always has files of its own
	}
	return r.opts.Docks == nil || !docked(capability)
}

// grant settles what a program may do and use: the profile's limits, more or
// less where the block asks and the user allows, and the capabilities that are
// both asked for and granted.
func (r *runner) grant(p *program) error {
	p.profile = r.profileOf(p.owner)
	if asked := p.args.Value(":profile"); asked != "" && asked != p.profile {
		p.note(diag.Warning, "not-granted", "wb run --profile "+asked, "%s asks for profile %s and runs with %s", p.owner.ID, asked, p.profile)
	}
	p.job.Limits = ProfileLimits(p.profile)
	if err := r.askLimits(p); err != nil {
		return err
	}
	for _, use := range p.code.Uses {
		name := Capability(use)
		switch {
		case !r.granted(name):
			p.note(diag.Warning, "not-granted", "wb run --grant "+name, "%s asks for %s, which is not granted", p.owner.ID, name)
			continue
		case r.unserved(name):
			p.note(diag.Warning, "not-served", "", "%s is granted %s, but no part of this program serves it yet", p.owner.ID, name)
			continue
		case slices.Contains(p.caps, name):
			continue
		}
		p.caps = append(p.caps, name)
		switch name {
		case "clock":
			p.job.Caps.Clock = true
			p.volatile = "it sees the clock"
		case "random":
			p.job.Caps.Random = true
			p.volatile = "it sees random numbers"
		default:
			if docked(name) && r.opts.Docks != nil {
				p.volatile = "it uses " + name
			}
		}
	}
	slices.Sort(p.caps)
	return nil
}

// note adds a diagnostic that does not stop the program.
func (p *program) note(severity diag.Severity, code, hint, format string, args ...any) {
	p.warnings = append(p.warnings, diag.Finding{Pos: p.owner.Pos, Severity: severity, Code: code,
		Message: fmt.Sprintf(format, args...), Hint: hint})
}

// askLimits obeys :timeout, :memory and :fuel as far as the user allows. Less
// is always granted.
func (r *runner) askLimits(p *program) error {
	l := &p.job.Limits
	ceiling := r.opts.Limits
	for _, ask := range []struct {
		key   string
		parse func(string) (int64, error)
		limit *int64
		most  int64
		show  func(int64) string
	}{
		{":timeout", parseTimeout, (*int64)(&l.Timeout), int64(ceiling.Timeout), func(n int64) string { return time.Duration(n).String() }},
		{":memory", parseBytes, &l.Memory, ceiling.Memory, func(n int64) string { return fmt.Sprintf("%d MiB", n>>20) }},
		{":fuel", parseCount, &l.Fuel, ceiling.Fuel, func(n int64) string { return strconv.FormatInt(n, 10) }},
	} {
		text, ok, err := p.args.text(ask.key)
		if err != nil || !ok {
			continue
		}
		want, err := ask.parse(text)
		if err != nil {
			return diag.Errorf(p.owner.Pos, "%s %s: %v", ask.key, text, err)
		}
		most := max(*ask.limit, ask.most)
		if want > most {
			name := ask.key[1:]
			p.note(diag.Warning, "not-granted", fmt.Sprintf("wb run --limits %s=%s", name, text),
				"%s asks for %s %s and gets %s", p.owner.ID, ask.key, text, ask.show(most))
			want = most
		}
		*ask.limit = want
	}
	return nil
}

// parseTimeout reads 30s, 2m or a number of seconds.
func parseTimeout(text string) (int64, error) {
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds > 0 {
		return int64(seconds * float64(time.Second)), nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("not a duration such as 30s")
	}
	return int64(d), nil
}

var byteCount = lazyregexp.New(`^([0-9]+(?:\.[0-9]+)?)\s*([kKmMgG]?)(i?[bB])?$`)

// parseBytes reads 128MiB, 64 MB, 1G or a number of bytes; units are binary.
func parseBytes(text string) (int64, error) {
	m := byteCount.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return 0, fmt.Errorf("not a size such as 128MiB")
	}
	n, err := strconv.ParseFloat(m[1], 64)
	shift := map[string]int{"": 0, "k": 10, "m": 20, "g": 30}[strings.ToLower(m[2])]
	return int64(n * float64(int64(1)<<shift)), err
}

// parseCount reads 5000000 or 5e9.
func parseCount(text string) (int64, error) {
	n, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
	if err != nil || n <= 0 || n > 1e18 {
		return 0, fmt.Errorf("not a number such as 5e9")
	}
	return int64(n), nil
}
