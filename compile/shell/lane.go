package shell

import (
	"wb/compile"
	"wb/compile/clang"
)

// Lane is sh and bash.
type Lane struct{ *Runner }

// New makes the lane in env and registers what it needs.
func New(env *compile.Env) *Lane {
	env.Tools.Register(toolboxRecipe(clang.New(env)), guestRecipe())
	return &Lane{newRunner(env)}
}
