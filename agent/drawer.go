package agent

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"wb/internal/diag"
	"wb/internal/nearest"
)

// drawerProperty is a property of an agent's drawer.
type drawerProperty struct {
	key, text string
	pos       diag.Position
}

// list are the property's words, parted by blanks or commas.
func (p drawerProperty) list() []string { return strings.Fields(strings.ReplaceAll(p.text, ",", " ")) }

// drawer says what each property of a definition sets. Those that set nothing belong to
// other parts of wb, or to Org.
var drawer = map[string]func(r *definitionReader, d *Definition, p drawerProperty){
	"ID":                func(_ *definitionReader, d *Definition, p drawerProperty) { d.ID = p.text },
	"MODEL":             func(_ *definitionReader, d *Definition, p drawerProperty) { d.Model = p.text },
	"TAGLINE":           func(_ *definitionReader, d *Definition, p drawerProperty) { d.Tagline = p.text },
	"TOOLS":             func(_ *definitionReader, d *Definition, p drawerProperty) { d.Tools, d.ToolsPos = p.list(), p.pos },
	"TOOLKITS":          func(_ *definitionReader, d *Definition, p drawerProperty) { d.Toolkits = p.list() },
	"MCP":               func(_ *definitionReader, d *Definition, p drawerProperty) { d.MCP = p.list() },
	"ALLOW_HOSTS":       func(_ *definitionReader, d *Definition, p drawerProperty) { d.AllowHosts = p.list() },
	"CATALOG":           func(_ *definitionReader, d *Definition, p drawerProperty) { d.Catalog = p.text },
	"SCHEDULE":          func(_ *definitionReader, d *Definition, p drawerProperty) { d.Schedule = p.text },
	"GUARD":             func(_ *definitionReader, d *Definition, p drawerProperty) { d.Guard = p.text },
	"MAX_TOKENS":        func(r *definitionReader, d *Definition, p drawerProperty) { d.MaxTokens = int(r.number(p)) },
	"MAX_RETRIES":       func(r *definitionReader, d *Definition, p drawerProperty) { d.MaxRetries = int(r.number(p)) },
	"REPAIR":            func(r *definitionReader, d *Definition, p drawerProperty) { d.Repair = int(r.number(p)) },
	"TEMPERATURE":       func(r *definitionReader, d *Definition, p drawerProperty) { d.Temperature = r.fraction(p, 2) },
	"BUDGET_TOKENS":     func(r *definitionReader, d *Definition, p drawerProperty) { d.Bounds.Tokens = r.number(p) },
	"BUDGET_TOOL_CALLS": func(r *definitionReader, d *Definition, p drawerProperty) { d.Bounds.ToolCalls = r.number(p) },
	"BUDGET_BYTES_OUT":  func(r *definitionReader, d *Definition, p drawerProperty) { d.Bounds.BytesOut = r.number(p) },
	"BUDGET_USD":        func(r *definitionReader, d *Definition, p drawerProperty) { d.Bounds.USD = r.fraction(p, 1e6) },
	"BUDGET_DAY_TOKENS": func(r *definitionReader, d *Definition, p drawerProperty) { d.Allowance.Day.Tokens = r.number(p) },
	"BUDGET_DAY_USD":    func(r *definitionReader, d *Definition, p drawerProperty) { d.Allowance.Day.USD = r.fraction(p, 1e9) },
	"BUDGET_MONTH_TOKENS": func(r *definitionReader, d *Definition, p drawerProperty) {
		d.Allowance.Month.Tokens = r.number(p)
	},
	"BUDGET_MONTH_USD": func(r *definitionReader, d *Definition, p drawerProperty) {
		d.Allowance.Month.USD = r.fraction(p, 1e9)
	},
	"BUDGET_TOTAL_TOKENS": func(r *definitionReader, d *Definition, p drawerProperty) {
		d.Allowance.Total.Tokens = r.number(p)
	},
	"BUDGET_TOTAL_USD": func(r *definitionReader, d *Definition, p drawerProperty) {
		d.Allowance.Total.USD = r.fraction(p, 1e9)
	},
	"MAX_STEPS": func(r *definitionReader, d *Definition, p drawerProperty) {
		d.counted, d.Bounds.Steps = true, r.number(p)
	},
	"TIMEOUT_MS": func(r *definitionReader, d *Definition, p drawerProperty) {
		d.Bounds.Wall = time.Duration(r.number(p)) * time.Millisecond
	},
	"BOUNDS": func(r *definitionReader, d *Definition, p drawerProperty) { r.bounded, d.counted = p.text, true },
	"EXEC": func(_ *definitionReader, d *Definition, p drawerProperty) {
		d.Exec = p.text == "t" || p.text == "yes" || p.text == "true"
	},
	"MISSED": func(r *definitionReader, d *Definition, p drawerProperty) {
		d.SkipMissed = p.text == "skip"
		r.oneOf(p, []string{"skip", "once"}, "once or skip")
	},
	"REASONING": func(r *definitionReader, d *Definition, p drawerProperty) {
		d.Reasoning = p.text
		r.oneOf(p, Reasonings, "one of "+strings.Join(Reasonings, ", "))
	},
	"WRAP_UP": func(r *definitionReader, d *Definition, p drawerProperty) {
		d.WrapUp = WrapUp(p.text)
		r.oneOf(p, []string{string(WrapUpTurn), string(WrapUpLast), string(WrapUpNone)}, "t, last or nil")
	},
	"STYLE": func(r *definitionReader, d *Definition, p drawerProperty) {
		d.Style = p.text
		r.oneOf(p, []string{StyleTools, StyleWat}, "tools or wat")
	},
	"SESSION_TTL": func(r *definitionReader, d *Definition, p drawerProperty) {
		ttl, err := time.ParseDuration(p.text)
		if err != nil || ttl <= 0 {
			r.fail(p.pos, fmt.Sprintf(":SESSION_TTL: %s is not a duration", p.text), "write it as 30m or 2h")
		}
		d.SessionTTL = ttl
	},
	"OUTPUT": func(r *definitionReader, _ *Definition, p drawerProperty) { r.output(p.pos, p.text) },
	"PROFILE": func(r *definitionReader, _ *Definition, p drawerProperty) {
		r.warn(p.pos, "agents have no profile: :PROFILE: has no effect",
			"--grant grants capabilities to its workbooks and commands; :ALLOW_HOSTS: lists the hosts it may reach")
	},
	"IN": nil, "OUT": nil, "CUSTOM_ID": nil, "CATEGORY": nil, "EFFORT": nil, "ORDERED": nil, "CREATED": nil, "VISIBILITY": nil,
}

