package api

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wb/agent/host"
	"wb/agent/keeper"
	"wb/agent/schedule"
	"wb/workbook"
)

// A scheduler fires what the documents of a tenant schedule: agents and
// workflows with :SCHEDULE: (five cron fields, or @daily and the like), and
// workflows that are SCHEDULED. Documents are read again every minute. Times that
// pass while no server runs are not made up for.
type scheduler struct {
	tenant *tenant
	config Config
	// known holds the schedules read so far, by path.
	known map[string]reading
	told  map[string]bool // mistakes that have been warned about
}

// reading is the schedule of a file in a certain state.
type reading struct {
	modified time.Time
	size     int64
	all      []scheduled
}

// scheduled is one thing that is due at times.
type scheduled struct {
	name  string // FILE#ID
	agent bool
	text  string // the schedule as written
	next  func(time.Time) time.Time
	fire  func(at time.Time) error
}

func newScheduler(t *tenant, config Config) *scheduler {
	return &scheduler{tenant: t, config: config, known: map[string]reading{}, told: map[string]bool{}}
}

// rescan is how often documents are looked at.
const rescan = time.Minute

// run fires until ctx ends. Every stretch of time is looked at once: what is due
// after its beginning, up to its end.
func (s *scheduler) run(ctx context.Context) {
	from := s.tenant.clock.Now()
	for {
		wake := from.Truncate(rescan).Add(rescan)
		for _, d := range s.read() {
			if next := d.next(from); !next.IsZero() && next.Before(wake) {
				wake = next
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-s.tenant.clock.At(wake):
		}
		now := s.tenant.clock.Now()
		if now.Before(wake) { // the clock was set back
			from = now
			continue
		}
		for _, d := range s.read() {
			if next := d.next(from); !next.IsZero() && !next.After(now) {
				if err := d.fire(next); err != nil && ctx.Err() == nil {
					s.tenant.warn(fmt.Errorf("schedule %s of %s: %w", d.text, d.name, err))
				}
			}
		}
		from = now
	}
}

// maxScheduledFiles bounds the documents that are looked at.
const maxScheduledFiles = 5000

// read returns the current schedules of the tenant's documents.
func (s *scheduler) read() []scheduled {
	var all []scheduled
	seen := map[string]reading{}
	err := fs.WalkDir(s.tenant.root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case entry.IsDir() && name != "." && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		case !entry.Type().IsRegular() || !strings.HasSuffix(name, ".org"), name == "events.org", name == "approvals.org", name == "issues.org":
			return nil
		case len(seen) >= maxScheduledFiles:
			return errors.New("too many documents: some were not searched for schedules")
		}
		info, err := entry.Info()
		if err != nil {
			return nil
		}
		known, ok := s.known[name]
		if !ok || !known.modified.Equal(info.ModTime()) || known.size != info.Size() {
			known = reading{info.ModTime(), info.Size(), s.scan(name)}
		}
		seen[name] = known
		all = append(all, known.all...)
		return nil
	})
	if err != nil {
		s.mistake(err)
	}
	s.known = seen
	return all
}

// mistake warns once.
func (s *scheduler) mistake(err error) {
	if !s.told[err.Error()] {
		s.told[err.Error()] = true
		s.tenant.warn(err)
	}
}

// scan reads the schedules of a document.
func (s *scheduler) scan(name string) []scheduled {
	file := filepath.Join(s.tenant.Dir, filepath.FromSlash(name))
	src, err := s.tenant.root.ReadFile(filepath.FromSlash(name))
	if err != nil || !strings.Contains(strings.ToUpper(string(src)), "SCHEDULE") {
		return nil
	}
	return append(s.agents(name, file), s.workflows(name, file, src)...)
}

// agents are the agents of a document that have a schedule. What an agent is to
// do then is in its prompt.
func (s *scheduler) agents(name, file string) []scheduled {
	found, _, err := host.Agents(file)
	if err != nil {
		return nil
	}
	var all []scheduled
	for _, d := range found {
		if d.Schedule == "" {
			continue
		}
		next, err := schedule.Parse(d.Schedule)
		if err != nil {
			s.mistake(fmt.Errorf("%s: %w", d.Pos, err))
			continue
		}
		task := host.Task{File: file, ID: d.ID, Dir: s.tenant.Dir, Write: s.config.AllowWrite, Exec: s.config.AllowExec && s.tenant.Exec}
		all = append(all, scheduled{name + "#" + d.ID, true, d.Schedule, next, func(at time.Time) error {
			if keeper.Kept(s.tenant.state, s.tenant.runtime().KeyOf(d, task)) {
				return nil // `wb agent keep` wakes it
			}
			task := task
			task.Text = fmt.Sprintf("Your schedule (%s) is due: it is %s. Do what you are scheduled for.", d.Schedule, at.Format("Monday, 2006-01-02 15:04 MST"))
			_, err := s.tenant.start(record{Task: task, Schedule: d.Schedule})
			return err
		}})
	}
	return all
}

// workflows are the workflows of a document that have a schedule.
func (s *scheduler) workflows(name, file string, src []byte) []scheduled {
	var all []scheduled
	for _, w := range worlds(workbook.NewPlan(file, src).Worlds) {
		if w.Schedule == nil || len(members(w)) == 0 {
			continue
		}
		next, text, err := timesOf(w.Schedule)
		if err != nil {
			s.mistake(fmt.Errorf("%s: %w", w.Pos, err))
			continue
		}
		all = append(all, scheduled{name + "#" + w.Name, false, text, next, func(time.Time) error {
			if err := s.tenant.hold(); err != nil {
				return err
			}
			go func() {
				defer s.tenant.release()
				ctx, cancel := context.WithTimeout(s.tenant.work, workflowTimeout)
				defer cancel()
				now, err := os.ReadFile(file)
				if err != nil {
					s.tenant.warn(err)
					return
				}
				opts := workbook.Options{
					Book:      workbook.BookAt(file, now, s.config.Lanes),
					Selection: workbook.Selection{Only: members(w), Force: true},
					Write:     workbook.WriteIf(s.config.AllowWrite),
				}
				ran, err := s.tenant.home().Run(ctx, opts)
				if err == nil && ran.Failed() != nil {
					err = ran.Failed().Err
				}
				s.tenant.warn(err)
			}()
			return nil
		}})
	}
	return all
}

// worlds are workflows and those within them.
func worlds(of []*workbook.World) []*workbook.World {
	all := slices.Clone(of)
	for _, w := range of {
		all = append(all, worlds(w.Worlds)...)
	}
	return all
}

// members are the components of a workflow and of those within it that have no
// schedule of their own.
func members(w *workbook.World) []string {
	var ids []string
	for _, c := range w.Components {
		ids = append(ids, c.ID)
	}
	for _, sub := range w.Worlds {
		if sub.Schedule == nil {
			ids = append(ids, members(sub)...)
		}
	}
	return ids
}

// timesOf is when a workflow is due, and its schedule as it is told. A timestamp
// that is not active is none.
func timesOf(s *workbook.Schedule) (schedule.Times, string, error) {
	if s.Cron != "" {
		next, err := schedule.Parse(s.Cron)
		return next, s.Cron, err
	}
	text := strings.TrimSpace(s.At + " " + s.Repeat)
	if !s.Active {
		return schedule.Never, text, nil
	}
	next, err := schedule.Parse(text)
	return next, text, err
}
