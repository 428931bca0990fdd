package sandbox

import (
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"
)

// maxPath is the longest path a guest may name.
const maxPath = 4096

// The flags of path_open.
const (
	oflagCreate    = 1 << 0
	oflagDirectory = 1 << 1
	oflagExcl      = 1 << 2
	oflagTrunc     = 1 << 3

	fdflagAppend = 1 << 0
	fdflagsKnown = 1<<5 - 1
)

// lookupFollow is the flag of a path whose last element is followed if it is a link.
const lookupFollow = 1 << 0

// resolve turns a path relative to a directory descriptor into a name in the
// guest's tree, without links but for the last element, which lookup says whether to
// follow. Above the root is the root. wantDir is set by a trailing slash.
func (in *Instance) resolve(fd, ptr, n, lookup uint64) (name string, wantDir bool, e errno) {
	d := in.fd(fd)
	if d == nil {
		return "", false, errnoBadf
	}
	if d.kind != fdDir {
		return "", false, errnoNotdir
	}
	p, e := in.path(ptr, n)
	switch {
	case e != 0:
		return "", false, e
	case p[0] == '/':
		return "", false, errnoNotcapable
	}
	wantDir = strings.HasSuffix(p, "/") || strings.HasSuffix(p, "/.") || strings.HasSuffix(p, "/..")
	name, err := Follow(in.sys.files, d.name, strings.TrimRight(p, "/"), lookup&lookupFollow != 0)
	return name, wantDir, errnoOf(err)
}

// path reads a path of the guest's.
func (in *Instance) path(ptr, n uint64) (string, errno) {
	if uint32(n) > maxPath {
		return "", errnoNameTooLng
	}
	b, ok := in.Memory().Read(uint32(ptr), uint32(n))
	if !ok {
		return "", errnoFault
	}
	p := string(b)
	switch {
	case p == "":
		return "", errnoNoent
	case strings.IndexByte(p, 0) >= 0:
		return "", errnoInval
	case !utf8.ValidString(p):
		return "", errnoIlseq
	}
	return p, 0
}

func (in *Instance) pathOpen(s []uint64) errno {
	oflags, rights, fdflags := uint32(s[4]), s[5], uint32(s[7])
	lookup := s[1]
	if oflags&oflagCreate != 0 && oflags&oflagExcl != 0 {
		lookup = 0 // a link in the way is in the way
	}
	name, wantDir, e := in.resolve(s[0], s[2], s[3], lookup)
	if e != 0 {
		return e
	}
	d := &descriptor{
		name:     name,
		readable: rights&rightRead != 0,
		writable: rights&rightWrite != 0,
		append:   fdflags&fdflagAppend != 0,
		flags:    byte(fdflags & fdflagsKnown &^ fdflagAppend),
	}
	if oflags&oflagTrunc != 0 && in.fd(s[0]).dropped.base&rightTruncate != 0 {
		return errnoNotcapable
	}
	info, err := in.sys.files.Stat(name)
	if err == nil && info.IsDir() {
		switch {
		case oflags&oflagCreate != 0 && oflags&oflagExcl != 0:
			return errnoExist
		case oflags&(oflagCreate|oflagTrunc) != 0 && oflags&oflagDirectory == 0:
			return errnoIsdir
		case oflags&oflagDirectory != 0 && d.readable && d.writable && rights != rightsAll:
			return errnoIsdir
		}
		d.kind, d.readable, d.writable = fdDir, false, false
	} else {
		if wantDir || oflags&oflagDirectory != 0 {
			if err != nil {
				return errnoOf(err)
			}
			return errnoNotdir
		}
		if e := in.openFile(d, oflags, info); e != 0 {
			return e
		}
	}
	n, e := in.sys.addFD(d)
	if e == 0 && !in.Memory().WriteU32(uint32(s[8]), n) {
		in.sys.fds[n] = nil
		e = errnoFault
	}
	if e != 0 {
		d.close()
	}
	return e
}

