package tier

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
