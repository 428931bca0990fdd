package schedule_test

import (
	"testing"
	"time"

	"wb/agent/schedule"
)

func TestParse(t *testing.T) {
	at := func(text string) time.Time {
		moment, err := time.ParseInLocation("2006-01-02 15:04", text, time.Local)
		if err != nil {
			t.Fatal(err)
		}
		return moment
	}
	for _, c := range []struct{ text, after, want string }{
		{"0 7 * * 1-5", "2026-06-05 08:00", "2026-06-08 07:00"}, // Friday to Monday
		{"@daily", "2026-06-05 08:00", "2026-06-06 00:00"},
		{"@every 6h", "2026-06-05 08:00", "2026-06-05 14:00"},
		{"2026-06-06T06:00", "2026-06-05 08:00", "2026-06-06 06:00"},
		{"2026-06-06T06:00", "2026-06-06 06:00", ""},
		{"2026-06-06 +1d", "2026-06-06 00:00", "2026-06-07 00:00"},
		{"2026-06-06T06:00 ++2w", "2026-07-01 00:00", "2026-07-04 06:00"},
		{"2024-02-29T06:00 .+1y", "2026-07-01 00:00", "2027-03-01 06:00"},
		{"0 0 30 2 *", "2026-06-06 00:00", ""}, // there is no such day
	} {
		times, err := schedule.Parse(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		got := ""
		if next := times(at(c.after)); !next.IsZero() {
			got = next.Format("2006-01-02 15:04")
		}
		if got != c.want {
			t.Errorf("%s after %s: %q, want %q", c.text, c.after, got, c.want)
		}
	}
	for _, text := range []string{"", "whenever", "1 2 3 4", "2026-06-06 daily", "2026-06-06 +0d", "2026-06-06 +1q", "2026-13-06", "@every x"} {
		if _, err := schedule.Parse(text); err == nil {
			t.Errorf("%q is a schedule", text)
		}
	}
}

// What is next is later, whatever the schedule.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"0 7 * * 1-5", "@every 6h", "2026-06-06T06:00 +1d", "2026-06-06 .+99999999999w", "*/7 * 31 2 *", "@every 1ns", "2026-06-06 +1"} {
		f.Add(text, int64(1780000000))
	}
	f.Fuzz(func(t *testing.T, text string, unix int64) {
		times, err := schedule.Parse(text)
		if err != nil {
			return
		}
		after := time.Unix(unix%4e9, 0)
		if next := times(after); !next.IsZero() && !next.After(after) {
			t.Errorf("%q after %v is due at %v", text, after, next)
		}
	})
}
