// Package bundle packs a workbook with everything that belongs to it into one
// file, a .wbundle, and takes it apart again.
//
// A .wbundle is a zip file that any tool opens, in one strict form: files are
// stored, not compressed, one after the other from the first byte on, with no
// extra fields, comments or gaps. Such a file has one reading. Zip as such has
// many (a directory and local headers that may disagree, data that no entry
// owns, sizes to be found out by unpacking), and what is signed must not. The
// same bytes come out on every machine, and no bundle is larger unpacked.
//
// Its file manifest.json lists all others and is signed, like the manifest of
// a site (wb/publish/manifest).
package bundle

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"unicode/utf8"

	"wb/proof/fault"
	"wb/proof/manifest"
)

// Sizes and signatures of zip's records (APPNOTE 6.3, 4.3).
const (
	localSize, localMark     = 30, 0x04034b50
	centralSize, centralMark = 46, 0x02014b50
	endSize, endMark         = 22, 0x06054b50

	utf8Names  = 1 << 11    // a flag
	dosMorning = 0x21 << 16 // 1980-01-01, 0:00, the one date of all files
)

// maxFiles is the most files that fit without zip64.
const maxFiles = 1<<16 - 1

// Pack writes files as a zip, the manifest first and the others sorted.
func Pack(files manifest.Files) ([]byte, error) {
	var out, directory []byte
	paths := []string{}
	for _, f := range files.List() {
		if f.Path != manifest.BundlePath {
			paths = append(paths, f.Path)
		}
	}
	if _, ok := files[manifest.BundlePath]; ok {
		paths = slices.Insert(paths, 0, manifest.BundlePath)
	}
	if len(paths) > maxFiles {
		return nil, fmt.Errorf("a bundle holds at most %d files", maxFiles)
	}
	for _, path := range paths {
		if !manifest.SafePath(path) {
			return nil, fmt.Errorf("%q cannot be in a bundle", path)
		}
		data := files[path]
		if len(out)+len(data) > 1<<31 {
			return nil, fmt.Errorf("a bundle holds at most 2 GiB")
		}
		common := header(path, data)
		offset := len(out)
		out = binary.LittleEndian.AppendUint32(out, localMark)
		out = append(append(append(out, common...), path...), data...)

		directory = binary.LittleEndian.AppendUint32(directory, centralMark)
		directory = binary.LittleEndian.AppendUint16(directory, 3<<8|20) // made on Unix, by version 2.0
		directory = append(directory, common...)
		directory = append(directory, 0, 0, 0, 0, 0, 0) // no comment, first disk, binary
		directory = binary.LittleEndian.AppendUint32(directory, 0o100644<<16)
		directory = binary.LittleEndian.AppendUint32(directory, uint32(offset))
		directory = append(directory, path...)
	}
	start := len(out)
	out = append(out, directory...)
	out = binary.LittleEndian.AppendUint32(out, endMark)
	out = append(out, 0, 0, 0, 0)
	out = binary.LittleEndian.AppendUint16(out, uint16(len(paths)))
	out = binary.LittleEndian.AppendUint16(out, uint16(len(paths)))
	out = binary.LittleEndian.AppendUint32(out, uint32(len(directory)))
	out = binary.LittleEndian.AppendUint32(out, uint32(start))
	return append(out, 0, 0), nil
}

// header is the part that the two headers of a file share: version needed,
// flags, method, time, checksum, sizes, lengths.
func header(path string, data []byte) []byte {
	flags := uint16(0)
	if strings.IndexFunc(path, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 {
		flags = utf8Names
	}
	out := binary.LittleEndian.AppendUint16(nil, 20)
	out = binary.LittleEndian.AppendUint16(out, flags)
	out = binary.LittleEndian.AppendUint16(out, 0)
	out = binary.LittleEndian.AppendUint32(out, dosMorning)
	out = binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(data))
	out = binary.LittleEndian.AppendUint32(out, uint32(len(data)))
	out = binary.LittleEndian.AppendUint32(out, uint32(len(data)))
	out = binary.LittleEndian.AppendUint16(out, uint16(len(path)))
	return append(out, 0, 0)
}

