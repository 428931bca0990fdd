package plot

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// scaleKind is the kind of values on an axis.
type scaleKind int

const (
	numeric scaleKind = iota
	calendar
	category
)

// scale maps the values of an axis to 0…1.
type scale struct {
	kind   scaleKind
	log    bool
	lo, hi float64
	labels []string // of categories
}

// tick is a mark on an axis.
type tick struct {
	at    float64 // as a value
	label string
}

// fit makes a scale that holds all values.
func fit(kind scaleKind, values []float64, log bool) scale {
	s := scale{kind: kind, log: log, lo: math.Inf(1), hi: math.Inf(-1)}
	for _, v := range values {
		if !finite(v) || log && v <= 0 {
			continue
		}
		s.lo, s.hi = math.Min(s.lo, v), math.Max(s.hi, v)
	}
	switch {
	case s.lo > s.hi: // nothing to show
		s.lo, s.hi = 0, 1
		if log {
			s.lo, s.hi = 1, 10
		}
	case s.lo == s.hi && log:
		s.lo, s.hi = s.lo/2, s.hi*2
	case s.lo == s.hi && kind == calendar:
		s.lo, s.hi = s.lo-86400, s.hi+86400
	case s.lo == s.hi:
		d := math.Max(math.Abs(s.lo)*0.1, 0.5)
		s.lo, s.hi = s.lo-d, s.hi+d
	}
	return s
}

// categories makes a scale with a place for each label.
func categories(labels []string) scale {
	return scale{kind: category, lo: -0.5, hi: float64(len(labels)) - 0.5, labels: labels}
}

// widen rounds the ends of a numeric scale to its ticks.
func (s *scale) widen(wanted int, fixLo, fixHi bool) {
	if s.kind != numeric || s.log {
		return
	}
	step := niceStep(s.hi-s.lo, wanted)
	if !fixLo {
		s.lo = math.Floor(s.lo/step+1e-9) * step
	}
	if !fixHi {
		s.hi = math.Ceil(s.hi/step-1e-9) * step
	}
}

// at is where a value lies, from 0 to 1.
func (s scale) at(v float64) float64 {
	if s.log {
		return (math.Log(v) - math.Log(s.lo)) / (math.Log(s.hi) - math.Log(s.lo))
	}
	return (v - s.lo) / (s.hi - s.lo)
}

// has reports whether a value lies on the scale.
func (s scale) has(v float64) bool {
	slack := (s.hi - s.lo) * 1e-9
	return finite(v) && v >= s.lo-slack && v <= s.hi+slack && (!s.log || v > 0)
}

// niceStep is a step of 1, 2 or 5 times a power of ten that parts a span into
// about as many pieces as wanted (Heckbert, "Nice numbers for graph labels").
func niceStep(span float64, wanted int) float64 {
	rough := span / float64(max(1, wanted))
	unit := math.Pow(10, math.Floor(math.Log10(rough)))
	switch f := rough / unit; {
	case f < 1.5:
		return unit
	case f < 3:
		return 2 * unit
	case f < 7:
		return 5 * unit
	}
	return 10 * unit
}

// ticks are about as many marks as wanted.
func (s scale) ticks(wanted int) []tick {
	switch {
	case s.kind == category:
		return s.categoryTicks(wanted)
	case s.kind == calendar:
		return s.calendarTicks(wanted)
	case s.log:
		return s.logTicks(wanted)
	}
	step := niceStep(s.hi-s.lo, wanted)
	digits := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	var all []tick
	for i := math.Ceil(s.lo/step - 1e-9); i*step <= s.hi+step*1e-9; i++ {
		all = append(all, tick{i * step, numberLabel(i*step, digits, s.hi-s.lo)})
	}
	return all
}

