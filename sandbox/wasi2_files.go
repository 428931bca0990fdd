package sandbox

import (
	"encoding/binary"
	"io/fs"
	"path"
	"strconv"
)

func itoa(n byte) string { return strconv.Itoa(int(n)) }

// codes2 are the error codes of wasi:filesystem by those of preview 1.
var codes2 = map[errno]byte{
	errnoBadf: 3, errnoExist: 7, errnoFbig: 8, errnoIlseq: 9, errnoInval: 12, errnoIO: 13, errnoIsdir: 14, errnoLoop: 15,
	errnoNameTooLng: 18, errnoNoent: 20, errnoMfile: 22, errnoNospc: 23, errnoNotdir: 24, errnoNotempty: 25, errnoNotsup: 27,
	errnoPerm: 31, errnoNotcapable: 31, errnoPipe: 32, errnoRofs: 33, errnoSpipe: 34, errnoXdev: 36,
}

func (e errno) code2() byte {
	if code, known := codes2[e]; known {
		return code
	}
	return codes2[errnoIO]
}

// types2 are the descriptor types of wasi:filesystem by those of preview 1.
var types2 = map[byte]byte{typeChar: 2, typeDir: 3, typeLink: 5, typeRegular: 6}

// result is where a result goes whose payload begins at a place, as an error where
// there is one.
func (c *call2) result(pointer, size uint32, payload int, e errno) []byte {
	buf := c.out(pointer, size)
	if e != 0 {
		buf[0], buf[payload] = 1, e.code2()
	}
	return buf
}

// done answers a call without a payload.
func (c *call2) done(pointer uint32, e errno) { c.result(pointer, 2, 1, e) }

// args are parameters for a function of preview 1.
func (c *call2) args(indices ...int) []uint64 {
	list := make([]uint64, len(indices))
	for i, at := range indices {
		if at >= 0 {
			list[i] = c.stack[at]
		}
	}
	return list
}

// directories gives the guest the directories it begins with, each time anew: what it
// is given is its own, to be dropped.
func (c *call2) directories() {
	var list []*descriptor
	for _, d := range c.in.sys.fds {
		if d != nil && d.preopen != "" {
			list = append(list, d)
		}
	}
	c.lists(c.u32(0), len(list), 12, func(i int) []uint64 {
		number, e := c.in.sys.addFD(&descriptor{kind: fdDir, name: list[i].name})
		if e != 0 {
			c.trap("too many descriptors")
		}
		at := c.list([]byte(list[i].preopen))
		return []uint64{uint64(number) | at<<32, at >> 32}
	})
}

