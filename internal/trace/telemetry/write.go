package telemetry

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"wb/internal/clip"
)

func itoa(n int) string { return strconv.Itoa(n) }

// Write shows a summary to a person.
func (s *Summary) Write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s", s.Run, s.what())
	if !s.Started.IsZero() {
		fmt.Fprintf(&b, "  %s", s.Started.Format("2006-01-02 15:04:05"))
	}
	fmt.Fprintf(&b, "  %s\n\n%s\n", s.Status, s.line())
	if len(s.Groups) > 0 {
		fmt.Fprintf(&b, "\n%-14s %-24s %6s %6s %9s %8s %8s %8s %12s\n", "kind", "name", "calls", "errors", "total ms", "p50", "p95", "max", "fuel")
		for _, g := range s.Groups {
			fmt.Fprintf(&b, "%-14s %-24s %6d %6d %9d %8d %8d %8d %12s\n", g.Kind, clip.Chars(g.Name, 24), g.Calls, g.Errors, g.TotalMS, g.P50MS, g.P95MS, g.MaxMS, dash(g.Fuel))
		}
	}
	if len(s.Times) > 0 {
		fmt.Fprintf(&b, "\nduration of calls\n")
		writeHistogram(&b, s.Times)
	}
	if len(s.Slowest) > 0 {
		fmt.Fprintf(&b, "\nslowest\n")
		for _, c := range s.Slowest {
			fmt.Fprintf(&b, "%9d ms  call %d  %s %s\n", c.DurMS, c.Call, c.Kind, c.Name)
		}
	}
	if len(s.Failed) > 0 {
		fmt.Fprintf(&b, "\nlast errors\n")
		for _, c := range s.Failed {
			fmt.Fprintf(&b, "  call %d  %s %s: %s\n", c.Call, c.Kind, c.Name, clip.Chars(strings.Join(strings.Fields(c.Error), " "), 100))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (s *Summary) what() string {
	if s.Agent != "" {
		return "agent " + s.Agent
	}
	return filepath.Base(s.Workbook)
}

// line is the summary in one line.
func (s *Summary) line() string {
	parts := []string{fmt.Sprintf("%d calls", s.Calls), fmt.Sprintf("%d errors", s.Errors), fmt.Sprintf("%d from the cache", s.CacheHits),
		fmt.Sprintf("%d ms, %d ms in calls", s.WallMS, s.TotalMS)}
	if s.QueuedMS > 0 {
		parts = append(parts, fmt.Sprintf("%d ms queued", s.QueuedMS))
	}
	if s.Fuel > 0 {
		parts = append(parts, fmt.Sprintf("fuel %d", s.Fuel))
	}
	if u := s.Usage; u.TokensIn+u.TokensOut > 0 {
		parts = append(parts, fmt.Sprintf("tokens %d in (%d cached), %d out", u.TokensIn, u.TokensCached, u.TokensOut))
	}
	if s.Usage.CostUSD > 0 {
		parts = append(parts, fmt.Sprintf("$%.4f", s.Usage.CostUSD))
	}
	return strings.Join(parts, " · ")
}

// histogramWidth is how long the longest bar is.
const histogramWidth = 40

func writeHistogram(w io.Writer, buckets []Bucket) {
	most := 0
	for _, b := range buckets {
		most = max(most, b.Calls)
	}
	for _, b := range buckets {
		line := fmt.Sprintf("%8s – %-8s %6d %s", short(b.MinMS), short(b.MaxMS), b.Calls, bar(b.Calls, most))
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}

// bar draws a number in eighths of a character; what is not nothing shows.
func bar(n, most int) string {
	if n == 0 {
		return ""
	}
	eighths := max(1, n*histogramWidth*8/most)
	text := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		text += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return text
}

func short(ms int64) string {
	if ms < 1000 {
		return fmt.Sprintf("%d ms", ms)
	}
	return (time.Duration(ms) * time.Millisecond).Round(100 * time.Millisecond).String()
}

func dash(n int64) string {
	if n == 0 {
		return "-"
	}
	return strconv.FormatInt(n, 10)
}

// WriteList shows one line a run, and what they come to.
func WriteList(w io.Writer, list []*Summary) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%-26s  %-19s %-10s %6s %6s %6s %9s %9s %9s  %s\n", "run", "started", "status", "calls", "errors", "cached", "wall ms", "tokens", "cost", "of")
	var total Summary
	for _, s := range list {
		writeRun(&b, s)
		total.Calls += s.Calls
		total.Errors += s.Errors
		total.CacheHits += s.CacheHits
		total.WallMS += s.WallMS
		total.Usage = total.Usage.Add(s.Usage)
	}
	total.Run, total.Workbook = fmt.Sprintf("%d runs", len(list)), "-"
	writeRun(&b, &total)
	_, err := io.WriteString(w, b.String())
	return err
}

func writeRun(w io.Writer, s *Summary) {
	started := ""
	if !s.Started.IsZero() {
		started = s.Started.Format("2006-01-02 15:04:05")
	}
	cost := "-"
	if s.Usage.CostUSD > 0 {
		cost = fmt.Sprintf("$%.4f", s.Usage.CostUSD)
	}
	line := fmt.Sprintf("%-26s  %-19s %-10s %6d %6d %6d %9d %9s %9s  %s", s.Run, started, s.Status, s.Calls, s.Errors, s.CacheHits, s.WallMS,
		dash(s.Usage.TokensIn+s.Usage.TokensOut), cost, strings.TrimPrefix(s.what(), "-"))
	fmt.Fprintln(w, strings.TrimRight(line, " ."))
}
