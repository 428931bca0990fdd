package tier

import "syscall"

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

// Weaken leaves out walls as if the system had refused them n times.
func (p *Pool) Weaken(n int) {
	for range n {
		p.starter.weaker(syscall.EPERM)
	}
}
