package toolchain

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wb/internal/sha"
)

func TestPack(t *testing.T) {
	archive := tarball(t, toolEntries...)
	fakeNPM(t, archive, packs)
	other := Recipe{Name: "made", Version: "1", Origin: Built{Of: "x", Build: func(_ context.Context, job *Job) error {
		return job.Write("made.wasm", []byte("made here"))
	}}}
	from := openStore(t, tool(archive), other)
	for _, name := range from.Names() {
		if _, err := from.Ensure(context.Background(), name, nil); err != nil {
			t.Fatal(err)
		}
	}
	var pack bytes.Buffer
	if err := from.Pack(&pack, nil); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", "")
	to := openStore(t, tool(archive))
	installed, unknown, err := to.Unpack(context.Background(), bytes.NewReader(pack.Bytes()), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(installed) != 1 || len(unknown) != 1 || unknown[0] != "made" {
		t.Errorf("installed %v, unknown %v", installed, unknown)
	}
	if err := to.Verify(context.Background(), "tool", nil); err != nil {
		t.Fatal(err)
	}

	// A pack that lies about its content is refused although it is consistent.
	evil := tarball(t, toolEntries[0], entry{name: "package/gen/tool.wasm", body: "evil"}, toolEntries[3])
	lie := tool(archive)
	origin := lie.Origin.(NPM)
	origin.Integrity = integrity(evil)
	origin.Files = map[string]Pinned{"gen/tool.wasm": {Name: "tool.wasm", SHA256: sha.Hex("evil")}, "gen/lib.tar": origin.Files["gen/lib.tar"]}
	lie.Origin = origin
	fakeNPM(t, evil, packs)
	t.Setenv("PATH", os.Getenv("PATH")+":/bin:/usr/bin")
	liar := openStore(t, lie)
	tc, err := liar.Ensure(context.Background(), "tool", nil)
	if err != nil {
		t.Fatal(err)
	}
	honest := tool(archive)
	data, err := os.ReadFile(filepath.Join(tc.Dir, manifestName))
	if err != nil {
		t.Fatal(err)
	}
	data = bytes.ReplaceAll(data, []byte(lie.Pin()), []byte(honest.Pin()))
	if err := os.WriteFile(filepath.Join(tc.Dir, manifestName), data, 0o644); err != nil {
		t.Fatal(err)
	}
	pack.Reset()
	if err := liar.Pack(&pack, nil); err != nil {
		t.Fatal(err)
	}
	victim := openStore(t, honest)
	var integrityErr *IntegrityError
	if _, _, err := victim.Unpack(context.Background(), &pack, nil); !errors.As(err, &integrityErr) {
		t.Errorf("lying pack: %v", err)
	}
	if _, ok := victim.Installed("tool"); ok {
		t.Error("lying pack was installed")
	}
}

// A pack that is not whole says so, and nothing of it is installed.
func TestDamagedPacks(t *testing.T) {
	archive := tarball(t, toolEntries...)
	fakeNPM(t, archive, packs)
	from := openStore(t, tool(archive))
	if _, err := from.Ensure(context.Background(), "tool", nil); err != nil {
		t.Fatal(err)
	}
	var pack bytes.Buffer
	if err := from.Pack(&pack, nil); err != nil {
		t.Fatal(err)
	}
	whole := pack.Bytes()
	for name, c := range map[string]struct {
		pack []byte
		want string
	}{
		"nothing":       {nil, "not a toolchain pack"},
		"a text":        {[]byte("hello, I am no pack"), "not a toolchain pack"},
		"half":          {whole[:len(whole)/2], "the pack is cut short"},
		"flipped":       {flipped(whole, 10), "the pack is "}, /* the first byte of the compressed data */
		"no manifest":   {tarball(t, entry{name: "tool/tool.wasm", body: "x"}), "the pack is damaged: it has no tool/manifest.json"},
		"other size":    {repack(t, whole, func(e *entry) { e.body += changed(e, "x") }), "the pack is damaged: tool/tool.wasm: size "},
		"other content": {repack(t, whole, func(e *entry) { e.body = e.body[len(changed(e, "x")):] + changed(e, "x") }), "the pack is damaged: toolchain tool: tool.wasm is not what was pinned"},
		"checksum":      {flipped(whole, len(whole)-5), "the pack is damaged: archive: gzip: invalid checksum"},
		"a link":        {tarball(t, entry{name: "tool/tool.wasm", body: "/etc/passwd", kind: tar.TypeSymlink}), "the pack is damaged: archive: tool/tool.wasm: not a regular file"},
	} {
		t.Run(name, func(t *testing.T) {
			to := openStore(t, tool(archive))
			_, _, err := to.Unpack(context.Background(), bytes.NewReader(c.pack), nil)
			var damaged *PackError
			if !errors.As(err, &damaged) || !strings.HasPrefix(err.Error(), c.want) || damaged.Hint() == "" || strings.Contains(err.Error(), to.Dir()) {
				t.Errorf("got %v, want %s", err, c.want)
			}
			if _, ok := to.Installed("tool"); ok {
				t.Error("it was installed")
			}
		})
	}
}

// changed is text for the tool's program and nothing for other files.
func changed(e *entry, text string) string {
	if e.name == "tool/tool.wasm" {
		return text
	}
	return ""
}

// repack writes a pack again with changed entries.
func repack(t *testing.T, pack []byte, change func(*entry)) []byte {
	t.Helper()
	zr, err := gzip.NewReader(bytes.NewReader(pack))
	if err != nil {
		t.Fatal(err)
	}
	var entries []entry
	err = walkTar(zr, 1<<30, func(name string) string { return name }, func(name string, r io.Reader) error {
		data, err := io.ReadAll(r)
		e := entry{name: name, body: string(data)}
		change(&e)
		entries = append(entries, e)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tarball(t, entries...)
}

// flipped is data with one bit of a byte changed.
func flipped(data []byte, at int) []byte {
	data = bytes.Clone(data)
	data[at] ^= 1
	return data
}

func TestUnpackWhatIsNeededFirst(t *testing.T) {
	made := func(name string) Built {
		return Built{Of: name, Build: func(_ context.Context, job *Job) error { return job.Write(name+".wasm", []byte(name)) }}
	}
	var store *Depot
	zebra := Recipe{Name: "zebra", Version: "1", Origin: made("zebra")}
	apple := Recipe{Name: "apple", Version: "1", Needs: []string{"zebra"}, Origin: made("apple"),
		Check: func(context.Context, Toolchain, Step) error {
			if _, ok := store.Installed("zebra"); !ok {
				return errors.New("zebra is not there")
			}
			return nil
		}}
	store = openStore(t, zebra, apple)
	if _, err := store.Ensure(t.Context(), "apple", nil); err != nil {
		t.Fatal(err)
	}
	var pack bytes.Buffer
	if err := store.Pack(&pack, nil); err != nil {
		t.Fatal(err)
	}
	store = openStore(t, zebra, apple)
	installed, _, err := store.Unpack(t.Context(), &pack, nil)
	if err != nil || len(installed) != 2 {
		t.Errorf("installed %v: %v", installed, err)
	}
}
