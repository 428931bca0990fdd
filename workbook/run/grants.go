package run

import (
	"fmt"
	"slices"

	"wb/internal/diag"
	"wb/workbook/plan"
)

// granted reports whether the user granted a capability, by name alone or
// narrowed (net:api.example.com grants net to that host).
func (r binder) granted(capability string) bool {
	if slices.Contains(plan.ProfileCaps[r.profileOf(nil)], capability) {
		return true
	}
	return slices.ContainsFunc(r.opts.Grants, func(g string) bool { return plan.Capability(g) == capability })
}

// unserved are capabilities that can be granted but that nothing in a workbook
// run performs yet.
func (r binder) unserved(capability string) bool {
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
func (r binder) grant(p *program) error {
	p.profile = r.profileOf(p.owner)
	if asked := p.args.Value(":profile"); asked != "" && asked != p.profile {
		p.note(diag.Warning, "not-granted", "wb run --profile "+asked, "%s asks for profile %s and runs with %s", p.owner.ID, asked, p.profile)
	}
	p.job.Limits = ProfileLimits(p.profile)
	asked, err := settleLimits(&p.job.Limits, p.args, r.opts.Limits)
	if err != nil {
		return diag.Errorf(p.owner.Pos, "%v", err)
	}
	for _, a := range asked {
		if a.Refused {
			p.note(diag.Warning, "not-granted", fmt.Sprintf("wb run --limits %s=%s", a.Name, a.Text),
				"%s asks for :%s %s and gets %s", p.owner.ID, a.Name, a.Text, a.Got)
		}
	}
	for _, use := range p.code.Uses {
		name := plan.Capability(use)
		switch {
		case !r.granted(name):
			p.note(diag.Warning, "not-granted", "wb run --grant "+name, "%s asks for %s, which is not granted", p.owner.ID, name)
			continue
		case r.unserved(name):
			p.note(diag.Warning, "not-served", "", "%s is granted %s, which this program does not serve yet", p.owner.ID, name)
			continue
		case slices.Contains(p.caps, name):
			continue
		}
		p.caps = append(p.caps, name)
		switch name {
		case "clock":
			p.job.Caps.Clock = true
			p.volatile = "it reads the clock"
		case "random":
			p.job.Caps.Random = true
			p.volatile = "it reads random numbers"
		default:
			if docked(name) && r.opts.Docks != nil {
				p.volatile = "it uses " + name
			}
		}
	}
	slices.Sort(p.caps)
	return nil
}
