package sandbox

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
	"io"
	"io/fs"
	"path"
	"syscall"
)

// maxDescriptors is how many files a guest may hold open.
const maxDescriptors = 1024

// fdKind says what a descriptor stands for.
type fdKind uint8

const (
	fdInput fdKind = iota
	fdOutput
	fdDir
	fdFile
)

// descriptor is an entry of a guest's descriptor table.
type descriptor struct {
	kind     fdKind
	name     string // path in the guest's tree; "" for streams
	writer   io.Writer
	file     File
	pos      int64
	readable bool
	writable bool
	append   bool
	flags    byte          // fdflags besides append, which change nothing here
	dropped  rights        // what the guest gave up
	preopen  string        // the name the guest is told, "" for what it opened itself
	entries  []fs.DirEntry // what readdir lists, read at cookie 0
	more     int           // numbers it has besides the first
}

// close gives up one number of d; the last closes its file.
func (d *descriptor) close() {
	if d.more--; d.more < 0 && d.file != nil {
		d.file.Close()
	}
}

// Dup gives an open file the lowest free number from least on, beside the one it has;
// they share its position. Preview 1 has no such call: a host function may offer it.
func (in *Instance) Dup(fd, least uint32) (uint32, error) {
	d := in.fd(uint64(fd))
	if d == nil {
		return 0, syscall.EBADF
	}
	n := int(least)
	for n < len(in.sys.fds) && in.sys.fds[n] != nil {
		n++
	}
	if n >= maxDescriptors {
		return 0, syscall.EMFILE
	}
	for n >= len(in.sys.fds) {
		in.sys.fds = append(in.sys.fds, nil)
	}
	in.sys.fds[n] = d
	d.more++
	return uint32(n), nil
}

// fd returns the descriptor of a number, or nil.
func (in *Instance) fd(n uint64) *descriptor {
	if i := uint32(n); int(i) < len(in.sys.fds) {
		return in.sys.fds[i]
	}
	return nil
}

// addFD gives d the lowest free number.
func (w *wasi) addFD(d *descriptor) (uint32, errno) {
	for i, old := range w.fds {
		if old == nil {
			w.fds[i] = d
			return uint32(i), 0
		}
	}
	if len(w.fds) >= maxDescriptors {
		return 0, errnoMfile
	}
	w.fds = append(w.fds, d)
	return uint32(len(w.fds) - 1), 0
}

// The file types of preview 1.
const (
	typeChar    = 2
	typeDir     = 3
	typeRegular = 4
	typeLink    = 7
)

// The rights that mean something here: C libraries derive access modes from them.
const (
	rightRead     = 1 << 1
	rightSeek     = 1 << 2
	rightTell     = 1 << 5
	rightWrite    = 1 << 6
	rightAdvise   = 1 << 7
	rightAllocate = 1 << 8
	rightTruncate = 1 << 19 // by path_open
	rightSetSize  = 1 << 22
	rightsAll     = 1<<30 - 1
	// rightsOfFiles are those that no directory has.
	rightsOfFiles = rightRead | rightSeek | rightTell | rightWrite | rightAdvise | rightAllocate | rightSetSize
)

// rights are those of a descriptor, and those of what is opened below it.
type rights struct{ base, inheriting uint64 }

// rights are the operations a descriptor allows.
func (d *descriptor) rights() rights {
	r := rights{rightsAll, rightsAll}
	switch {
	case d.kind == fdDir:
		r.base &^= rightsOfFiles
	case !d.readable && !d.writable:
		r.base &^= rightRead | rightWrite
	case !d.readable:
		r.base &^= rightRead
	case !d.writable:
		r.base &^= rightWrite
	}
	return rights{r.base &^ d.dropped.base, r.inheriting &^ d.dropped.inheriting}
}

func (in *Instance) fdFdstatGet(s []uint64) errno {
	d := in.fd(s[0])
	if d == nil {
		return errnoBadf
	}
	buf, ok := in.Memory().Read(uint32(s[1]), 24)
	if !ok {
		return errnoFault
	}
	clear(buf)
	switch d.kind {
	case fdDir:
		buf[0] = typeDir
	case fdFile:
		buf[0] = typeRegular
	default: // streams look like a device that is not a terminal
		buf[0] = typeChar
	}
	buf[2] = d.flags
	if d.append {
		buf[2] |= fdflagAppend
	}
	has := d.rights()
	binary.LittleEndian.PutUint64(buf[8:], has.base)
	binary.LittleEndian.PutUint64(buf[16:], has.inheriting)
	return 0
}

