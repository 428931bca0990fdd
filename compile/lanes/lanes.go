// Package lanes knows every language: it makes the lanes, registers the
// toolchains they need, and puts the artifact cache in front of them. It is
// the only package that imports all of them; a new lane is one line here.
package lanes

import (
	"wb/compile"
	"wb/compile/citeproc"
	"wb/compile/clang"
	"wb/compile/dot"
	"wb/compile/elisp"
	"wb/compile/golang"
	"wb/compile/js"
	"wb/compile/lua"
	"wb/compile/plot"
	"wb/compile/python"
	"wb/compile/ruby"
	"wb/compile/rust"
	"wb/compile/shell"
	"wb/compile/sql"
	"wb/compile/textfilter"
	"wb/compile/ts"
	"wb/compile/wasm"
	"wb/compile/wat"
	"wb/compile/zig"
)

// New makes all lanes in env. Nothing is installed or loaded yet.
func New(env *compile.Env) (*compile.Registry, error) {
	cc := clang.New(env)
	javascript := js.New(env)
	sh := shell.New(env)
	all := []compile.Lane{
		cc.C(),
		cc.CPP(),
		javascript,
		ts.New(env, javascript.Runtime()),
		sh,
		golang.New(env),
		zig.New(env, cc),
		rust.New(env, cc),
		plot.New(),
		python.New(env, cc),
		lua.New(env, cc),
		wat.New(env, cc),
		wasm.New(env),
		ruby.New(env),
		dot.New(env),
		elisp.New(env, cc),
	}
	all = append(all, textfilter.Lanes(sh)...)
	all = append(all, sql.Lanes(env, cc)...)
	if env.Cache != nil {
		for i, lane := range all {
			all[i] = compile.Cached(compile.BuiltBy(env, lane), env.Cache)
		}
	}
	registry, err := compile.NewRegistry(all...)
	if err != nil {
		return nil, err
	}
	registry.WriteCitations(citeproc.New(env, javascript.Runtime()))
	return registry, nil
}
