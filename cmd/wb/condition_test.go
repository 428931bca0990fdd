package main

import (
	"fmt"
	"os"
	"strings"
)

// toolchainCondition answers [toolchain:NAME] in scripts: whether NAME is
// installed. Under CI a missing toolchain is an error, never a silent skip.
func toolchainCondition(cond string) (bool, error) {
	name, ok := strings.CutPrefix(cond, "toolchain:")
	if !ok {
		return false, fmt.Errorf("unknown condition %q", cond)
	}
	installed := toolchainInstalled(name)
	if !installed && os.Getenv("CI") == "true" {
		return false, fmt.Errorf("toolchain %s is missing; run: wb toolchain install %s", name, name)
	}
	return installed, nil
}

// toolchainInstalled is replaced when the toolchain store lands.
func toolchainInstalled(string) bool { return false }
