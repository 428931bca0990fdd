package sandbox

import (
	"context"
	"os"
	"path/filepath"
	"testing"
)

// A snapshot outlives its process; one that is damaged, or of something else,
// is not found.
func TestSnapshotCache(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	host := []HostModule{{Name: "env", Funcs: []HostFunc{{Name: "again", Params: []ValueType{I32}, Results: []ValueType{I32},
		Call: func(context.Context, *Instance, []uint64) error { return nil }}}}}
	open := func() (*Engine, *Module) {
		engine, err := NewEngine(ctx, Config{CacheDir: dir})
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

	engine, module := open()
	in, err := engine.Start(ctx, Command{Module: module, Host: host})
	if err != nil {
		t.Fatal(err)
	}
	in.Memory().WriteString(5000, "frozen")
	s, err := in.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	in.Memory().WriteString(5000, "melted")
	if err := engine.SaveSnapshot("vm", "1", s, []byte("note")); err != nil {
		t.Fatal(err)
	}

	engine, module = open()
	s, note, ok := engine.LoadSnapshot("vm", "1", module)
	if !ok || string(note) != "note" || s.Size() != pageSize {
		t.Fatalf("%v %q", ok, note)
	}
	for range 2 {
		in, err := engine.Restore(ctx, s, Command{Host: host})
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := in.Memory().Read(5000, 6); string(got) != "frozen" {
			t.Errorf("restored %q", got)
		}
		in.Memory().WriteString(5000, "melted")
		if got, err := in.Call(ctx, "sum", 0); err != nil || got[0] != 0 {
			t.Errorf("%v %v", got, err)
		}
		in.Close(ctx)
	}

	if _, _, ok := engine.LoadSnapshot("vm", "2", module); ok {
		t.Error("found a snapshot with another key")
	}
	files, err := filepath.Glob(filepath.Join(dir, "snapshots", "*"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if err := os.Truncate(files[0], headSize+10); err != nil {
		t.Fatal(err)
	}
	if _, _, ok := engine.LoadSnapshot("vm", "1", module); ok {
		t.Error("found a snapshot that is cut off")
	}
}
