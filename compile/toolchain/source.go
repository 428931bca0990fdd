package toolchain

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/ulikunitz/xz"
)

// Source is a toolchain that our own compilers make of somebody else's source
// code: the archive is pinned by digest, and a function of ours builds it,
// usually with the C lane inside the sandbox.
type Source struct {
	Archive Archive
	// Files are the files of the archive that Build gets, as patterns on paths below its
	// top directory. "Lib/" is everything below a directory, "src/*.c" is as
	// path.Match has it, and "!src/luac.c" leaves out what an earlier pattern
	// took.
	Files []string
	// Content is the SHA-256, in hex, of the files taken, as [HashFiles] has it.
	// With it, those decide in place of the archive's digest: publishers pack
	// one source in several ways, and users give the archive they have.
	Content string
	// Of names everything else that decides the result: the recipe's own
	// version, digests of embedded sources, the fingerprint of the compiler.
	Of string
	// Build writes the toolchain with job.Write. Intermediate results that are
	// worth keeping for a second attempt go to job.Keep.
	Build func(ctx context.Context, job *Job, files map[string][]byte) error
}

// Archive is source code as its authors published it: [Debian] or [NPM].
type Archive interface {
	// identity holds everything that decides the content.
	identity() string
	// obtain returns the path of a verified archive, fetching it when job has
	// none.
	obtain(ctx context.Context, job *Job) (path string, err error)
}

// Identity is the archive, what is taken from it and how it is built.
func (s Source) Identity() string {
	if s.Content != "" {
		return fmt.Sprintf("source content %s\n%s\n", s.Content, s.Of)
	}
	return fmt.Sprintf("source %s%q\n%s\n", s.Archive.identity(), s.Files, s.Of)
}

// Reproducible is true: digests pin the source and our compilers run in the
// sandbox, where they always give the same bytes.
func (Source) Reproducible() bool { return true }

// Fetch obtains the archive and builds it.
func (s Source) Fetch(ctx context.Context, job *Job) error {
	files, err := s.open(ctx, job)
	if err != nil {
		return err
	}
	if err := s.Build(ctx, job, files); err != nil {
		return fmt.Errorf("toolchain %s: build: %w", job.Tool, err)
	}
	return nil
}

// open obtains the archive and takes the wanted files out of it, which must be those
// that are pinned.
func (s Source) open(ctx context.Context, job *Job) (map[string][]byte, error) {
	archive, err := s.Archive.obtain(ctx, job)
	if err != nil {
		return nil, err
	}
	job.Archive = archive
	files, err := s.read(job, archive)
	if err != nil {
		return nil, fmt.Errorf("toolchain %s: %w", job.Tool, err)
	}
	if got := HashFiles(files); s.Content != "" && got != s.Content {
		if job.From == "" {
			os.Remove(archive)
		}
		return nil, &IntegrityError{Tool: job.Tool, What: "the files in " + filepath.Base(archive), Want: s.Content, Got: got}
	}
	return files, nil
}

// read takes the wanted files out of an archive.
func (s Source) read(job *Job, archive string) (files map[string][]byte, err error) {
	f, err := os.Open(archive)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	step := job.Step("unpacking", info.Size())
	defer func() { step.Done(err) }()
	files, err = Unpack(counting{f, step}, s.Files)
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s has none of the needed files", archive)
	}
	return files, err
}

// Unpack reads the files of a compressed tar archive with one top directory,
// such as "lua-5.4.4", that patterns want; see [Source.Files].
func Unpack(archive io.Reader, patterns []string) (map[string][]byte, error) {
	r, err := decompress(archive)
	if err != nil {
		return nil, err
	}
	files := make(map[string][]byte)
	err = walkTar(r, maxUnpacked, func(name string) string {
		_, inside, _ := strings.Cut(name, "/")
		if !taken(patterns, inside) {
			return ""
		}
		return inside
	}, func(name string, r io.Reader) error {
		data, err := io.ReadAll(r)
		files[name] = data
		return err
	})
	return files, err
}

// AddFS adds all files of a tree, usually an embedded one, to files.
func AddFS(files map[string][]byte, tree fs.FS) error {
	return fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files[name], err = fs.ReadFile(tree, name)
		return err
	})
}

// taken reports whether patterns want the file of that name: the last one that
// matches decides.
func taken(patterns []string, name string) bool {
	wanted := false
	for _, p := range patterns {
		p, unwanted := strings.CutPrefix(p, "!")
		ok, _ := path.Match(p, name)
		if ok || strings.HasSuffix(p, "/") && strings.HasPrefix(name, p) {
			wanted = !unwanted
		}
	}
	return wanted
}

// decompress reads gzip, xz or bzip2, or the files of a Debian package, as the
// first bytes say.
func decompress(r io.Reader) (io.Reader, error) {
	br := bufio.NewReaderSize(r, 1<<16)
	magic, _ := br.Peek(6)
	switch {
	case bytes.HasPrefix(magic, []byte("\x1f\x8b")):
		return gzip.NewReader(br)
	case bytes.HasPrefix(magic, []byte("\xfd7zXZ\x00")):
		return xz.NewReader(br)
	case bytes.HasPrefix(magic, []byte("BZh")):
		return bzip2.NewReader(br), nil
	case bytes.HasPrefix(magic, []byte("!<arch")):
		return packageData(br)
	}
	return nil, fmt.Errorf("archive: not compressed with gzip, xz or bzip2")
}