// property reads one property of the drawer.
func (r *definitionReader) property(p drawerProperty) {
	set, known := drawer[p.key]
	if set != nil {
		set(r, r.d, p)
	}
	if _, adds := drawer[strings.TrimSuffix(p.key, "+")]; known || adds || strings.HasPrefix(p.key, "HEADER-ARGS") {
		return
	}
	hint := ""
	if near := nearest.Word(p.key, slices.Sorted(maps.Keys(drawer))); near != "" {
		hint = fmt.Sprintf("did you mean :%s:?", near)
	}
	r.warn(p.pos, fmt.Sprintf("agents have no property :%s:", p.key), hint)
}

func (r *definitionReader) warn(pos diag.Position, message, hint string) {
	r.found = append(r.found, diag.Finding{Pos: pos, Severity: diag.Warning, Code: "agent-key", Message: message, Hint: hint})
}

// oneOf makes sure that a property has one of some values; expected says which.
func (r *definitionReader) oneOf(p drawerProperty, values []string, expected string) {
	if !slices.Contains(values, p.text) {
		r.fail(p.pos, fmt.Sprintf(":%s: %s: expected %s", p.key, p.text, expected), "")
	}
}

func (r *definitionReader) number(p drawerProperty) int64 {
	n, err := strconv.ParseInt(strings.ReplaceAll(p.text, "_", ""), 10, 64)
	if err != nil || n < 0 {
		r.fail(p.pos, fmt.Sprintf(":%s: %s is not a whole number", p.key, p.text), "")
	}
	return n
}

func (r *definitionReader) fraction(p drawerProperty, most float64) float64 {
	n, err := strconv.ParseFloat(p.text, 64)
	if err != nil || !(n >= 0 && n <= most) {
		r.fail(p.pos, fmt.Sprintf(":%s: %s is not a number from 0 to %g", p.key, p.text, most), "")
	}
	return n
}