func (in *Instance) fdFdstatSetFlags(s []uint64) errno {
	d := in.fd(s[0])
	if d == nil {
		return errnoBadf
	}
	d.append, d.flags = s[1]&fdflagAppend != 0, byte(s[1]&fdflagsKnown&^fdflagAppend)
	return 0
}

// fdFdstatSetRights gives up rights. None comes back.
func (in *Instance) fdFdstatSetRights(s []uint64) errno {
	d := in.fd(s[0])
	if d == nil {
		return errnoBadf
	}
	has := d.rights()
	if s[1]&^has.base != 0 || s[2]&^has.inheriting != 0 {
		return errnoNotcapable
	}
	d.dropped.base |= has.base &^ s[1]
	d.dropped.inheriting |= has.inheriting &^ s[2]
	if d.kind != fdDir {
		d.readable, d.writable = d.readable && s[1]&rightRead != 0, d.writable && s[1]&rightWrite != 0
	}
	return 0
}

func (in *Instance) fdAdvise(s []uint64) errno {
	if in.fd(s[0]) == nil {
		return errnoBadf
	}
	return 0
}

func (in *Instance) fdSync(s []uint64) errno {
	if in.fd(s[0]) == nil {
		return errnoBadf
	}
	return 0
}

func (in *Instance) fdAllocate(s []uint64) errno {
	d := in.fd(s[0])
	if d == nil || d.kind != fdFile || !d.writable {
		return errnoBadf
	}
	info, err := d.file.Stat()
	if err != nil {
		return errnoOf(err)
	}
	end := int64(s[1]) + int64(s[2])
	if int64(s[1]) < 0 || int64(s[2]) <= 0 || end < 0 {
		return errnoInval
	}
	if end <= info.Size() {
		return 0
	}
	return in.resize(d, end)
}

func (in *Instance) fdClose(s []uint64) errno {
	d := in.fd(s[0])
	if d == nil {
		return errnoBadf
	}
	d.close()
	in.sys.fds[uint32(s[0])] = nil
	return 0
}

func (in *Instance) fdRenumber(s []uint64) errno {
	from, to := in.fd(s[0]), in.fd(s[1])
	if from == nil || to == nil {
		return errnoBadf
	}
	if from != to {
		to.close()
		in.sys.fds[uint32(s[1])] = from
		in.sys.fds[uint32(s[0])] = nil
	}
	return 0
}

func (in *Instance) fdFilestatGet(s []uint64) errno {
	d := in.fd(s[0])
	if d == nil {
		return errnoBadf
	}
	switch d.kind {
	case fdFile:
		info, err := d.file.Stat()
		if err != nil {
			return errnoOf(err)
		}
		return in.putFilestat(uint32(s[1]), d.name, info)
	case fdDir:
		info, err := in.sys.files.Stat(d.name)
		if err != nil {
			return errnoOf(err)
		}
		return in.putFilestat(uint32(s[1]), d.name, info)
	}
	buf, ok := in.Memory().Read(uint32(s[1]), 64)
	if !ok {
		return errnoFault
	}
	clear(buf)
	buf[16] = typeChar
	return 0
}

// putFilestat writes the attributes of a file. The inode number is a hash of
// the path and times are the epoch unless the clock was granted, so that the
// same tree looks the same everywhere.
func (in *Instance) putFilestat(ptr uint32, name string, info fs.FileInfo) errno {
	buf, ok := in.Memory().Read(ptr, 64)
	if !ok {
		return errnoFault
	}
	clear(buf)
	le := binary.LittleEndian
	le.PutUint64(buf[8:], inodeOf(name, info))
	buf[16] = fileType(info.Mode())
	le.PutUint64(buf[24:], uint64(Names(info)))
	if !info.IsDir() {
		le.PutUint64(buf[32:], uint64(info.Size()))
	}
	mtime := epoch
	if in.sys.realTimes {
		mtime = info.ModTime()
	}
	access, change := in.timesOf(name, mtime)
	le.PutUint64(buf[40:], uint64(access))
	le.PutUint64(buf[48:], uint64(change))
	le.PutUint64(buf[56:], uint64(mtime.UnixNano()))
	return 0
}

func fileType(mode fs.FileMode) byte {
	switch {
	case mode.IsDir():
		return typeDir
	case mode&fs.ModeSymlink != 0:
		return typeLink
	}
	return typeRegular
}

// inodeOf is the number of a file, which is that of its first name.
func inodeOf(name string, info fs.FileInfo) uint64 {
	if links, ok := info.Sys().(hardLinks); ok && links.first != "" {
		name = links.first
	}
	return inode(name)
}