// openFile opens or creates the regular file d names; old describes the one
// that is there.
func (in *Instance) openFile(d *descriptor, oflags uint32, old fs.FileInfo) errno {
	flag := os.O_RDONLY
	switch {
	case d.readable && d.writable:
		flag = os.O_RDWR
	case d.writable:
		flag = os.O_WRONLY
	}
	if oflags&oflagCreate != 0 {
		flag |= os.O_CREATE
		if old == nil {
			if err := in.chargeStorage(entryCost); err != nil {
				return errnoOf(err)
			}
		}
	}
	if oflags&oflagExcl != 0 {
		flag |= os.O_EXCL
	}
	if oflags&oflagTrunc != 0 {
		flag |= os.O_TRUNC
		if flag&(os.O_WRONLY|os.O_RDWR) == 0 {
			flag |= os.O_RDWR // truncating is writing
		}
	}
	file, err := in.sys.files.OpenFile(d.name, flag, 0o644)
	if err != nil {
		return errnoOf(err)
	}
	if oflags&oflagTrunc != 0 && old != nil {
		in.chargeStorage(-old.Size())
	}
	d.kind, d.file = fdFile, file
	return 0
}

// entryCost is the part of the storage quota that a file or directory takes besides
// its content, so that a million empty files cost something.
const entryCost = 256

func (in *Instance) pathCreateDirectory(s []uint64) errno {
	name, _, e := in.resolve(s[0], s[1], s[2], 0)
	if e != 0 {
		return e
	}
	if err := in.chargeStorage(entryCost); err != nil {
		return errnoOf(err)
	}
	return errnoOf(in.sys.files.Mkdir(name, 0o755))
}

func (in *Instance) pathFilestatGet(s []uint64) errno {
	name, wantDir, e := in.resolve(s[0], s[2], s[3], s[1])
	if e != 0 {
		return e
	}
	info, err := in.sys.files.Stat(name)
	if err != nil {
		return errnoOf(err)
	}
	if wantDir && !info.IsDir() {
		return errnoNotdir
	}
	return in.putFilestat(uint32(s[4]), name, info)
}

func (in *Instance) pathFilestatSetTimes(s []uint64) errno {
	name, _, e := in.resolve(s[0], s[2], s[3], s[1])
	if e != 0 {
		return e
	}
	if _, err := in.sys.files.Stat(name); err != nil {
		return errnoOf(err)
	}
	return in.setTimes(name, s[4], s[5], s[6])
}

func (in *Instance) pathUnlinkFile(s []uint64) errno {
	name, wantDir, e := in.resolve(s[0], s[1], s[2], 0)
	if e != 0 {
		return e
	}
	info, err := in.sys.files.Stat(name)
	switch {
	case err != nil:
		return errnoOf(err)
	case info.IsDir():
		return errnoIsdir
	case wantDir:
		return errnoNotdir
	}
	if err := in.sys.files.Remove(name); err != nil {
		return errnoOf(err)
	}
	in.sys.forgetTimes(name)
	if Names(info) > 1 {
		in.chargeStorage(-entryCost)
	} else {
		in.chargeStorage(-info.Size() - entryCost)
	}
	return 0
}

func (in *Instance) pathRemoveDirectory(s []uint64) errno {
	name, _, e := in.resolve(s[0], s[1], s[2], 0)
	if e != 0 {
		return e
	}
	info, err := in.sys.files.Stat(name)
	if err != nil {
		return errnoOf(err)
	}
	if !info.IsDir() {
		return errnoNotdir
	}
	if err := in.sys.files.Remove(name); err != nil {
		return errnoOf(err)
	}
	in.sys.forgetTimes(name)
	in.chargeStorage(-entryCost)
	return 0
}

func (in *Instance) pathRename(s []uint64) errno {
	from, _, e := in.resolve(s[0], s[1], s[2], 0)
	if e != 0 {
		return e
	}
	to, _, e := in.resolve(s[3], s[4], s[5], 0)
	if e != 0 {
		return e
	}
	if err := in.sys.files.Rename(from, to); err != nil {
		return errnoOf(err)
	}
	in.sys.moveTimes(from, to)
	return 0
}
