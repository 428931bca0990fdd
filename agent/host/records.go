package host

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"wb/agent"
	"wb/agent/account"
	"wb/agent/approval"
	"wb/internal/diag"
	"wb/internal/trace"
)

// Records reads what runs of agents have left on this machine: journals, accounts and
// sessions. Nothing else is needed for that.
type Records struct{ State *trace.State }

// Latest is the run that went on with another, and with that one, and so on, or the
// run itself. Of several the one counts whose journal says most. Forks do not go on
// with a run, they begin one.
func (rs Records) Latest(run string) (trace.RunRecord, error) {
	all, err := rs.State.Runs()
	if err != nil {
		return trace.RunRecord{}, err
	}
	known, line := map[string]trace.RunRecord{}, []string{run}
	root := rs.rootOf(run)
	for _, r := range all { // in the order they were started
		known[r.Run] = r
		if slices.Contains(line, r.Parent) && rs.rootOf(r.Run) == root {
			line = append(line, r.Run)
		}
	}
	latest := cmp.Or(rs.Furthest(line), run)
	if r, ok := known[latest]; ok {
		return r, nil
	}
	return trace.RunRecord{Run: latest}, nil
}

// rootOf is the first of the runs resumed from each other, "" where no journal says
// it.
func (rs Records) rootOf(run string) string {
	r, ok := rs.peek(run)
	if !ok {
		return ""
	}
	return cmp.Or(r.Root, run)
}

// TaskOf returns the task of a run, also while it is running.
func (rs Records) TaskOf(run string) (Task, bool) {
	r, ok := rs.peek(run)
	return r.Task, ok
}

// peek reads the first entry of a journal that another process may have open.
func (rs Records) peek(run string) (record, bool) {
	var r record
	file, err := os.Open(rs.journalPath(run))
	if err != nil {
		return r, false
	}
	defer file.Close()
	first, err := bufio.NewReader(file).ReadBytes('\n')
	var e trace.Entry
	if err != nil || json.Unmarshal(first, &e) != nil || e.Key != recordKey {
		return r, false
	}
	if e.Body != nil {
		return r, json.Unmarshal([]byte(*e.Body), &r) == nil
	}
	body, err := rs.State.Blobs().Get(e.Blob)
	return r, err == nil && json.Unmarshal(body, &r) == nil
}

func (rs Records) journalPath(run string) string {
	return filepath.Join(rs.State.RunDir(run), "journal.jsonl")
}

// Furthest is the run whose journal says most, of runs resumed from each other; ""
// when none had begun. A process that died while it took over a journal leaves a
// shorter one.
func (rs Records) Furthest(runs []string) string {
	best, most := "", 0
	for _, id := range runs {
		text, err := os.ReadFile(rs.journalPath(id))
		if err != nil {
			continue
		}
		if n := bytes.Count(text, []byte("\n")); n > 0 && n >= most {
			best, most = id, n
		}
	}
	return best
}

// open opens the journal of a run that exists.
func (rs Records) open(run string) (*trace.Journal, error) {
	if _, err := os.Stat(rs.journalPath(run)); err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		return nil, noJournal(run)
	}
	j, err := rs.State.OpenJournal(run)
	if errors.Is(err, trace.ErrJournalBusy) {
		return nil, diag.Busyf("wb agent show "+run+" shows its progress", "run %s is still running", run)
	}
	return j, err
}

// Messages are the turns of a run as its model saw them, also while it is going.
func (rs Records) Messages(ctx context.Context, run string) (*agent.Conversation, error) {
	j, err := rs.State.ReadJournal(run)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noJournal(run)
	}
	if err != nil {
		return nil, err
	}
	r, err := recordOf(j)
	if err != nil {
		return nil, err
	}
	return agent.Retell(ctx, j, r.History)
}

// Files reads what a run has written, from its journal.
func (rs Records) Files(run string) (Files, error) {
	j, err := rs.open(run)
	if err != nil {
		return Files{}, err
	}
	defer j.Close()
	r, err := recordOf(j)
	if err != nil {
		return Files{}, err
	}
	d, err := definition(r.Task)
	files := Files{Dir: r.Task.Dir, Written: r.Task.Write || err == nil && r.Task.granted(d)}
	made, err := agent.Changes(j)
	if err != nil {
		return files, err
	}
	root, err := os.OpenRoot(files.Dir)
	if err != nil {
		return files, err
	}
	defer root.Close()
	for _, m := range made {
		c := Change{FileChange: m}
		name := filepath.FromSlash(m.Path)
		if c.Now, err = root.ReadFile(name); err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				return files, err
			}
			c.Missing = true
		} else if info, err := root.Stat(name); err == nil {
			c.Changed = info.ModTime()
		}
		files.Changes = append(files.Changes, c)
	}
	return files, nil
}

// Approvals is where runs ask people.
func (rs Records) Approvals() *approval.Inbox { return approval.NewInbox(rs.State.Dir()) }

// readOutput reads such an output again.
func (rs Records) readOutput(id string) (string, error) {
	text, err := rs.State.Blobs().Get(id)
	return string(text), err
}

// alive reports whether a run is going in some process.
func (rs Records) alive(run string) bool {
	runs, err := rs.State.Runs()
	if err != nil {
		return true // what it has reserved stays so
	}
	for _, r := range runs {
		if r.Run == run {
			return r.Status == trace.StatusRunning
		}
	}
	return false
}

// Account returns the amounts spent by a task's agent.
func (rs Records) Account(d *agent.Definition, task Task) (*account.Book, error) {
	return account.Read(filepath.Join(rs.State.Dir(), "accounts", rs.KeyOf(d, task)+".json"))
}

// accountPath is where the account of an agent lies; file is its document.
func (rs Records) accountPath(d *agent.Definition, file string) string {
	return filepath.Join(rs.State.Dir(), "accounts", key(d, file)+".json")
}

// KeyOf names a task's agent among the state of this machine.
func (rs Records) KeyOf(d *agent.Definition, task Task) string {
	if abs, err := absolute(task); err == nil {
		task = abs
	}
	return key(d, task.File)
}

func (rs Records) sessionPath(agentID, name string) (string, error) {
	if !sessionName.MatchString(name) {
		return "", fmt.Errorf("session %q: a name consists of letters, digits, dots and hyphens", name)
	}
	return filepath.Join(rs.State.Dir(), "sessions", pathSafe(agentID), name+".json"), nil
}

// record is the journal's record of the task, from which it can be resumed.
type record struct {
	Task       Task   `json:"task"`
	Model      string `json:"model,omitempty"` // that was asked, whatever the environment says later
	Definition string `json:"definition"`      // fingerprint of the definition
	Root       string `json:"root"`            // the first run of those resumed from each other
	// memory is the session's conversation when the run began.
	memory
}

// recordKey is the first entry of every journal.
const recordKey = "task"

func recordOf(j *trace.Journal) (record, error) {
	var r record
	e, ok := j.Find(trace.EntryIntent, recordKey)
	if !ok {
		return r, errors.New("the journal is empty: the run never began")
	}
	body, err := j.Body(e)
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(body, &r)
}

func appendRecord(j *trace.Journal, r record) error {
	body, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = j.Append(trace.EntryIntent, recordKey, body)
	return err
}

func noJournal(run string) error {
	return &diag.NotFoundError{What: fmt.Sprintf("there is no journal of run %s", run), Help: "wb agent list"}
}

// key names an agent of a document among the state of this machine.
func key(d *agent.Definition, file string) string {
	sum := sha256.Sum256([]byte(file))
	return pathSafe(d.ID) + "-" + hex.EncodeToString(sum[:4])
}
