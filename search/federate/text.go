package federate

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// packings are the extensions of files that are packed, and unpacked as they
// are read.
var packings = []string{".gz", ".zst"}

// unpackedName is a file's name without the extension of its packing.
func unpackedName(name string) string {
	if ext := strings.ToLower(filepath.Ext(name)); slices.Contains(packings, ext) {
		return name[:len(name)-len(ext)]
	}
	return name
}

// formatOf is the format of a file by its name; "" when it holds no table.
func formatOf(name string) string {
	format := formats[strings.ToLower(filepath.Ext(unpackedName(name)))]
	if name != unpackedName(name) && (format == "sqlite" || format == "parquet") {
		return "" // these are read here and there
	}
	return format
}

// textFile is an open file of text, unpacked and in UTF-8.
type textFile struct {
	io.Reader
	closers  []func() error
	encoding string // "" is UTF-8
}

func (t *textFile) Close() (err error) {
	for _, c := range slices.Backward(t.closers) {
		err = errors.Join(err, c())
	}
	return err
}

// sniffed is how much of a text is looked at to tell its encoding and its
// separator.
const sniffed = 64 << 10

// openText opens a file of text. A byte order mark says which encoding it has;
// without one it is UTF-8, or Windows-1252, which Latin-1 is a part of, when its
// beginning cannot be UTF-8.
func openText(path string) (*textFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	t := &textFile{Reader: f, closers: []func() error{f.Close}}
	switch strings.ToLower(filepath.Ext(path)) {
	case ".gz":
		z, err := gzip.NewReader(bufio.NewReader(f))
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
		}
		t.Reader, t.closers = z, append(t.closers, z.Close)
	case ".zst":
		z, err := zstd.NewReader(f, zstd.WithDecoderMaxMemory(maxJSON))
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
		}
		t.Reader, t.closers = z, append(t.closers, func() error { z.Close(); return nil })
	}
	t.decode()
	return t, nil
}

func (t *textFile) decode() {
	in := bufio.NewReaderSize(t.Reader, sniffed)
	head, _ := in.Peek(sniffed) // an error comes again when it is read
	t.Reader = in
	switch {
	case bytes.HasPrefix(head, []byte("\xEF\xBB\xBF")):
		_, _ = in.Discard(3)
	case bytes.HasPrefix(head, []byte("\xFF\xFE")), bytes.HasPrefix(head, []byte("\xFE\xFF")):
		t.encoding = "UTF-16"
		t.Reader = transform.NewReader(in, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder())
	case !utf8.Valid(cutRune(head)):
		t.encoding = "windows-1252"
		t.Reader = transform.NewReader(in, charmap.Windows1252.NewDecoder())
	}
}

// cutRune drops a character at the end that may be cut.
func cutRune(b []byte) []byte {
	for i := 1; i <= min(utf8.UTFMax-1, len(b)); i++ {
		if c := b[len(b)-i]; utf8.RuneStart(c) {
			if !utf8.FullRune(b[len(b)-i:]) {
				return b[:len(b)-i]
			}
			break
		}
	}
	return b
}

// separators are those that files of values between commas are found to have.
var separators = []rune{',', ';', '\t', '|'}

// sniffSeparator is the separator that stands most often in the first line,
// quoted parts left out; a comma when there is none.
func sniffSeparator(in *bufio.Reader) rune {
	head, _ := in.Peek(sniffed)
	counts := map[rune]int{}
	quoted := false
	for _, c := range string(head) {
		if c == '"' {
			quoted = !quoted
		}
		if c == '\n' && !quoted {
			break
		}
		if !quoted {
			counts[c]++
		}
	}
	best := ','
	for _, c := range separators {
		if counts[c] > counts[best] {
			best = c
		}
	}
	return best
}

// OnError says what becomes of a row that cannot be read.
type OnError string

// The ways to go on: not at all, without the row, or with one of nulls.
const (
	Stop OnError = "stop"
	Skip OnError = "skip"
	Null OnError = "null"
)

// reading is how a file of text is read: what is done about bad rows, and what
// is worth telling.
type reading struct {
	onError OnError
	note    func(format string, args ...any)
	bad     int
	first   error
}

// stumble is told of a row that cannot be read; it returns the error that ends
// the reading, or nil, and whether a row of nulls takes the place.
func (r *reading) stumble(err error) (null bool, stop error) {
	if r == nil || r.onError == "" || r.onError == Stop {
		return false, err
	}
	if r.bad++; r.first == nil {
		r.first = err
	}
	return r.onError == Null, nil
}

// tell says how much was left out.
func (r *reading) tell(name string) {
	if r == nil || r.note == nil || r.bad == 0 {
		return
	}
	what := "left out"
	if r.onError == Null {
		what = "read as null"
	}
	r.note("%s: %d bad rows %s, the first: %v", name, r.bad, what, r.first)
}

func (r *reading) remark(format string, args ...any) {
	if r != nil && r.note != nil {
		r.note(format, args...)
	}
}
