package plan

import (
	"fmt"
	"slices"

	"wb/internal/diag"
)

// CheckUpgrade compares the outside of two versions of a workbook: what was
// there and is gone breaks its users, what it newly asks for they should know.
// Bodies may change freely, and so may anything that only grows.
func CheckUpgrade(old, new *Plan) []diag.Finding {
	u := &upgrade{file: new.File}
	u.worlds(allWorlds(old.Worlds), allWorlds(new.Worlds))
	u.exports(exportNames(old), exportNames(new))
	u.components(old, new)
	u.capabilities(old, new)
	return u.found
}

type upgrade struct {
	file  string
	found []diag.Finding
}

func (u *upgrade) report(pos diag.Position, severity diag.Severity, code, format string, args ...any) {
	if pos.Line == 0 {
		pos = diag.Position{File: u.file, Line: 1, Col: 1}
	}
	u.found = append(u.found, diag.Finding{Pos: pos, Severity: severity, Code: code, Message: fmt.Sprintf(format, args...)})
}

func allWorlds(worlds []*World) []*World {
	var all []*World
	for _, w := range worlds {
		all = append(append(all, w), allWorlds(w.Worlds)...)
	}
	return all
}

func (u *upgrade) worlds(old, new []*World) {
	for _, w := range old {
		if !slices.ContainsFunc(new, func(n *World) bool { return n.Name == w.Name }) {
			u.report(diag.Position{}, diag.Error, "workflow-removed", "workflow %s removed (breaking)", w.Name)
		}
	}
}

func exportNames(p *Plan) []string {
	var names []string
	for _, e := range p.Exports {
		names = append(names, e.Port)
	}
	return names
}

func (u *upgrade) exports(old, new []string) {
	for _, name := range old {
		if name != "" && !slices.Contains(new, name) {
			u.report(diag.Position{}, diag.Error, "export-removed", "export %s removed (breaking)", name)
		}
	}
}

// components compares the types of components that both versions have.
func (u *upgrade) components(old, new *Plan) {
	for _, c := range old.Components {
		after := new.Component(c.ID)
		if after == nil || c.Sig == nil {
			continue
		}
		before, now := fmt.Sprint(c.Sig.Results), "nothing"
		if after.Sig != nil {
			now = fmt.Sprint(after.Sig.Results)
		}
		if before != now {
			u.report(after.Pos, diag.Error, "output-type-changed", "component %s output type changed (breaking): %s was %s", c.ID, now, before)
		}
	}
}

func (u *upgrade) capabilities(old, new *Plan) {
	had := map[string]bool{}
	for _, c := range old.Components {
		for _, use := range c.Uses {
			had[Capability(use)] = true
		}
	}
	for _, c := range new.Components {
		for _, use := range c.Uses {
			if name := Capability(use); !had[name] {
				had[name] = true
				u.report(c.Pos, diag.Warning, "capability-added", "new capability %s now required", name)
			}
		}
	}
}
