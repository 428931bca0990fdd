package shell

import (
	"context"
	"io"
	"time"

	"wb/compile"
	"wb/sandbox"
	"wb/sandbox/dock"
)

// ScriptRunner runs shell scripts in the sandbox. It is safe for concurrent use; the
// programs it needs are installed and loaded at the first run.
type ScriptRunner struct{ loader *loader }

// Script is one run of a shell.
type Script struct {
	// Text is the script.
	Text string
	// Shell is "bash" or "sh", whose echo interprets backslashes. "" is bash.
	Shell string
	// Name is $0 and stands before messages; the name of the shell when empty.
	Name string
	Args []string // $1 …
	// Options are given to the shell before the script, such as "-e".
	Options []string
	Stdin   io.Reader
	// Stdout and Stderr receive output as it is produced; the result has all of
	// it in any case.
	Stdout, Stderr io.Writer
	// Files is the tree that the script sees as "/"; nil is an empty one. Where
	// it has no directory tmp, /tmp is a private one.
	Files sandbox.FS
	Dir   string   // working directory, "/" when empty
	Env   []string // KEY=value
	// Limits are those of the run as a whole. Fuel, time, output and growth of
	// the tree are shared by all its processes; memory bounds each of them.
	Limits sandbox.Limits
	Caps   sandbox.Caps
	Seed   uint64
	// Dock serves the command wb; without one there is none.
	Dock *dock.Dock
}

// Result is what a script did.
type Result struct {
	Stdout, Stderr []byte
	Exit           int
	Usage          sandbox.Usage
}

// Run runs a script to its end. A script that fails is not an error; an error says
// that it could not run or broke a limit, and the result holds what there was
// by then.
func (r *ScriptRunner) Run(ctx context.Context, s Script) (Result, error) {
	return r.run(ctx, s, s.argv())
}

// Tool runs one program, named by argv[0], in the place of a shell: awk, sed,
// jq or any other that scripts can use. Text, Shell, Name, Args and Options of
// s have no meaning here.
func (r *ScriptRunner) Tool(ctx context.Context, s Script, argv []string) (Result, error) {
	return r.run(ctx, s, argv)
}

// checkProgram is the guest's parser: see guest/main.go.
const checkProgram = "\x00check"

// run runs argv in the place of the script's shell.
func (r *ScriptRunner) run(ctx context.Context, s Script, argv []string) (Result, error) {
	set, err := r.loader.load(ctx)
	if err != nil {
		return Result{}, err
	}
	for _, command := range wanted(argv) { // before the clock of the run starts
		if _, err := set.original(ctx, command); err != nil {
			return Result{}, err
		}
	}
	k := &kernel{set: set, caps: s.Caps, dock: s.Dock, seed: s.Seed, start: time.Now(), limits: withDefaults(s.Limits)}
	if k.tree, err = k.mount(s.Files); err != nil {
		return Result{}, err
	}
	k.ctx, k.cancel = context.WithCancelCause(ctx)
	defer k.cancel(nil)
	if wall := k.limits.WallLimit(); wall > 0 {
		limit := &sandbox.LimitError{Kind: sandbox.LimitTime, Limit: int64(wall)}
		timer := time.AfterFunc(wall, func() { k.fail(limit) })
		defer timer.Stop()
	}
	stdout, stderr := &output{kernel: k, live: s.Stdout}, &output{kernel: k, live: s.Stderr}
	p := &process{argv: argv, env: s.Env, dir: s.Dir}
	if p.dir == "" {
		p.dir = "/"
	}
	p.streams = [3]*stream{newStream(nothing{}), newStream(stdout), newStream(stderr)}
	if s.Stdin != nil {
		p.streams[0] = newStream(&input{r: s.Stdin})
	}
	if err := k.spawn(p); err != nil {
		return Result{}, err
	}
	<-p.done
	result := Result{Stdout: stdout.kept.Bytes(), Stderr: stderr.kept.Bytes(), Exit: p.status,
		Usage: sandbox.Usage{Fuel: k.fuel.Load(), Memory: k.memory.Load(), Work: time.Duration(k.work.Load()), Wall: time.Since(k.start)}}
	if k.err == nil && ctx.Err() != nil {
		return result, context.Cause(ctx)
	}
	return result, k.err
}

func (s *Script) argv() []string {
	shell := s.Shell
	if shell == "" {
		shell = "bash"
	}
	name := s.Name
	if name == "" {
		name = shell
	}
	argv := append([]string{shell}, s.Options...)
	return append(append(argv, "-c", s.Text, name), s.Args...)
}

// withDefaults fills limits that were not given.
func withDefaults(l sandbox.Limits) sandbox.Limits {
	d := sandbox.DefaultLimits
	for _, f := range []struct{ to, from *int64 }{{&l.Fuel, &d.Fuel}, {&l.Memory, &d.Memory}, {&l.Output, &d.Output}, {&l.Files, &d.Files}} {
		if *f.to == 0 {
			*f.to = *f.from
		}
	}
	if l.Timeout == 0 {
		l.Timeout = d.Timeout
	}
	return l
}

// mount makes the tree of a run: the given one, /tmp, and a common quota.
func (k *kernel) mount(tree sandbox.FS) (sandbox.FS, error) {
	if tree == nil {
		tree = sandbox.NewMemFS()
	}
	if info, err := tree.Stat("tmp"); err != nil || !info.IsDir() {
		var err error
		if tree, err = sandbox.Mounts(tree, map[string]sandbox.FS{"tmp": sandbox.NewMemFS()}); err != nil {
			return nil, err
		}
	}
	k.attributes = &quotaFS{FS: tree, used: &k.files, limit: k.limits.Files}
	return k.attributes, nil
}

// newScriptRunner makes a ScriptRunner that shares what the lane loads.
func newScriptRunner(env *compile.Env) *ScriptRunner { return &ScriptRunner{&loader{env: env}} }
