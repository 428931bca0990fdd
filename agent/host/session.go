package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"wb/agent"
	"wb/internal/lazyregexp"
)

// session is a conversation that goes on from run to run: what was said, kept
// in the state directory until the agent's TTL has passed without a word.
type session struct {
	Name    string    `json:"name"`
	Agent   string    `json:"agent"`
	Updated time.Time `json:"updated"`
	memory
}

// memory is what a run of a session begins with.
type memory struct {
	History []agent.Message `json:"history,omitempty"`
	// Taint is where untrusted text came from that the history rests on.
	Taint []string `json:"taint,omitempty"`
	// State is the session's keys and values.
	State map[string]string `json:"state,omitempty"`
}

// maxHistory bounds what a session remembers, in messages.
const maxHistory = 200

var sessionName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

func (rt *Runtime) sessionPath(agentID, name string) (string, error) {
	if !sessionName.MatchString(name) {
		return "", fmt.Errorf("session %q: a name is letters, digits, dots and hyphens", name)
	}
	return filepath.Join(rt.State.Dir(), "sessions", pathSafe(agentID), name+".json"), nil
}

// pathSafe is an agent's id as one part of a path.
func pathSafe(id string) string {
	return regexp.MustCompile(`[^A-Za-z0-9._-]+`).ReplaceAllString("agent-"+id, "_")
}

// remember reads the history of a session; one that is over is empty.
func (rt *Runtime) remember(d *agent.Definition, name string) (memory, error) {
	if name == "" {
		return memory{}, nil
	}
	path, err := rt.sessionPath(d.ID, name)
	if err != nil {
		return memory{}, err
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return memory{}, nil
	}
	if err != nil {
		return memory{}, err
	}
	var s session
	if err := json.Unmarshal(text, &s); err != nil {
		return memory{}, fmt.Errorf("session %s: %s: %w", name, path, err)
	}
	if time.Since(s.Updated) > d.SessionTTL {
		return memory{}, nil
	}
	return s.memory, nil
}

// keepSession adds a task and its answer to a session. Runs that failed add
// nothing: the conversation goes on from before them.
func (rt *Runtime) keepSession(d *agent.Definition, task Task, result *agent.Result, before memory, state *agent.State) error {
	if task.Session == "" || result.ExitCode() != 0 {
		return nil
	}
	path, err := rt.sessionPath(d.ID, task.Session)
	if err != nil {
		return err
	}
	history := append(before.History, agent.Message{Role: agent.RoleUser, Content: task.Text}, agent.Message{Role: agent.RoleAssistant, Content: result.Result})
	s := session{Name: task.Session, Agent: d.ID, Updated: time.Now(),
		memory: memory{History: history[max(0, len(history)-maxHistory):], Taint: result.Taint, State: state.Values()}}
	text, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	part, err := os.CreateTemp(filepath.Dir(path), ".part-*")
	if err != nil {
		return err
	}
	defer os.Remove(part.Name())
	_, err = part.Write(text)
	if err = errors.Join(err, part.Sync(), part.Close()); err != nil {
		return err
	}
	return os.Rename(part.Name(), path)
}

// options are what a run begins with.
func (m memory) options() agent.Options {
	return agent.Options{History: m.History, Taint: m.Taint, State: agent.NewState(m.State)}
}
