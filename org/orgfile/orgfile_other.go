//go:build !unix

package orgfile

import (
	"io/fs"
	"os"
)

// lock does nothing: without Unix there are neither advisory locks nor owners to keep in the
// standard library; the comparison of contents still guards every write.
func lock(*os.File) error { return nil }

func locks(*os.File) bool { return false }

func keepOwner(*os.File, fs.FileInfo) error { return nil }

func syncDir(string) error { return nil }

// links is how many names a file has, as far as is known here.
func links(fs.FileInfo) int { return 1 }
