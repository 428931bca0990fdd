package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"time"

	"wb/agent"
	"wb/internal/lazyregexp"
	"wb/internal/whole"
)

// session is a conversation that goes on from run to run: what was said, kept
// in the state directory until the agent's TTL has passed without a word.
type session struct {
	Name    string    `json:"name"`
	Agent   string    `json:"agent"`
	Updated time.Time `json:"updated"`
	memory
}

// memory is the conversation that a run of a session begins with.
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

// turn waits until no other run goes on with a session, here or in another process.
func (rt *Runtime) turn(ctx context.Context, d *agent.Definition, name string) (release func(), err error) {
	if name == "" {
		return func() {}, nil
	}
	for {
		release, ok, err := rt.State.Lock("session-" + pathSafe(d.ID) + "-" + name)
		if err != nil || ok {
			return release, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(turnPoll):
		}
	}
}

// turnPoll is how often a run looks whether the session is free.
const turnPoll = 50 * time.Millisecond

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
	now, err := rt.remember(d, task.Session) // more than before, where others went on while this run lay still
	if err != nil {
		return err
	}
	if n := len(now.History); n > len(before.History) && slices.ContainsFunc(now.History[len(before.History):], func(m agent.Message) bool {
		return m.Role == agent.RoleAssistant && m.Content == result.Result
	}) && slices.ContainsFunc(now.History[len(before.History):], func(m agent.Message) bool {
		return m.Role == agent.RoleUser && m.Content == task.Text
	}) {
		return nil // the process that was resumed had kept it
	}
	values := agent.NewState(now.State)
	values.Apply(state.Since(0))
	history := append(now.History, agent.Message{Role: agent.RoleUser, Content: task.Text}, agent.Message{Role: agent.RoleAssistant, Content: result.Result})
	s := session{Name: task.Session, Agent: d.ID, Updated: time.Now(),
		memory: memory{History: history[max(0, len(history)-maxHistory):], Taint: joined(now.Taint, result.Taint), State: values.Values()}}
	text, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		return err
	}
	return whole.File{Dirs: 0o700, Sync: true}.Write(path, text)
}

// joined are the labels of both, each once.
func joined(a, b []string) []string {
	all := slices.Clone(a)
	for _, label := range b {
		if !slices.Contains(all, label) {
			all = append(all, label)
		}
	}
	return all
}

// options are the options of a new run.
func (m memory) options() agent.Options {
	return agent.Options{History: m.History, Taint: m.Taint, State: agent.NewState(m.State)}
}
