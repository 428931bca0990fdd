package compile

import "context"

// Readier is a lane whose programs run on a machine that takes time to be made ready.
type Readier interface {
	// MakeReady does that. What goes wrong is for [Lane.Run] to tell.
	MakeReady(ctx context.Context)
}

// BuiltBy is lane with its Build done by the environment's builder where that can.
// It is lane itself where there is none, or Build is no work for another process.
func BuiltBy(env *Env, lane Lane) Lane {
	if env.Builder == nil || !lane.Info().Compiles {
		return lane
	}
	return &builtLane{lane, env}
}

type builtLane struct {
	Lane
	env *Env
}

// Unwrap is the lane that builds by itself.
func (l *builtLane) Unwrap() Lane { return l.Lane }

func (l *builtLane) Build(ctx context.Context, src *Source) (*Artifact, error) {
	if l.installed() {
		if lane, ok := l.Lane.(Readier); ok { // while the source is built elsewhere
			go lane.MakeReady(context.WithoutCancel(ctx))
		}
		if art, done, err := l.env.Builder.Build(ctx, l.Lane, src); done {
			return art, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return l.Lane.Build(ctx, src)
}

// installed reports whether the compiler is there: installing it is for this
// process, which can tell its user about it.
func (l *builtLane) installed() bool {
	for _, name := range l.Info().Toolchains {
		if _, ok := l.env.Tools.Installed(name); !ok {
			return false
		}
	}
	return true
}

// Bare is a lane without what was put in front of it, such as a cache.
func Bare(lane Lane) Lane {
	for {
		wrapped, more := lane.(interface{ Unwrap() Lane })
		if !more {
			return lane
		}
		lane = wrapped.Unwrap()
	}
}
