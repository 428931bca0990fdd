package sandbox

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// An engine reads the cache of others and writes into its own alone.
func TestSharedCache(t *testing.T) {
	ctx, shared, own := t.Context(), t.TempDir(), t.TempDir()
	open := func(config Config) (*Engine, *Module) {
		engine, err := NewEngine(ctx, config)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { engine.Close(ctx) })
		module, err := engine.Compile(ctx, "sum", sumModule)
		if err != nil {
			t.Fatal(err)
		}
		return engine, module
	}
	host := []HostModule{{Name: "env", Funcs: []HostFunc{{Name: "again", Params: []ValueType{I32}, Results: []ValueType{I32}}}}}
	host[0].Funcs[0].Call = func(_ context.Context, _ *Instance, _ []uint64) error { return nil }
	engine, module := open(Config{CacheDir: shared})
	in, err := engine.Start(ctx, Command{Module: module, Host: host})
	if err != nil {
		t.Fatal(err)
	}
	s, err := in.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.SaveSnapshot("vm", "1", s, nil); err != nil {
		t.Fatal(err)
	}
	before := treeOf(t, shared)

	engine, module = open(Config{CacheDir: own, Shared: shared})
	if _, _, ok := engine.LoadSnapshot("vm", "1", module); !ok {
		t.Error("a snapshot of the shared cache is not found")
	}
	links, err := filepath.Glob(filepath.Join(own, "code", "*", "*"))
	if err != nil || len(links) == 0 {
		t.Fatalf("no machine code is taken over: %v", err)
	}
	for _, link := range links {
		if target, err := os.Readlink(link); err != nil || filepath.Base(target) != filepath.Base(link) {
			t.Errorf("%s leads to %q: %v", link, target, err)
		}
	}
	if err := engine.SaveSnapshot("vm", "2", s, nil); err != nil {
		t.Fatal(err)
	}
	if after := treeOf(t, shared); after != before {
		t.Errorf("the shared cache was changed:\n%s\n%s", before, after)
	}
}

// treeOf lists a directory's files with their sizes and times.
func treeOf(t *testing.T, dir string) string {
	t.Helper()
	text := ""
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil {
			text += path + " " + info.Mode().String() + " " + info.ModTime().String() + "\n"
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}
