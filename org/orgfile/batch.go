package orgfile

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wb/internal/sha"
)

// Replacement is a file with its new contents.
type Replacement struct {
	File *File
	New  []byte
}

// WriteAll replaces several files, all of them or none.
//
// The new contents are first written beside each file and flushed. Then, with
// all files locked and found to be what was read, a journal that names them
// all is flushed to the directory journals; from there on the change counts as
// made. The files are renamed into place and the journal is removed. A process
// that dies before the journal is there has changed nothing; after one that
// dies later, [Recover] finishes the renames. A reader may see some files
// before and some after the change while it is made.
func WriteAll(journals string, writes []Replacement) error {
	writes = slices.Clone(writes)
	slices.SortFunc(writes, func(a, b Replacement) int { return strings.Compare(a.File.real, b.File.real) }) // one order of locks for all processes
	if err := os.MkdirAll(journals, 0o700); err != nil {
		return err
	}
	if err := sweepStaged(journals, writes); err != nil {
		return err
	}
	var entry journal
	staged := true
	defer func() {
		if staged { // nothing has happened: take the files back
			for _, s := range entry.Files {
				os.Remove(s.Temp)
			}
		}
	}()
	var locked []fs.FileInfo
	for _, w := range writes {
		old, info, err := openLocked(w.File.real, locked...)
		if errors.Is(err, fs.ErrNotExist) {
			return &ConflictError{w.File.Path, "removed since it was read"}
		}
		if err != nil {
			return err
		}
		locked = append(locked, info)
		defer old.Close() // and give the lock back
		if err := w.File.check(); err != nil {
			return err
		}
		temp, err := writeTemp(w.File.real, stagedExt, w.New, info)
		if err != nil {
			return err
		}
		entry.Files = append(entry.Files, step{Path: w.File.real, Temp: temp, Old: sha.Hex(w.File.src), New: sha.Hex(w.New)})
	}
	for _, w := range writes { // the author may have saved while others were staged
		if err := w.File.check(); err != nil {
			return err
		}
	}
	name, held, err := entry.write(journals)
	if err != nil {
		return err
	}
	defer held.Close()
	staged = false
	for _, s := range entry.Files {
		if err := os.Rename(s.Temp, s.Path); err != nil {
			return fmt.Errorf("%s: %w; the next run of wb set finishes what %s says", s.Path, err, name)
		}
	}
	for _, s := range entry.Files {
		if err := syncDir(filepath.Dir(s.Path)); err != nil {
			return err
		}
	}
	return os.Remove(name)
}