var files2 = map[string]func2{
	"[method]descriptor.read-via-stream": {"iIi", func(c *call2) {
		c.stream(2, func(d *descriptor) bool { return d.readable }, int64(c.stack[1]), false)
	}},
	"[method]descriptor.write-via-stream": {"iIi", func(c *call2) {
		c.stream(2, func(d *descriptor) bool { return d.writable }, int64(c.stack[1]), false)
	}},
	"[method]descriptor.append-via-stream": {"ii", func(c *call2) {
		c.stream(1, func(d *descriptor) bool { return d.writable }, 0, true)
	}},
	"[method]descriptor.advise":    {"iIIii", func(c *call2) { c.done(c.u32(4), c.in.fdAdvise(c.stack)) }},
	"[method]descriptor.sync-data": {"ii", func(c *call2) { c.done(c.u32(1), c.in.fdSync(c.stack)) }},
	"[method]descriptor.sync":      {"ii", func(c *call2) { c.done(c.u32(1), c.in.fdSync(c.stack)) }},
	"[method]descriptor.get-flags": {"ii", (*call2).getFlags},
	"[method]descriptor.get-type":  {"ii", (*call2).getType},
	"[method]descriptor.set-size":  {"iIi", func(c *call2) { c.done(c.u32(2), c.in.fdFilestatSetSize(c.stack)) }},
	"[method]descriptor.set-times": {"iiIiiIii", func(c *call2) {
		access, change, flags := c.times(1)
		c.done(c.u32(7), c.in.fdFilestatSetTimes([]uint64{c.stack[0], access, change, flags}))
	}},
	"[method]descriptor.read":           {"iIIi", (*call2).fileRead},
	"[method]descriptor.write":          {"iiiIi", (*call2).fileWrite},
	"[method]descriptor.read-directory": {"ii", (*call2).readDirectory},
	"[method]descriptor.create-directory-at": {"iiii", func(c *call2) {
		c.done(c.u32(3), c.in.pathCreateDirectory(c.args(0, 1, 2)))
	}},
	"[method]descriptor.stat": {"ii", func(c *call2) {
		c.stat(1, func(at uint64) errno { return c.in.fdFilestatGet([]uint64{c.stack[0], at}) })
	}},
	"[method]descriptor.stat-at": {"iiiii", func(c *call2) {
		c.stat(4, func(at uint64) errno { return c.in.pathFilestatGet(append(c.args(0, 1, 2, 3), at)) })
	}},
	"[method]descriptor.set-times-at": {"iiiiiIiiIii", func(c *call2) {
		access, change, flags := c.times(4)
		c.done(c.u32(10), c.in.pathFilestatSetTimes(append(c.args(0, 1, 2, 3), access, change, flags)))
	}},
	"[method]descriptor.link-at":             {"iiiiiiii", func(c *call2) { c.done(c.u32(7), c.in.pathLink(c.args(0, 1, 2, 3, 4, 5, 6))) }},
	"[method]descriptor.open-at":             {"iiiiiii", (*call2).openAt},
	"[method]descriptor.readlink-at":         {"iiii", (*call2).readlinkAt},
	"[method]descriptor.remove-directory-at": {"iiii", func(c *call2) { c.done(c.u32(3), c.in.pathRemoveDirectory(c.args(0, 1, 2))) }},
	"[method]descriptor.rename-at":           {"iiiiiii", func(c *call2) { c.done(c.u32(6), c.in.pathRename(c.args(0, 1, 2, 3, 4, 5))) }},
	"[method]descriptor.symlink-at":          {"iiiiii", func(c *call2) { c.done(c.u32(5), c.in.pathSymlink(c.args(1, 2, 0, 3, 4))) }},
	"[method]descriptor.unlink-file-at":      {"iiii", func(c *call2) { c.done(c.u32(3), c.in.pathUnlinkFile(c.args(0, 1, 2))) }},
	"[method]descriptor.is-same-object": {"ii:i", func(c *call2) {
		a, b := c.in.fd(c.stack[0]), c.in.fd(c.stack[1])
		c.stack[0] = 0
		if a != nil && b != nil && a.name == b.name {
			c.stack[0] = 1
		}
	}},
	"[method]descriptor.metadata-hash": {"ii", func(c *call2) {
		d := c.in.fd(c.stack[0])
		if d == nil {
			c.hash(1, "", errnoBadf)
			return
		}
		c.hash(1, d.name, 0)
	}},
	"[method]descriptor.metadata-hash-at": {"iiiii", func(c *call2) {
		name, _, e := c.in.resolve(c.stack[0], c.stack[2], c.stack[3], c.stack[1])
		c.hash(4, name, e)
	}},

	"[method]directory-entry-stream.read-directory-entry": {"ii", (*call2).directoryEntry},
	"filesystem-error-code": {"ii", func(c *call2) {
		if e, ok := resource[error2](c, 0); ok {
			copy(c.out(c.u32(1), 2), []byte{1, e.errno.code2()})
		}
	}},
}

