package shell

import (
	"wb/compile"
	"wb/compile/clang"
)

// New makes the shell lane's runner in env; stub of the lane follows.
func New(env *compile.Env) *Runner {
	env.Tools.Register(toolboxRecipe(clang.New(env)), guestRecipe())
	return newRunner(env)
}
