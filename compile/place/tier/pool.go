package tier

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"wb/compile/place/remote"
)

// Config says how children are made and what holds them. Tier, Principal and
// Cache are needed.
type Config struct {
	Tier Tier
	// Principal is on whose behalf children run: the absolute path of a
	// document. Others never share a child, nor what it leaves in its cache.
	Principal string
	// Cache is the "wb" directory of the user's caches, which children read. In
	// it, tiers/ has what they write.
	Cache string
	// Executable is wb; "" is this process's own.
	Executable string
	// BuildTime is how long building one program may take; 0 is ten minutes,
	// enough for a compiler that is loaded for the first time.
	BuildTime time.Duration
	// Grace is how long after its own limit a program may still be running; 0 is
	// five seconds.
	Grace time.Duration
	// Memory is how large a child may become besides what its program may use,
	// in bytes; 0 is 4 GiB, which compilers need.
	Memory int64
	// Uses is how many requests a child serves; 0 is 256.
	Uses int
	// Idle is how long a child without work lives; 0 is a minute.
	Idle time.Duration
	// Runtime and Image are for containers: the command of the engine and the
	// image; "" is what the environment says, or docker and wb-wasmtime:latest.
	Runtime, Image string
}

func (c *Config) withDefaults() error {
	if c.BuildTime == 0 {
		c.BuildTime = 10 * time.Minute
	}
	if c.Grace == 0 {
		c.Grace = 5 * time.Second
	}
	if c.Memory == 0 {
		c.Memory = 4 << 30
	}
	if c.Uses == 0 {
		c.Uses = 256
	}
	if c.Idle == 0 {
		c.Idle = time.Minute
	}
	if c.Executable == "" {
		exe, err := os.Executable()
		if err != nil {
			return err
		}
		c.Executable = exe
	}
	if c.Cache == "" || c.Principal == "" {
		return errors.New("tier: a pool needs a principal and a cache")
	}
	return nil
}

// launch is a command that leads to a child.
type launch struct {
	cmd   *execCmd
	kill  func() // besides killing cmd, may be nil
	notes []string
}

// Pool runs programs of one principal in children. It is a [remote.Transport]
// and safe for concurrent use.
type Pool struct {
	config  Config
	private string
	starter starter

	mu       sync.Mutex
	idle     []*peer
	sessions map[string]*peer // nil once lost
	live     map[*peer]struct{}
	notes    []string
	started  int
	closed   bool
}

// starter makes launches; it remembers which walls the system refused.
type starter interface {
	launch(ctx context.Context, private string) (*launch, error)
	// weaker is asked after a start failed: whether to try again with less.
	weaker(err error) bool
}

// Open readies a pool. No child is started yet, but what the tier needs is
// looked for: an error says why it is not there.
func Open(ctx context.Context, config Config) (*Pool, error) {
	if err := config.withDefaults(); err != nil {
		return nil, err
	}
	if err := Available(ctx, config); err != nil {
		return nil, err
	}
	p := &Pool{config: config, sessions: map[string]*peer{}, live: map[*peer]struct{}{}}
	switch config.Tier {
	case Process:
		p.starter = &processStarter{config: &p.config}
	case Container:
		p.starter = &containerStarter{config: &p.config}
	default:
		return nil, fmt.Errorf("tier: no pool for the tier %s", config.Tier)
	}
	sum := sha256.Sum256([]byte(config.Principal))
	p.private = filepath.Join(config.Cache, "tiers", hex.EncodeToString(sum[:8]))
	if err := os.MkdirAll(p.private, 0o700); err != nil {
		return nil, err
	}
	now := time.Now()
	_ = os.Chtimes(p.private, now, now) // a hint for collect
	collect(filepath.Dir(p.private), now)
	return p, nil
}

// keepFor is how long a principal's own cache stays that is not used.
const keepFor = 14 * 24 * time.Hour

