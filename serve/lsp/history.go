package lsp

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"wb/internal/clip"
	"wb/internal/trace"
)

// historyTail is how much of events.org is read to find a component's last
// event.
const historyTail = 1 << 20

// lastEvent says in a line how a component's last turn went, from the events
// beside its workbook.
func lastEvent(file, component string) (string, bool) {
	tail, err := readTail(filepath.Join(filepath.Dir(file), "events.org"), historyTail)
	if err != nil {
		return "", false
	}
	var last *trace.Event
	elsewhere := map[string]bool{} // runs of other workbooks
	for r := range trace.ScanEvents(tail) {
		switch r.Kind {
		case trace.KindRun:
			if w, ok := r.Prop("WORKBOOK"); ok && filepath.Base(string(w)) != filepath.Base(file) {
				elsewhere[r.Run()] = true
			}
		case trace.KindComponentEnd:
			if c, _ := r.Prop("COMPONENT"); string(c) == component && !elsewhere[r.Run()] {
				e := r.Event()
				last = &e
			}
		}
	}
	if last == nil {
		return "", false
	}
	text := fmt.Sprintf("Last ran %s, %v", last.Time.Format("2006-01-02 15:04:05"), last.Duration.Round(100*time.Microsecond))
	if last.Fuel > 0 {
		text += ", " + thousands(last.Fuel) + " fuel"
	}
	if last.Error != "" {
		text += ", and failed: " + clip.Bytes(last.Error, 300)
	}
	return text, true
}

// readTail reads at most the last size bytes of a regular file, from the start
// of a line.
func readTail(name string, size int64) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, os.ErrInvalid
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info.Size() > size {
		if _, err := f.Seek(-size, io.SeekEnd); err != nil {
			return nil, err
		}
	}
	return io.ReadAll(io.LimitReader(f, size))
}
