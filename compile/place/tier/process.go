package tier

import (
	"context"
	"os/exec"
	"path/filepath"
)

type execCmd = exec.Cmd

// processStarter starts wb's own executable.
type processStarter struct {
	config *Config
	walls  wallSet
}

// launch is a child of this process: its arguments name two directories and
// nothing else, its environment is empty.
func (s *processStarter) launch(_ context.Context, private string) (*launch, error) {
	shared, err := filepath.Abs(s.config.Cache)
	if err != nil {
		return nil, err
	}
	if private, err = filepath.Abs(private); err != nil {
		return nil, err
	}
	cmd := exec.Command(s.config.Executable)
	cmd.Args = []string{"wb", ChildVerb, private, shared}
	cmd.Env = childEnvironment()
	cmd.Dir = private
	notes := s.walls.raise(cmd)
	return &launch{cmd: cmd, notes: notes}, nil
}

func (s *processStarter) weaker(err error) bool { return s.walls.weaken(err) }
