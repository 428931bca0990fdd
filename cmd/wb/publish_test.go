package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"wb/publish/site/worker"
)

// layout is wb-publish built from this source, put beside the wb of scripts.
// Building it links hugo, which takes minutes the first time and seconds
// afterwards; go test -short leaves it out.
var layout = sync.OnceValue(func() error {
	wb, err := exec.LookPath("wb")
	if err != nil {
		return err
	}
	path, err := worker.Find(context.Background(), func(string, ...any) {})
	if err != nil { // built with -trimpath, wb does not know where its source is
		path = filepath.Join(filepath.Dir(wb), "built", "wb-publish")
		if out, err := exec.Command("go", "build", "-o", path, "wb/cmd/wb-publish").CombinedOutput(); err != nil {
			return fmt.Errorf("%w\n%s", err, out)
		}
	}
	err = os.Symlink(path, filepath.Join(filepath.Dir(wb), "wb-publish"))
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	return err
})

// scriptCondition answers conditions of scripts: [wb-publish], whether it is
// there, and [toolchain:NAME].
func scriptCondition(cond string) (bool, error) {
	if cond != "wb-publish" {
		return toolchainCondition(cond)
	}
	if testing.Short() && os.Getenv("CI") != "true" {
		return false, nil
	}
	return true, layout()
}

// TestLayoutIsApart holds wb to not linking what wb-publish is for, and
// wb-publish to having neither targets nor agents.
func TestLayoutIsApart(t *testing.T) {
	for program, without := range map[string][]string{
		"wb/cmd/wb":         {"github.com/gohugoio/hugo", "github.com/alecthomas/chroma", "wb/publish/site/hugo", "wb/publish/site/highlight"},
		"wb/cmd/wb-publish": {"wb/publish/target", "wb/publish/site/deploy", "wb/agent", "wb/serve", "github.com/go-git/go-git"},
	} {
		out, err := exec.Command("go", "list", "-deps", program).Output()
		if err != nil {
			t.Fatal(err)
		}
		for pkg := range strings.FieldsSeq(string(out)) {
			for _, prefix := range without {
				if pkg == prefix || strings.HasPrefix(pkg, prefix+"/") {
					t.Errorf("%s links %s", program, pkg)
				}
			}
		}
	}
}
