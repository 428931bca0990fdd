package tier

import "os/exec"

// Pids are the processes of a pool, busy or not.
func (p *Pool) Pids() []int {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []int
	for one := range p.live {
		all = append(all, one.cmd.Process.Pid)
	}
	return all
}

// EngineCommand is how a container is started.
func (p *Pool) EngineCommand() (*exec.Cmd, error) {
	l, err := p.starter.launch(nil, p.private)
	if err != nil {
		return nil, err
	}
	return l.cmd, nil
}
