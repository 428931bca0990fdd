package site

import (
	"bufio"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"wb/internal/whole"
	"wb/proof/manifest"
)

// Kept is a directory in which a builder leaves what it built for the next process:
// the files of the site, their frames, and of each page what the others show of it
// and what it was made of. Who removes the directory loses nothing but time.
//
//	site/    the files
//	frames   the frames, one behind the other
//	state    the rest; it is there only while it is true
//
// One process at a time may use it.
type Kept struct {
	dir   string
	key   string
	state keptState
}

// keptState is the content of the file state.
type keptState struct {
	Key     string             // of what all pages depend on
	Outline string             // a digest of what the frames were made of
	Pages   map[string]summary // by the path of the document
	Frames  map[string]place   // in the file frames, by path in the site
	Files   map[string]string  // digests of the files below site, by path
}

type place struct{ At, Size int64 }

// said is what is asserted about a page. It is kept as JSON, since gob knows none of the
// types that its data is made of.
type said []manifest.Assertion

func (s said) GobEncode() ([]byte, error) { return json.Marshal([]manifest.Assertion(s)) }

func (s *said) GobDecode(text []byte) error { return json.Unmarshal(text, (*[]manifest.Assertion)(s)) }

// Where things are in the directory.
const (
	keptSite   = "site"
	keptFrames = "frames"
	keptName   = "state"
)

// OpenKept reads what was kept of a project. machine names what pages depend on
// besides the project's directory: the program that makes them.
func OpenKept(dir string, p *Project, machine string) (*Kept, error) {
	k := &Kept{dir: dir, key: p.key(machine)}
	f, err := os.Open(filepath.Join(dir, keptName))
	if err == nil {
		err = gob.NewDecoder(bufio.NewReader(f)).Decode(&k.state)
		f.Close()
	}
	if err != nil { // there is none, or it is of another version
		k.state = keptState{}
		return k, os.RemoveAll(filepath.Join(dir, keptSite))
	}
	return k, nil
}

// key names what all pages depend on: the configuration, the look and the program.
func (p *Project) key(machine string) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q\n", machine)
	for _, name := range []string{NavFile, ConfigFile} {
		text, err := p.root.ReadFile(name)
		fmt.Fprintf(sum, "%s %v %q\n", name, err == nil, text)
	}
	look := p.Look
	for _, name := range slices.Sorted(maps.Keys(look.Own)) {
		fmt.Fprintf(sum, "%q %s\n", name, manifest.SHA256(look.Own[name]))
	}
	look.Own = nil
	fmt.Fprintf(sum, "%q\n", fmt.Sprint(look))
	return hex.EncodeToString(sum.Sum(nil))
}

// Resume has a builder go on from what was kept, if that is still true of everything
// that all pages depend on.
func (b *Builder) Resume(k *Kept) {
	if k.state.Key != k.key {
		return
	}
	b.kept, b.pages, b.links = k, map[string]*built{}, newLinker(b.p)
	for name, s := range k.state.Pages {
		b.pages[name] = &built{summary: s}
	}
}

// sum is a digest of an outline.
func (o *Outline) sum() (string, error) {
	bare := *o
	bare.Look.Own = nil // part of the key
	text, err := json.Marshal(bare)
	return manifest.SHA256(text), err
}

// frame reads one frame.
func (k *Kept) frame(name string) ([]byte, bool, error) {
	at, ok := k.state.Frames[name]
	if !ok {
		return nil, false, nil
	}
	f, err := os.Open(filepath.Join(k.dir, keptFrames))
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	data := make([]byte, at.Size)
	_, err = f.ReadAt(data, at.At)
	return data, true, err
}

// file reads a file of the site, which must be as it was left.
func (k *Kept) file(name string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(k.dir, keptSite, filepath.FromSlash(name)))
	if err == nil && manifest.SHA256(data) != k.state.Files[name] {
		err = fmt.Errorf("%s is not as it was left", name)
	}
	return data, err
}

// framed are the digests of the files that have frames.
func (k *Kept) framed() map[string]string {
	out := map[string]string{}
	for name := range k.state.Frames {
		out[name] = k.state.Files[name]
	}
	return out
}

// Keep brings the directory to what a builder built, and says where the files of the
// site are now and what their digests are. While it works nothing counts as kept.
func (k *Kept) Keep(b *Builder, r *Result) (dir string, digests map[string]string, err error) {
	dir = filepath.Join(k.dir, keptSite)
	next := keptState{Key: k.key, Pages: map[string]summary{}, Frames: k.state.Frames, Outline: k.state.Outline, Files: map[string]string{}}
	maps.Copy(next.Files, r.Kept)
	for name, data := range r.Files {
		next.Files[name] = manifest.SHA256(data)
	}
	for _, d := range b.p.Documents {
		next.Pages[d.Path] = b.pages[d.Path].summary
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", nil, err
	}
	if err := os.Remove(filepath.Join(k.dir, keptName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", nil, err
	}
	if err := k.write(dir, r.Files, next.Files); err != nil {
		return "", nil, err
	}
	if b.frames != nil {
		if next.Frames, err = k.writeFrames(b.frames); err != nil {
			return "", nil, err
		}
		if next.Outline, err = b.outline.sum(); err != nil {
			return "", nil, err
		}
	}
	k.state = next
	return dir, next.Files, k.writeState()
}

// write brings the files of the site to what they are now.
func (k *Kept) write(dir string, files manifest.Files, digests map[string]string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	made := map[string]bool{".": true}
	for name, data := range files {
		if k.state.Files[name] == digests[name] {
			continue
		}
		if parent := path.Dir(name); !made[parent] {
			if err := root.MkdirAll(filepath.FromSlash(parent), 0o755); err != nil {
				return err
			}
			made[parent] = true
		}
		if err := root.WriteFile(filepath.FromSlash(name), data, 0o644); err != nil {
			return err
		}
	}
	for name := range k.state.Files {
		if _, stays := digests[name]; stays {
			continue
		}
		if err := root.Remove(filepath.FromSlash(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (k *Kept) writeFrames(frames manifest.Files) (map[string]place, error) {
	f, err := os.Create(filepath.Join(k.dir, keptFrames))
	if err != nil {
		return nil, err
	}
	out, places, at := bufio.NewWriter(f), map[string]place{}, int64(0)
	for name, data := range frames {
		places[name] = place{at, int64(len(data))}
		at += int64(len(data))
		if _, err = out.Write(data); err != nil {
			break
		}
	}
	return places, errors.Join(err, out.Flush(), f.Close())
}

func (k *Kept) writeState() error {
	return whole.File{}.Make(filepath.Join(k.dir, keptName), func(f *os.File) error {
		out := bufio.NewWriter(f)
		return errors.Join(gob.NewEncoder(out).Encode(k.state), out.Flush())
	})
}
