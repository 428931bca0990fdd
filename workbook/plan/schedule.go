package plan

import (
	"fmt"

	"wb/org"
)

// scheduleOf reads when a workflow is due: :SCHEDULE: (cron), else SCHEDULED,
// active or not. A deadline is not a schedule.
func scheduleOf(h org.Headline) *Schedule {
	if cron, ok := h.Property("SCHEDULE"); ok && cron != "" {
		return &Schedule{Cron: cron}
	}
	planning, ok := h.Planning()
	if !ok || !planning.Scheduled.Present() || planning.Scheduled.Diary != "" {
		return nil
	}
	t := planning.Scheduled
	s := &Schedule{At: momentText(t.From), Active: t.Active}
	if t.Repeat.Mark != "" {
		s.Repeat = fmt.Sprintf("%s%d%c", t.Repeat.Mark, t.Repeat.Count, t.Repeat.Unit)
	}
	return s
}

// momentText is 2026-06-06 or 2026-06-06T06:00.
func momentText(m org.Moment) string {
	text := fmt.Sprintf("%04d-%02d-%02d", m.Year, m.Month, m.Day)
	if m.HasTime {
		text += fmt.Sprintf("T%02d:%02d", m.Hour, m.Minute)
	}
	return text
}
