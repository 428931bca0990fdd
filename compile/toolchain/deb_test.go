package toolchain

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"
)

// packed is a Debian package with one file.
func packed(t *testing.T, name, content string) []byte {
	t.Helper()
	var data bytes.Buffer
	z := gzip.NewWriter(&data)
	w := tar.NewWriter(z)
	if err := w.WriteHeader(&tar.Header{Name: "./usr/" + name, Mode: 0o644, Size: int64(len(content))}); err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(w, content)
	w.Close()
	z.Close()
	var ar bytes.Buffer
	ar.WriteString("!<arch>\n")
	for _, member := range []struct {
		name string
		data []byte
	}{{"debian-binary", []byte("2.0")}, {"control.tar.xz", []byte("any")}, {"data.tar.gz", data.Bytes()}} {
		fmt.Fprintf(&ar, "%-16s%-12d%-6d%-6d%-8s%-10d`\n", member.name, 0, 0, 0, "100644", len(member.data))
		ar.Write(member.data)
		if len(member.data)%2 == 1 {
			ar.WriteByte('\n')
		}
	}
	return ar.Bytes()
}

func TestUnpackPackage(t *testing.T) {
	archive := packed(t, "share/a.el", "text")
	files, err := Unpack(bytes.NewReader(archive), []string{"share/"})
	if err != nil || string(files["share/a.el"]) != "text" {
		t.Errorf("got %q, %v", files, err)
	}
	for cut, want := range map[int]string{8: "it has no data.tar", 40: "unexpected EOF"} {
		if _, err := Unpack(bytes.NewReader(archive[:cut]), []string{"share/"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("cut at %d: %v, want %s", cut, err, want)
		}
	}
}
