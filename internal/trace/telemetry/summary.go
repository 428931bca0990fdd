package telemetry

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"wb/internal/trace"
)

// Summary sums up a run. Times are in milliseconds.
type Summary struct {
	Run       string      `json:"run"`
	Workbook  string      `json:"workbook,omitempty"`
	Agent     string      `json:"agent,omitempty"`
	Started   time.Time   `json:"started,omitzero"`
	Status    string      `json:"status,omitempty"`
	Calls     int         `json:"calls"` // components run, tools called, models asked
	Errors    int         `json:"errors"`
	CacheHits int         `json:"cache_hits"`
	WallMS    int64       `json:"wall_ms"`             // from start to end
	TotalMS   int64       `json:"total_ms"`            // of all calls; more than WallMS when some ran side by side
	QueuedMS  int64       `json:"queued_ms,omitempty"` // that components waited for their turns; in no other time
	Fuel      int64       `json:"fuel"`
	Usage     trace.Usage `json:"usage"`
	Groups    []Group     `json:"groups"`
	Slowest   []Call      `json:"slowest"`
	Failed    []Call      `json:"failed"` // the last ones, latest first
	Times     []Bucket    `json:"times"`  // a histogram of the calls' durations
}

// Group is all calls of one thing: a component, a tool, a model.
type Group struct {
	Kind    trace.Kind  `json:"kind"`
	Name    string      `json:"name"`
	Calls   int         `json:"calls"`
	Errors  int         `json:"errors"`
	TotalMS int64       `json:"total_ms"`
	P50MS   int64       `json:"p50_ms"`
	P95MS   int64       `json:"p95_ms"`
	MaxMS   int64       `json:"max_ms"`
	Fuel    int64       `json:"fuel,omitempty"`
	Usage   trace.Usage `json:"usage,omitzero"`
}

// Call is one call that stands out.
type Call struct {
	Call  int        `json:"call"`
	Kind  trace.Kind `json:"kind"`
	Name  string     `json:"name"`
	DurMS int64      `json:"dur_ms"`
	Error string     `json:"error,omitempty"`
	At    time.Time  `json:"at,omitzero"`
}

// Bucket counts the calls that took at least MinMS and less than MaxMS.
type Bucket struct {
	MinMS int64 `json:"min_ms"`
	MaxMS int64 `json:"max_ms"`
	Calls int   `json:"calls"`
}

// How many calls stand out.
const (
	maxSlowest = 5
	maxFailed  = 15
)

// isCall reports whether an event stands for work of its own.
func isCall(k trace.Kind) bool {
	switch k {
	case trace.KindComponentEnd, trace.KindToolCall, trace.KindModelTurn, trace.KindCompile:
		return true
	}
	return false
}

// nameOf is the name of the component, tool or model that an event is about.
func nameOf(e *trace.Event) string {
	switch e.Kind {
	case trace.KindModelTurn:
		return cmp.Or(e.Model, e.Agent, string(e.Kind))
	case trace.KindToolCall, trace.KindDenial, trace.KindRetry:
		return cmp.Or(e.Tool, e.Component, string(e.Kind))
	}
	return cmp.Or(e.Component, e.Tool, e.Agent, e.Path, string(e.Kind))
}