// collect removes caches of principals that have not been back.
func collect(dir string, now time.Time) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && now.Sub(info.ModTime()) > keepFor {
			_ = os.RemoveAll(filepath.Join(dir, e.Name())) // next time, then
		}
	}
}

// Notes say which walls the system does not have, once there was a child to
// tell.
func (p *Pool) Notes() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.notes)
}

// Started is how many children were started so far.
func (p *Pool) Started() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.started
}

// RoundTrip runs a program in a child.
func (p *Pool) RoundTrip(ctx context.Context, trip remote.Trip) ([]byte, error) {
	one, err := p.take(ctx, trip)
	if err != nil {
		return nil, err
	}
	reply, err := one.serve(ctx, trip, &p.config)
	p.give(one, trip.Session)
	return reply, err
}

// take is an idle child or a new one, or that of the session.
func (p *Pool) take(ctx context.Context, trip remote.Trip) (*peer, error) {
	p.mu.Lock()
	if trip.Session != "" {
		one, known := p.sessions[trip.Session]
		if known {
			p.mu.Unlock()
			if one == nil {
				return nil, &LostError{Component: trip.Component, How: "while an earlier block of its session ran, and the session's state is lost"}
			}
			return one, nil
		}
	}
	for len(p.idle) > 0 {
		one := p.idle[len(p.idle)-1]
		p.idle = p.idle[:len(p.idle)-1]
		if time.Since(one.idle) < p.config.Idle {
			p.mu.Unlock()
			return p.bind(one, trip.Session), nil
		}
		p.retire(one)
	}
	p.mu.Unlock()
	one, err := p.start(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s: the tier %s: %w", trip.Component, p.config.Tier, err)
	}
	return p.bind(one, trip.Session), nil
}

// Try starts a child, which then waits for work.
func (p *Pool) Try(ctx context.Context) error {
	one, err := p.start(ctx)
	if err != nil {
		return fmt.Errorf("the tier %s: %w", p.config.Tier, err)
	}
	p.give(one, "")
	return nil
}

func (p *Pool) bind(one *peer, session string) *peer {
	if session != "" {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.sessions[session] = one
	}
	return one
}

// start makes a child, with as many walls as the system has.
func (p *Pool) start(ctx context.Context) (*peer, error) {
	for {
		l, err := p.starter.launch(ctx, p.private)
		if err != nil {
			return nil, err
		}
		one, err := startPeer(ctx, l)
		if err != nil {
			if ctx.Err() == nil && p.starter.weaker(err) {
				continue
			}
			return nil, err
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.closed {
			go one.close()
			return nil, errors.New("the pool is closed")
		}
		p.started++
		p.live[one] = struct{}{}
		if p.notes == nil {
			p.notes = slices.Clone(one.notes)
		}
		return one, nil
	}
}

// give puts a child back after a request.
func (p *Pool) give(one *peer, session string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case one.broken || p.closed:
		if session != "" {
			p.sessions[session] = nil
		}
		p.retire(one)
	case session != "":
	case one.served >= p.config.Uses:
		p.retire(one)
	default:
		one.idle = time.Now()
		p.idle = append(p.idle, one)
	}
}

// retire ends a child. The caller holds the lock.
func (p *Pool) retire(one *peer) {
	delete(p.live, one)
	if one.broken {
		one.kill()
	}
	go one.close()
}

// CloseSession ends a session, with the child it lived in.
func (p *Pool) CloseSession(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if one := p.sessions[name]; one != nil {
		p.retire(one)
	}
	delete(p.sessions, name)
}

// Close ends all children. Programs that still run are killed.
func (p *Pool) Close() error {
	p.mu.Lock()
	p.closed = true
	idle, busy := p.idle, p.live
	p.idle, p.sessions, p.live = nil, map[string]*peer{}, map[*peer]struct{}{}
	p.mu.Unlock()
	var done sync.WaitGroup
	for _, one := range idle {
		delete(busy, one)
		done.Go(one.close)
	}
	for one := range busy {
		done.Go(func() { one.kill(); one.wait() })
	}
	done.Wait()
	return nil
}