// Unpack reads a zip in the strict form. Errors are [fault.Error]s.
func Unpack(data []byte) (manifest.Files, error) {
	mark := binary.LittleEndian.AppendUint32(nil, endMark)
	end := bytes.LastIndex(data, mark)
	switch {
	case end < 0 || len(data)-end < endSize:
		return nil, fault.New(fault.ZipMalformed, "no end of a zip file")
	case len(data)-end > endSize:
		return nil, fault.New(fault.ZipHidden, "%d bytes behind the end", len(data)-end-endSize)
	}
	le := binary.LittleEndian
	tail := data[end:]
	count, size, start := int(le.Uint16(tail[10:])), int(le.Uint32(tail[12:])), int(le.Uint32(tail[16:]))
	if le.Uint32(tail[4:]) != 0 || int(le.Uint16(tail[8:])) != count {
		return nil, fault.New(fault.ZipMalformed, "spans disks")
	}
	if start+size != end {
		return nil, fault.New(fault.ZipMalformed, "the directory is not where the end says")
	}
	r := &reader{data: data, files: manifest.Files{}, folded: map[string]bool{}}
	directory := data[start:end]
	for range count {
		var err error
		if directory, err = r.entry(directory, start); err != nil {
			return nil, err
		}
	}
	if len(directory) > 0 || r.at != start {
		return nil, fault.New(fault.ZipHidden, "bytes between the files and the directory")
	}
	return r.files, nil
}

type reader struct {
	data   []byte
	at     int // where the next file must begin
	files  manifest.Files
	folded map[string]bool
}

// entry reads the first entry of the directory, and the file it describes.
func (r *reader) entry(directory []byte, limit int) ([]byte, error) {
	le := binary.LittleEndian
	if len(directory) < centralSize || le.Uint32(directory) != centralMark {
		return nil, fault.New(fault.ZipMalformed, "the directory is cut short")
	}
	head, nameLen := directory[:centralSize], int(le.Uint16(directory[28:]))
	if len(directory) < centralSize+nameLen {
		return nil, fault.New(fault.ZipMalformed, "the directory is cut short")
	}
	name := string(directory[centralSize : centralSize+nameLen])
	fail := func(code fault.Code, text string) ([]byte, error) {
		return nil, &fault.Error{Code: code, Path: name, Text: text}
	}
	switch flags, method := le.Uint16(head[8:]), le.Uint16(head[10:]); {
	case !utf8.ValidString(name) || !manifest.SafePath(name):
		return fail(fault.ZipPath, "a name that could leave the directory")
	case r.folded[foldASCII(name)]:
		return fail(fault.ZipDuplicate, "a second time")
	case flags&^utf8Names != 0 || method != 0:
		return fail(fault.ZipMethod, "compressed or encrypted; files of a bundle are stored")
	case le.Uint16(head[30:]) != 0 || le.Uint16(head[32:]) != 0:
		return fail(fault.ZipHidden, "has extra fields or a comment")
	case le.Uint16(head[34:]) != 0:
		return fail(fault.ZipMalformed, "on another disk")
	case le.Uint32(head[38:])>>28 != 0o10 && le.Uint32(head[38:])>>28 != 0:
		return fail(fault.FileIrregular, "a link or a device")
	}
	r.folded[foldASCII(name)] = true
	if int(le.Uint32(head[42:])) != r.at {
		return fail(fault.ZipHidden, "does not begin where the file before ends")
	}
	body, end := r.at+localSize+nameLen, 0
	size := int(le.Uint32(head[20:]))
	if end = body + size; end > limit || body > limit {
		return fail(fault.ZipMalformed, "is cut short")
	}
	local := r.data[r.at:]
	switch {
	case le.Uint32(local) != localMark:
		return fail(fault.ZipMalformed, "has no header of its own")
	case !bytes.Equal(local[4:28], head[6:30]) || string(local[localSize:localSize+nameLen]) != name:
		return fail(fault.ZipMismatch, "the directory and the file's own header differ")
	case le.Uint16(local[28:]) != 0:
		return fail(fault.ZipHidden, "has extra fields")
	case le.Uint32(head[24:]) != uint32(size):
		return fail(fault.ZipSize, "stored, yet of two sizes")
	case crc32.ChecksumIEEE(r.data[body:end]) != le.Uint32(head[16:]):
		return fail(fault.ZipChecksum, "its checksum is wrong")
	}
	r.files[name], r.at = r.data[body:end:end], end
	return directory[centralSize+nameLen:], nil
}

// foldASCII makes names comparable that differ by case alone.
func foldASCII(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, name)
}
