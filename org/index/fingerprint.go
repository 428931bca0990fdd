package index

import (
	"fmt"
	"io/fs"
	"time"
)

// Fingerprint is a text that changes whenever a file does: its size, times and
// inode. It is "" when the file was changed so shortly before it was seen that
// another change could have left all of them the same. Other indexes use it to
// tell, without reading a file, that it is what it was.
func Fingerprint(info fs.FileInfo, seen time.Time) string {
	s := stampOf(info)
	if max(s.mtime, s.ctime)+int64(racyWindow) >= seen.UnixNano() {
		return ""
	}
	return fmt.Sprintf("%d %d %d %d", s.size, s.mtime, s.ctime, s.inode)
}