// sweepStaged removes what writers left beside files of the same directories that
// were killed before they had a journal. A staged file is theirs no more when its
// file can be locked and no journal names it.
func sweepStaged(journals string, writes []Replacement) error {
	var dirs []string
	for _, w := range writes {
		dirs = append(dirs, filepath.Dir(w.File.real))
	}
	slices.Sort(dirs)
	for _, dir := range slices.Compact(dirs) {
		names, err := readNames(dir)
		if err != nil {
			return err
		}
		for _, name := range names {
			base, ok := stagedFor(name)
			if !ok {
				continue
			}
			if err := sweepOne(journals, filepath.Join(dir, base), filepath.Join(dir, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// stagedFor is the name of the file that a staged one was made for.
func stagedFor(name string) (string, bool) {
	rest, ok := strings.CutSuffix(name, stagedExt)
	at := strings.LastIndexByte(rest, '.')
	if !ok || at < 2 || rest[0] != '.' || at+1 == len(rest) || strings.Trim(rest[at+1:], "0123456789") != "" {
		return "", false
	}
	return rest[1:at], true
}

func sweepOne(journals, path, temp string) error {
	f, err := openRegular(path, os.O_RDONLY)
	if err != nil {
		return nil // without its file its owner is unknown
	}
	defer f.Close()
	if !locks(f) {
		return nil
	}
	named, err := inJournals(journals, temp)
	if err != nil || named {
		return err
	}
	if err := os.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// inJournals reports whether a journal names a staged file.
func inJournals(journals, temp string) (bool, error) {
	names, err := filepath.Glob(filepath.Join(journals, "*"+journalExt))
	for _, name := range names {
		text, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // finished since
		}
		if err != nil {
			return false, err
		}
		var j journal
		if json.Unmarshal(text, &j) != nil || slices.ContainsFunc(j.Files, func(s step) bool { return s.Temp == temp }) {
			return true, nil // one that cannot be read may name it
		}
	}
	return false, err
}

// journal says which files a change replaces.
type journal struct {
	Files []step `json:"files"`
}

type step struct {
	Path string `json:"path"`
	Temp string `json:"temp"` // the new contents
	Old  string `json:"old"`  // SHA-256 of the contents before
	New  string `json:"new"`  // and after
}

const journalExt = ".journal"

// write flushes the journal to a file that is whole or not there. The file is
// locked until held is closed: only the journals of the dead can be recovered.
func (j *journal) write(dir string) (name string, held *os.File, err error) {
	text, err := json.Marshal(j)
	if err != nil {
		return "", nil, err
	}
	f, err := os.CreateTemp(dir, "set-*.tmp")
	if err != nil {
		return "", nil, err
	}
	name = strings.TrimSuffix(f.Name(), ".tmp") + journalExt
	if err = lock(f); err == nil {
		_, err = f.Write(text)
	}
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err == nil {
		err = syncDir(dir)
	}
	if err != nil {
		os.Remove(f.Name())
		os.Remove(name)
		f.Close()
		return "", nil, err
	}
	return name, f, nil
}

// Recover finishes the changes of processes that died in the middle, and says
// which files it has put in place. A file that was changed since is left alone
// and reported as a conflict, with its new contents beside it.
func Recover(journals string) (done []string, err error) {
	names, err := filepath.Glob(filepath.Join(journals, "*"+journalExt))
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, name := range names {
		files, err := recoverOne(name)
		done = append(done, files...)
		errs = append(errs, err)
	}
	return done, errors.Join(errs...)
}

func recoverOne(name string) (done []string, err error) {
	held, _, err := openLocked(name)
	if errors.Is(err, fs.ErrNotExist) { // its own process or another finished it
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer held.Close()
	var j journal
	if err := json.NewDecoder(held).Decode(&j); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var errs []error
	for _, s := range j.Files {
		moved, err := s.finish()
		errs = append(errs, err)
		if moved {
			done = append(done, s.Path)
		}
	}
	for _, err := range errs {
		if conflict, ok := errors.AsType[*ConflictError](err); err != nil && !ok {
			return done, err // try again another time
		} else if ok {
			conflict.Reason += ", so a change that was interrupted could not be finished there"
		}
	}
	return done, errors.Join(append(errs, os.Remove(name))...)
}

// finish puts one file in place unless it is there.
func (s *step) finish() (moved bool, err error) {
	old, _, err := openLocked(s.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, &ConflictError{s.Path, "removed meanwhile"}
	}
	if err != nil {
		return false, err
	}
	defer old.Close()
	now, err := os.ReadFile(s.Path)
	if err != nil {
		return false, err
	}
	switch sha.Hex(now) {
	case s.New:
		os.Remove(s.Temp)
		return false, syncDir(filepath.Dir(s.Path)) // who renamed it may not have come to that
	case s.Old:
	default:
		kept := strings.TrimSuffix(s.Temp, stagedExt) + conflictExt // what is only staged may be swept
		if err := os.Rename(s.Temp, kept); err != nil {
			return false, err
		}
		return false, &ConflictError{s.Path, "changed meanwhile; the new contents are in " + kept}
	}
	next, err := os.ReadFile(s.Temp)
	if err != nil {
		return false, err
	}
	if sha.Hex(next) != s.New {
		return false, &ConflictError{s.Path, s.Temp + " is damaged"}
	}
	if err := os.Rename(s.Temp, s.Path); err != nil {
		return false, err
	}
	return true, syncDir(filepath.Dir(s.Path))
}
