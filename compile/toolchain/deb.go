package toolchain

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// packageData is the tar of the files that a Debian package installs. A package
// is an ar archive of debian-binary, control.tar and data.tar, each with a head
// of 60 bytes: name 16, then times and owners, size 10 at 48, and two more.
func packageData(r io.Reader) (io.Reader, error) {
	if _, err := io.CopyN(io.Discard, r, int64(len("!<arch>\n"))); err != nil {
		return nil, fmt.Errorf("package: %w", err)
	}
	for {
		var head [60]byte
		if _, err := io.ReadFull(r, head[:]); errors.Is(err, io.EOF) {
			return nil, errors.New("package: it has no data.tar")
		} else if err != nil {
			return nil, fmt.Errorf("package: %w", err)
		}
		name := strings.TrimRight(string(head[:16]), " /")
		size, err := strconv.ParseInt(strings.TrimSpace(string(head[48:58])), 10, 64)
		if err != nil || size < 0 {
			return nil, fmt.Errorf("package: the size of %q is not a number", name)
		}
		if strings.HasPrefix(name, "data.tar") {
			return decompress(io.LimitReader(r, size))
		}
		if _, err := io.CopyN(io.Discard, r, size+size%2); err != nil {
			return nil, fmt.Errorf("package: %w", err)
		}
	}
}