func inode(name string) uint64 {
	h := fnv.New64a()
	io.WriteString(h, name)
	return h.Sum64()
}

func (in *Instance) fdFilestatSetSize(s []uint64) errno {
	d := in.fd(s[0])
	if d == nil || d.kind != fdFile || !d.writable {
		return errnoBadf
	}
	if int64(s[1]) < 0 {
		return errnoInval
	}
	return in.resize(d, int64(s[1]))
}

func (in *Instance) fdFilestatSetTimes(s []uint64) errno {
	d := in.fd(s[0])
	if d == nil {
		return errnoBadf
	}
	if d.kind != fdFile && d.kind != fdDir {
		return errnoInval
	}
	return in.setTimes(d.name, s[1], s[2], s[3])
}

func (in *Instance) fdPrestatGet(s []uint64) errno {
	d := in.fd(s[0])
	if d == nil || d.preopen == "" {
		return errnoBadf
	}
	if !in.Memory().WriteU64(uint32(s[1]), uint64(len(d.preopen))<<32) {
		return errnoFault
	}
	return 0
}

func (in *Instance) fdPrestatDirName(s []uint64) errno {
	d := in.fd(s[0])
	if d == nil || d.preopen == "" {
		return errnoBadf
	}
	if int(uint32(s[2])) < len(d.preopen) {
		return errnoNameTooLng
	}
	if !in.Memory().WriteString(uint32(s[1]), d.preopen) {
		return errnoFault
	}
	return 0
}

func (in *Instance) fdSeek(s []uint64) errno {
	d := in.fd(s[0])
	if d == nil {
		return errnoBadf
	}
	if d.kind != fdFile {
		return notSeekable(d)
	}
	pos := int64(s[1])
	switch uint32(s[2]) {
	case io.SeekStart:
	case io.SeekCurrent:
		pos += d.pos
	case io.SeekEnd:
		info, err := d.file.Stat()
		if err != nil {
			return errnoOf(err)
		}
		pos += info.Size()
	default:
		return errnoInval
	}
	if pos < 0 {
		return errnoInval
	}
	d.pos = pos
	if !in.Memory().WriteU64(uint32(s[3]), uint64(pos)) {
		return errnoFault
	}
	return 0
}

// notSeekable is the error for a position in what has none.
func notSeekable(d *descriptor) errno {
	if d.kind == fdDir {
		return errnoIsdir
	}
	return errnoSpipe
}

func (in *Instance) fdTell(s []uint64) errno {
	d := in.fd(s[0])
	if d == nil {
		return errnoBadf
	}
	if d.kind != fdFile {
		return notSeekable(d)
	}
	if !in.Memory().WriteU64(uint32(s[1]), uint64(d.pos)) {
		return errnoFault
	}
	return 0
}

// fdReaddir fills a buffer with directory entries from a cookie on, the last
// one cut short when it does not fit.
func (in *Instance) fdReaddir(s []uint64) errno {
	d := in.fd(s[0])
	if d == nil || d.kind != fdDir {
		return errnoBadf
	}
	buf, ok := in.Memory().Read(uint32(s[1]), uint32(s[2]))
	if !ok {
		return errnoFault
	}
	cookie := s[3]
	if cookie == 0 || d.entries == nil {
		list, err := in.sys.files.ReadDir(d.name)
		if err != nil {
			return errnoOf(err)
		}
		d.entries = append([]fs.DirEntry{dotEntry("."), dotEntry("..")}, list...)
	}
	used := 0
	for i := cookie; i < uint64(len(d.entries)) && used < len(buf); i++ {
		e := d.entries[i]
		var head [24]byte
		binary.LittleEndian.PutUint64(head[0:], i+1)
		binary.LittleEndian.PutUint64(head[8:], inode(path.Join(d.name, e.Name())))
		binary.LittleEndian.PutUint32(head[16:], uint32(len(e.Name())))
		head[20] = fileType(e.Type())
		used += copy(buf[used:], head[:])
		used += copy(buf[used:], e.Name())
	}
	if !in.Memory().WriteU32(uint32(s[4]), uint32(used)) {
		return errnoFault
	}
	return 0
}

// dotEntry is "." or "..".
type dotEntry string

func (d dotEntry) Name() string               { return string(d) }
func (d dotEntry) IsDir() bool                { return true }
func (d dotEntry) Type() fs.FileMode          { return fs.ModeDir }
func (d dotEntry) Info() (fs.FileInfo, error) { return nil, errors.ErrUnsupported }