// stream answers with a stream of a file.
func (c *call2) stream(pointer int, may func(*descriptor) bool, pos int64, end bool) {
	d := c.in.fd(c.stack[0])
	e := errno(0)
	switch {
	case d == nil:
		e = errnoBadf
	case d.kind == fdDir:
		e = errnoIsdir
	case d.kind != fdFile || !may(d):
		e = errnoBadf
	case pos < 0:
		e = errnoInval
	}
	buf := c.result(c.u32(pointer), 8, 4, e)
	if e == 0 {
		binary.LittleEndian.PutUint32(buf[4:], c.own(&stream2{d: d, pos: pos, end: end}))
	}
}

// The flags of descriptors, and of how they are opened.
const (
	flag2Read   = 1 << 0
	flag2Write  = 1 << 1
	flag2Mutate = 1 << 5
)

func (c *call2) getFlags() {
	d := c.in.fd(c.stack[0])
	if d == nil {
		c.done(c.u32(1), errnoBadf)
		return
	}
	buf := c.result(c.u32(1), 2, 1, 0)
	switch {
	case d.kind == fdDir:
		buf[1] = flag2Read | flag2Mutate
	default:
		if d.readable {
			buf[1] |= flag2Read
		}
		if d.writable {
			buf[1] |= flag2Write
		}
		for old, flag := range syncs2 {
			if d.flags&old != 0 {
				buf[1] |= flag
			}
		}
	}
}

// syncs2 are the flags about what is on the disk, by those of preview 1. They change
// nothing here and are told again.
var syncs2 = map[byte]byte{1 << 4: 1 << 2, 1 << 1: 1 << 3, 1 << 3: 1 << 4}

func (c *call2) getType() {
	d := c.in.fd(c.stack[0])
	if d == nil {
		c.done(c.u32(1), errnoBadf)
		return
	}
	buf := c.result(c.u32(1), 2, 1, 0)
	switch d.kind {
	case fdDir:
		buf[1] = types2[typeDir]
	case fdFile:
		buf[1] = types2[typeRegular]
	default:
		buf[1] = types2[typeChar]
	}
}

// times reads two new timestamps from a parameter on, as preview 1 has them.
func (c *call2) times(from int) (access, change, flags uint64) {
	for i, to := range []*uint64{&access, &change} {
		at := from + 3*i
		switch c.u32(at) {
		case 1: // now
			flags |= fstAccessNow << (2 * i)
		case 2:
			flags |= fstAccess << (2 * i)
			*to = c.stack[at+1]*1e9 + uint64(c.u32(at+2))
		}
	}
	return access, change, flags
}

func (c *call2) fileRead() {
	d := c.in.fd(c.stack[0])
	pointer, e := c.u32(3), errno(0)
	var data []byte
	end := false
	switch {
	case d == nil || !d.readable:
		e = c.in.badRead(d)
	case int64(c.stack[2]) < 0:
		e = errnoInval
	default:
		var err error
		data = make([]byte, min(c.stack[1], maxTransfer))
		n := 0
		n, err = d.file.ReadAt(data, int64(c.stack[2]))
		data, end = data[:n], err != nil
	}
	if e != 0 {
		c.result(pointer, 16, 4, e)
		return
	}
	at := c.list(data)
	buf := c.result(pointer, 16, 4, 0)
	binary.LittleEndian.PutUint64(buf[4:], at)
	if end {
		buf[12] = 1
	}
}

func (c *call2) fileWrite() {
	d, data := c.in.fd(c.stack[0]), c.bytes(1)
	pos, e, n := int64(c.stack[3]), errno(0), 0
	switch {
	case d == nil || !d.writable:
		e = errnoBadf
	case pos < 0:
		e = errnoInval
	default:
		var err error
		n, err = c.in.writeFile(d, data, pos)
		e = errnoOf(err)
	}
	buf := c.result(c.u32(4), 16, 8, e)
	if e == 0 {
		binary.LittleEndian.PutUint64(buf[8:], uint64(n))
	}
}

