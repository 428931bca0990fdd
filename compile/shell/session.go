package shell

import (
	"context"
	"strings"
	"sync"

	"wb/sandbox"
)

// A session is what one block of a shell leaves to the next: variables,
// functions, options and the working directory. Each block still runs in a
// shell of its own, which begins by reading the state of the one before and ends
// by writing its own; a block that calls exit leaves the state as it was. What
// only a living shell has does not come along: background jobs, traps, aliases
// and open files.

// sessionDir is where a block of a session finds the state, and where its
// temporary files outlive it.
const sessionDir = ".wb-session"

const sessionHead = `[ -e /` + sessionDir + `/state ] && . /` + sessionDir + "/state\n"

// sessionTail runs after the body; what it finds out first is what it would
// change itself. Names the shell gives itself are left out, and so is the option c:
// it says that the shell got its script as an argument, and cannot be set.
const sessionTail = `__wb_status=$? __wb_options=${-/c}
{ set +euxv; } 2>/dev/null
{
  declare -p | sed -E '/^declare -[-a-zA-Z]+ (BASH|BASH_[A-Z]+|EUID|HOSTNAME|HOSTTYPE|OSTYPE|PPID|SHLVL|UID|__wb_[a-z]+)=/d; s/^declare -- /declare /'
  declare -f
  printf 'cd %q\nset -%s\n' "$PWD" "$__wb_options"
} >/` + sessionDir + `/state
exit $__wb_status
`

// sessions are the directories of those that are open, by name.
type sessions struct {
	mu   sync.Mutex
	dirs map[string]sandbox.FS
}

// enter adds a session's directory to a tree.
func (s *sessions) enter(name string, tree sandbox.FS) (sandbox.FS, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dirs == nil {
		s.dirs = map[string]sandbox.FS{}
	}
	if s.dirs[name] == nil {
		s.dirs[name] = sandbox.NewMemFS()
	}
	if tree == nil {
		tree = sandbox.NewMemFS()
	}
	return sandbox.Mounts(tree, map[string]sandbox.FS{sessionDir: s.dirs[name]})
}

// CloseSession forgets a session.
func (l *Lane) CloseSession(_ context.Context, name string) error {
	l.sessions.mu.Lock()
	defer l.sessions.mu.Unlock()
	delete(l.sessions.dirs, name)
	return nil
}

// inSession is a script that takes over a session's state and leaves its own.
func inSession(script string) string {
	return sessionHead + strings.TrimSuffix(script, "\n") + "\n" + sessionTail
}
