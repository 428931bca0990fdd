package sandbox

import (
	"errors"
	"io/fs"
	"syscall"
)

// errno is a preview 1 error number; 0 is success.
type errno uint32

// The error numbers this implementation gives.
const (
	errnoBadf       errno = 8
	errnoExist      errno = 20
	errnoFault      errno = 21
	errnoFbig       errno = 22
	errnoIlseq      errno = 25
	errnoInval      errno = 28
	errnoIO         errno = 29
	errnoIsdir      errno = 31
	errnoLoop       errno = 32
	errnoMfile      errno = 33
	errnoNameTooLng errno = 37
	errnoNoent      errno = 44
	errnoNospc      errno = 51
	errnoNotdir     errno = 54
	errnoNotempty   errno = 55
	errnoNotsock    errno = 57
	errnoNotsup     errno = 58
	errnoPerm       errno = 63
	errnoPipe       errno = 64
	errnoRofs       errno = 69
	errnoSpipe      errno = 70
	errnoXdev       errno = 75
	errnoNotcapable errno = 76
)

// errnos maps what file systems report to what guests understand, most
// specific first.
var errnos = []struct {
	err   error
	errno errno
}{
	{syscall.ENOTDIR, errnoNotdir},
	{syscall.EISDIR, errnoIsdir},
	{syscall.ENOTEMPTY, errnoNotempty},
	{syscall.EXDEV, errnoXdev},
	{syscall.EROFS, errnoRofs},
	{syscall.ENOSPC, errnoNospc},
	{syscall.EPIPE, errnoPipe},
	{syscall.ELOOP, errnoLoop},
	{syscall.EFBIG, errnoFbig},
	{syscall.ENAMETOOLONG, errnoNameTooLng},
	{fs.ErrNotExist, errnoNoent},
	{fs.ErrExist, errnoExist},
	{fs.ErrPermission, errnoPerm},
	{fs.ErrInvalid, errnoInval},
	{syscall.EINVAL, errnoInval},
	{errors.ErrUnsupported, errnoNotsup},
}

// errnoOf translates err; nil is success and the unknown is an I/O error.
func errnoOf(err error) errno {
	if err == nil {
		return 0
	}
	for _, e := range errnos {
		if errors.Is(err, e.err) {
			return e.errno
		}
	}
	return errnoIO
}