// entries2 is a directory that is read.
type entries2 struct {
	list []fs.DirEntry
	next int
}

func (c *call2) readDirectory() {
	d := c.in.fd(c.stack[0])
	e := errno(0)
	var list []fs.DirEntry
	switch {
	case d == nil:
		e = errnoBadf
	case d.kind != fdDir:
		e = errnoNotdir
	default:
		var err error
		list, err = c.in.sys.files.ReadDir(d.name)
		e = errnoOf(err)
	}
	buf := c.result(c.u32(1), 8, 4, e)
	if e == 0 {
		binary.LittleEndian.PutUint32(buf[4:], c.own(&entries2{list: list}))
	}
}

func (c *call2) directoryEntry() {
	s, ok := resource[*entries2](c, 0)
	if !ok {
		return
	}
	if s.next == len(s.list) {
		c.out(c.u32(1), 20)
		return
	}
	entry := s.list[s.next]
	s.next++
	at := c.list([]byte(entry.Name()))
	buf := c.out(c.u32(1), 20)
	buf[4], buf[8] = 1, types2[fileType(entry.Type())]
	binary.LittleEndian.PutUint64(buf[12:], at)
}

// stat answers with a descriptor-stat, made of the filestat of preview 1, which is
// written into the same place first.
func (c *call2) stat(pointer int, get func(at uint64) errno) {
	c.out(c.u32(pointer), 104)
	e := get(uint64(c.u32(pointer)) + 40)
	old, ok := c.in.Memory().Read(c.u32(pointer)+40, 64)
	if !ok {
		c.trap("out of bounds memory access")
		return
	}
	var was [64]byte
	copy(was[:], old)
	buf := c.result(c.u32(pointer), 104, 8, e)
	if e != 0 {
		return
	}
	buf[8] = types2[was[16]]
	copy(buf[16:32], was[24:40]) // names and size
	for i := range 3 {
		option := buf[32+24*i:]
		option[0] = 1
		putTime(option[8:], int64(binary.LittleEndian.Uint64(was[40+8*i:])))
	}
}

// hash answers with the number of the file that a name leads to.
func (c *call2) hash(pointer int, name string, e errno) {
	var info fs.FileInfo
	if e == 0 {
		var err error
		info, err = c.in.sys.files.Stat(name)
		e = errnoOf(err)
	}
	buf := c.result(c.u32(pointer), 24, 8, e)
	if e == 0 {
		binary.LittleEndian.PutUint64(buf[8:], inodeOf(name, info))
	}
}

func (c *call2) openAt() {
	flags, rights := c.stack[5], uint64(0)
	if flags&flag2Read != 0 {
		rights |= rightRead
	}
	if flags&flag2Write != 0 {
		rights |= rightWrite
	}
	fdflags := uint64(0)
	for old, flag := range syncs2 {
		if flags&uint64(flag) != 0 {
			fdflags |= uint64(old)
		}
	}
	pointer := c.u32(6)
	c.out(pointer, 8)
	e := c.in.pathOpen([]uint64{c.stack[0], c.stack[1], c.stack[2], c.stack[3], c.stack[4], rights, rightsAll, fdflags, uint64(pointer) + 4})
	if e != 0 {
		c.result(pointer, 8, 4, e)
	}
}

func (c *call2) readlinkAt() {
	pointer := c.u32(3)
	name, _, e := c.in.resolve(c.stack[0], c.stack[1], c.stack[2], 0)
	target := ""
	if e == 0 {
		var err error
		target, err = c.in.sys.files.Readlink(path.Clean(name))
		e = errnoOf(err)
	}
	if e == 0 && len(target) > 0 && target[0] == '/' {
		e = errnoNotcapable
	}
	if e != 0 {
		c.result(pointer, 12, 4, e)
		return
	}
	at := c.list([]byte(target))
	binary.LittleEndian.PutUint64(c.result(pointer, 12, 4, 0)[4:], at)
}