// numberLabel writes a number short: with thousands separated, and very large
// or small ones with a power of ten.
func numberLabel(v float64, digits int, span float64) string {
	if span >= 1e7 || span < 1e-4 {
		text := strconv.FormatFloat(v, 'g', 4, 64)
		return strings.Replace(text, "e+0", "e", 1)
	}
	text := strconv.FormatFloat(math.Abs(v), 'f', digits, 64)
	head, tail, dot := strings.Cut(text, ".")
	for i := len(head) - 3; i > 0 && len(head) > 4; i -= 3 {
		head = head[:i] + "\u2009" + head[i:] // thin space
	}
	if dot {
		head += "." + tail
	}
	if v < 0 && strings.Trim(text, "0.") != "" {
		return "−" + head
	}
	return head
}

func (s scale) logTicks(wanted int) []tick {
	var all []tick
	first, last := int(math.Floor(math.Log10(s.lo)+1e-9)), int(math.Ceil(math.Log10(s.hi)-1e-9))
	each := max(1, (last-first)/max(1, wanted))
	for e := first; e <= last; e += each {
		v := math.Pow(10, float64(e))
		if s.has(v) {
			label := strconv.FormatFloat(v, 'g', -1, 64)
			if e > 5 || e < -4 {
				label = fmt.Sprintf("1e%d", e)
			}
			all = append(all, tick{v, label})
		}
	}
	if len(all) < 2 { // less than a decade: its ends
		return []tick{{s.lo, strconv.FormatFloat(s.lo, 'g', 3, 64)}, {s.hi, strconv.FormatFloat(s.hi, 'g', 3, 64)}}
	}
	return all
}

func (s scale) categoryTicks(wanted int) []tick {
	each := 1
	if wanted > 0 {
		each = (len(s.labels) + wanted - 1) / wanted
	}
	var all []tick
	for i := 0; i < len(s.labels); i += max(1, each) {
		all = append(all, tick{float64(i), s.labels[i]})
	}
	return all
}

// calendarStep is a distance between marks of a calendar.
type calendarStep struct {
	months, seconds int
	layout          string
}

var calendarSteps = []calendarStep{
	{0, 1, "15:04:05"}, {0, 10, "15:04:05"}, {0, 60, "15:04"}, {0, 300, "15:04"}, {0, 900, "15:04"}, {0, 3600, "15:04"}, {0, 3 * 3600, "2 Jan 15:04"},
	{0, 12 * 3600, "2 Jan 15:04"}, {0, 86400, "2 Jan"}, {0, 2 * 86400, "2 Jan"}, {0, 7 * 86400, "2 Jan"}, {1, 0, "Jan 2006"}, {3, 0, "Jan 2006"}, {6, 0, "Jan 2006"},
	{12, 0, "2006"}, {24, 0, "2006"}, {60, 0, "2006"}, {120, 0, "2006"}, {600, 0, "2006"}, {1200, 0, "2006"},
}

func (c calendarStep) length() float64 { return float64(c.seconds) + float64(c.months)*30.44*86400 }

func (s scale) calendarTicks(wanted int) []tick {
	step := calendarSteps[len(calendarSteps)-1]
	for _, c := range calendarSteps {
		if (s.hi-s.lo)/c.length() <= float64(wanted) {
			step = c
			break
		}
	}
	var all []tick
	if step.months == 0 {
		each := float64(step.seconds)
		for v := math.Ceil(s.lo/each) * each; v <= s.hi; v += each {
			all = append(all, tick{v, time.Unix(int64(v), 0).UTC().Format(step.layout)})
		}
		return all
	}
	t := time.Unix(int64(s.lo), 0).UTC()
	months := (t.Year()*12 + int(t.Month()) - 1) / step.months * step.months
	for {
		t = time.Date(months/12, time.Month(months%12+1), 1, 0, 0, 0, 0, time.UTC)
		v := float64(t.Unix())
		if v > s.hi {
			return all
		}
		if v >= s.lo {
			all = append(all, tick{v, t.Format(step.layout)})
		}
		months += step.months
	}
}