// Summarize adds up what a run did.
func Summarize(r *Record) *Summary {
	s := &Summary{Run: r.Run, Workbook: r.Workbook, Agent: r.Agent, Started: r.Started, Status: r.Status}
	type key struct {
		kind trace.Kind
		name string
	}
	groups := map[key]*Group{}
	times := map[key][]time.Duration{}
	var result trace.Usage
	var all []time.Duration
	var calls []Call
	var last time.Time
	for i := range r.Events {
		e := &r.Events[i]
		if e.Time.After(last) {
			last = e.Time
		}
		if e.Kind == trace.KindResult {
			result = e.Usage
			s.Status = cmp.Or(s.Status, e.Status)
			s.WallMS, s.Fuel = e.Duration.Milliseconds(), max(s.Fuel, e.Fuel)
			continue
		}
		if e.Kind == trace.KindCacheHit {
			s.CacheHits++
		}
		if e.Failed() {
			s.Errors++
			s.Failed = append(s.Failed, callOf(e))
		}
		if !isCall(e.Kind) {
			continue
		}
		if e.Kind != trace.KindCompile { // compiling is part of the component's time
			s.Calls++
			s.TotalMS += e.Duration.Milliseconds()
			s.QueuedMS += queued(e)
			s.Usage = s.Usage.Add(e.Usage)
			all = append(all, e.Duration)
			calls = append(calls, callOf(e))
		}
		k := key{e.Kind, nameOf(e)}
		g := groups[k]
		if g == nil {
			g = &Group{Kind: k.kind, Name: k.name}
			groups[k] = g
		}
		g.Calls++
		if e.Failed() {
			g.Errors++
		}
		g.Fuel += e.Fuel
		g.Usage = g.Usage.Add(e.Usage)
		times[k] = append(times[k], e.Duration)
	}
	if s.Usage == (trace.Usage{}) {
		s.Usage = result
	}
	fuel := int64(0)
	for k, g := range groups {
		slices.Sort(times[k])
		g.P50MS, g.P95MS, g.MaxMS = quantile(times[k], 0.5), quantile(times[k], 0.95), quantile(times[k], 1)
		for _, d := range times[k] {
			g.TotalMS += d.Milliseconds()
		}
		fuel += g.Fuel
		s.Groups = append(s.Groups, *g)
	}
	s.Fuel = max(s.Fuel, fuel)
	if s.WallMS == 0 && !last.IsZero() && !r.Started.IsZero() {
		s.WallMS = max(0, last.Sub(r.Started).Milliseconds())
	}
	slices.SortFunc(s.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.TotalMS, a.TotalMS), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	slices.SortStableFunc(calls, func(a, b Call) int { return cmp.Compare(b.DurMS, a.DurMS) })
	s.Slowest = append([]Call{}, calls[:min(maxSlowest, len(calls))]...)
	slices.Reverse(s.Failed)
	s.Failed = append([]Call{}, s.Failed[:min(maxFailed, len(s.Failed))]...)
	s.Times = histogram(all)
	return s
}

// queued is how many milliseconds a component waited for its turn.
func queued(e *trace.Event) int64 {
	for _, p := range e.Props {
		if strings.EqualFold(p.Name, trace.PropQueued) {
			ms, _ := strconv.ParseInt(p.Value, 10, 64) // what is not a number is no time
			return ms
		}
	}
	return 0
}

func callOf(e *trace.Event) Call {
	c := Call{Call: e.Call, Kind: e.Kind, Name: nameOf(e), DurMS: e.Duration.Milliseconds(), At: e.Time}
	if e.Failed() {
		c.Error = cmp.Or(e.Error, e.Output, "failed")
		if e.Error == "" && e.Exit != nil {
			c.Error = "exit " + itoa(*e.Exit)
		}
	}
	return c
}

// quantile is the nearest-rank quantile of sorted durations, in milliseconds.
func quantile(sorted []time.Duration, q float64) int64 {
	if len(sorted) == 0 {
		return 0
	}
	i := int(math.Ceil(q*float64(len(sorted)))) - 1
	return sorted[max(0, i)].Milliseconds()
}

// histogram counts durations in buckets that double, from those that hold the
// shortest to those that hold the longest.
func histogram(durations []time.Duration) []Bucket {
	counts := map[int]int{}
	low, high := math.MaxInt, -1
	for _, d := range durations {
		b := bucketOf(d.Milliseconds())
		counts[b]++
		low, high = min(low, b), max(high, b)
	}
	buckets := []Bucket{}
	for b := low; b <= high; b++ {
		from, to := int64(0), int64(1)
		if b > 0 {
			from, to = 1<<(b-1), 1<<b
		}
		buckets = append(buckets, Bucket{from, to, counts[b]})
	}
	return buckets
}

// bucketOf is 0 below 1 ms, 1 below 2, 2 below 4, 3 below 8 …
func bucketOf(ms int64) int {
	b := 0
	for ms > 0 {
		b, ms = b+1, ms>>1
	}
	return b
}
