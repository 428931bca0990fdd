// Package instance is a workbook that stays alive between calls: the state of
// its sessions, the keys and files that its components keep. It can be frozen
// into a file, carried to another machine, and resumed there.
//
//	nb, err := instance.Open(instance.Config{Options: workbook.Options{Book: book}, Host: host})
//	total, err := nb.Call(ctx, "total", map[string]value.Value{"rate": value.OfFloat(1.5)})
//	err = nb.VFSPut(ctx, "memory:seen.txt", []byte("1"))
//	err = nb.Freeze(ctx, file)
//
//	nb, err = instance.Resume(ctx, config, file) // elsewhere
//	next, err := nb.Call(ctx, "next", nil)       // goes on where total left its session
//
// Between two calls the sessions are data, as they are in the file: a call
// thaws them, and freezes them when it is done. Blocks that have run in a
// session do not run again while they are the same; when one has changed, its
// session begins anew and runs what it needs. What belongs to the host is never
// frozen: open files, connections, the clock, the user's variables and secrets.
package instance

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"sync"

	"wb/internal/identity"
	"wb/internal/value"
	"wb/workbook"
	"wb/workbook/capability"
	"wb/workbook/frozen"
)

// Config says which workbook it is and what serves it.
type Config struct {
	// Options are those of its runs. File and Lanes are needed; the
	// Continuation is the instance's own.
	Options workbook.Options
	// Host has the stores of the workbook's directory; nil has none.
	Host *capability.Host
	// Signer signs what is frozen; nil leaves it unsigned.
	Signer identity.Signer
	// Accept decides about a file by its signer's did:key, "" for an unsigned one: an error
	// refuses it; of a third party's, the sessions are resumed and the keys and files are not,
	// and runs are those of a third party's document. nil refuses what Signer has not signed.
	Accept func(signer string) (thirdParty bool, err error)
}

// Instance is a workbook that is alive. Its methods may be called by several
// goroutines; calls take turns.
type Instance struct {
	config Config
	dir    string

	mu    sync.Mutex
	state *frozen.File
	calls int
}

// errNoHost says that an instance without a host has no stores.
var errNoHost = errors.New("instance: volumes need a host")

// Open makes an instance. Nothing runs yet.
func Open(config Config) (*Instance, error) {
	if config.Options.File == "" || config.Options.Lanes == nil {
		return nil, errors.New("instance: a file and lanes are needed")
	}
	file, err := filepath.Abs(config.Options.File)
	if err != nil {
		return nil, err
	}
	return &Instance{config: config, dir: filepath.Dir(file), state: &frozen.File{Document: filepath.Base(file)}}, nil
}

// Resume makes an instance of what Freeze wrote. The keys and files in it become
// those of the workbook's directory here; where others are there already, it is
// refused. Errors about the file are *[frozen.Error].
func Resume(ctx context.Context, config Config, r io.Reader) (*Instance, error) {
	i, err := Open(config)
	if err != nil {
		return nil, err
	}
	f, err := frozen.Read(r)
	if err != nil {
		return nil, err
	}
	thirdParty, err := config.accept(f.Signer)
	if err != nil {
		return nil, err
	}
	i.config.Options.ThirdParty = i.config.Options.ThirdParty || thirdParty
	if config.Host != nil && !thirdParty {
		if err := config.Host.Unpack(ctx, i.dir, f); err != nil {
			return nil, err
		}
	}
	f.KV, f.Files = nil, nil
	i.state = f
	return i, nil
}

func (c Config) accept(signer string) (thirdParty bool, err error) {
	own := ""
	if c.Signer != nil {
		own = c.Signer.DID()
	}
	switch {
	case c.Accept != nil:
		return c.Accept(signer)
	case signer != own:
		return false, frozen.Errorf(frozen.CodeSigner, "it is signed by %q and not by %q", signer, own)
	}
	return false, nil
}

// Run runs the whole workbook, as [workbook.Run] does, in the sessions of the
// instance.
func (i *Instance) Run(ctx context.Context) (*workbook.Report, error) {
	return i.run(ctx, i.config.Options)
}

// Call runs one component, and what it needs, and returns its value. set gives
// values to the workbook's inputs besides those of the options; nothing is
// written to the workbook.
func (i *Instance) Call(ctx context.Context, id string, set map[string]value.Value) (value.Value, error) {
	opts := i.config.Options
	opts.Only, opts.Write = []string{id}, workbook.WriteNothing
	opts.Set = map[string]value.Value{}
	for _, values := range []map[string]value.Value{i.config.Options.Set, set} {
		for name, v := range values {
			opts.Set[name] = v
		}
	}
	report, err := i.run(ctx, opts)
	if err != nil {
		return value.Nil(), err
	}
	for _, d := range report.Components {
		if d.Err != nil {
			return value.Nil(), d.Err
		}
	}
	called := report.Plan.Component(id)
	for _, d := range report.Components {
		if called != nil && d.ID == called.ID {
			return d.Value, nil
		}
	}
	return value.Nil(), &workbook.NotFoundError{ID: id}
}

func (i *Instance) run(ctx context.Context, opts workbook.Options) (*workbook.Report, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	opts.Resume = i.state
	opts.Freeze = func(f *frozen.File) error {
		i.state = f
		return nil
	}
	i.calls++
	return workbook.Run(ctx, opts)
}

// VFSPut makes or replaces a file of a volume: memory:notes.txt.
func (i *Instance) VFSPut(ctx context.Context, path string, content []byte) error {
	if i.config.Host == nil {
		return errNoHost
	}
	return i.config.Host.Project(i.dir).WriteFile(ctx, path, content)
}

// VFSGet reads a file of a volume; found is false when there is none.
func (i *Instance) VFSGet(ctx context.Context, path string) (content []byte, found bool, err error) {
	if i.config.Host == nil {
		return nil, false, errNoHost
	}
	return i.config.Host.Project(i.dir).ReadFile(ctx, path)
}

// Info describes an instance.
type Info struct {
	Document string    `json:"document"`
	Calls    int       `json:"calls"` // since it was opened or resumed
	Sessions []Session `json:"sessions"`
	Signer   string    `json:"signer,omitempty"` // of the file it was read from, a did:key
}

// Session is one of its live sessions.
type Session struct {
	Name string   `json:"name"`
	Lang string   `json:"lang"`
	Ran  []string `json:"ran"`   // the components whose state it has, in order
	Size int      `json:"bytes"` // of its state, frozen
}

// Info tells what is alive.
func (i *Instance) Info() Info {
	i.mu.Lock()
	defer i.mu.Unlock()
	info := Describe(i.state)
	info.Calls = i.calls
	return info
}

// Describe tells what is in a frozen document.
func Describe(f *frozen.File) Info {
	info := Info{Document: f.Document, Sessions: []Session{}, Signer: f.Signer}
	for _, s := range f.Sessions {
		one := Session{Name: s.Name, Lang: s.Lang, Ran: []string{}, Size: len(s.State.Bytes)}
		for _, ran := range s.Ran {
			one.Ran = append(one.Ran, ran.Component)
		}
		info.Sessions = append(info.Sessions, one)
	}
	return info
}

// Freeze writes the instance to a file: the state of its sessions, and the keys
// and files that its directory keeps. The instance goes on.
func (i *Instance) Freeze(ctx context.Context, w io.Writer) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	f := *i.state
	f.KV, f.Files = nil, nil
	if i.config.Host != nil {
		if err := i.config.Host.Pack(ctx, i.dir, &f); err != nil {
			return err
		}
	}
	return f.Write(w, i.config.Signer)
}
