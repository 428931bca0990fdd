package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"wb/compile"
	"wb/compile/lanes"
)

// toolchainCondition answers [toolchain:NAME] in scripts: whether NAME is
// installed. Under CI a toolchain that can be fetched and is missing is an error,
// never a silent skip.
func toolchainCondition(cond string) (bool, error) {
	name, ok := strings.CutPrefix(cond, "toolchain:")
	if !ok {
		return false, fmt.Errorf("unknown condition %q", cond)
	}
	ctx := context.Background()
	env, err := compile.NewEnv(ctx, compile.EnvConfig{})
	if err != nil {
		return false, err
	}
	defer env.Close(ctx)
	if _, err := lanes.New(env); err != nil {
		return false, err
	}
	_, installed := env.Tools.Installed(name)
	if !installed && os.Getenv("CI") == "true" && env.Tools.Comes(name) {
		return false, fmt.Errorf("toolchain %s is missing; run: wb toolchain install %s", name, name)
	}
	return installed, nil
}
