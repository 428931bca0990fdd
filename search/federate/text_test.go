package federate

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"wb/org/oql"
)

// readAs reads a table of a directory as a query would: its rows, and what was
// noted.
func readAs(t *testing.T, dir, name string, how OnError) (rows, notes []string, err error) {
	t.Helper()
	c := Open(Config{Dir: dir, OnError: how, Note: func(format string, args ...any) {
		notes = append(notes, strings.ReplaceAll(fmt.Sprintf(format, args...), dir+"/", ""))
	}})
	corpus, taken, err := c.Read(context.Background(), []oql.Source{{Name: name, Pos: oql.Pos{Line: 1, Col: 1}}}, nil)
	if err == nil && taken == 0 {
		err = os.ErrNotExist
	}
	if err != nil {
		return nil, notes, err
	}
	for _, f := range c.Failures() {
		return nil, notes, f.Err
	}
	for _, e := range corpus.Files[0].Entries {
		var cells []string
		for _, cell := range e.Cells {
			cells = append(cells, cell.Name+"="+plain(cell.Value))
		}
		rows = append(rows, strings.Join(cells, " "))
	}
	return rows, notes, nil
}

func TestForgiving(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	put := func(name string, data []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var zipped, squeezed bytes.Buffer
	z := gzip.NewWriter(&zipped)
	fmt.Fprint(z, "a,b\n1,2\n")
	z.Close()
	s, err := zstd.NewWriter(&squeezed)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(s, `{"a":1}`+"\n")
	s.Close()
	put("semicolon.csv", []byte("a;b\n\"x;y\";2\n"))
	put("pipe.csv", []byte("a|b\n1|2\n"))
	put("latin.csv", []byte("a,b\nM\xfcller,2\n"))
	put("utf16.csv", []byte("\xff\xfea\x00,\x00b\x00\n\x001\x00,\x00\xe4\x00\n\x00"))
	put("bad.csv", []byte("a,b\n1,2\n3,4,5\nx\"y,1\n6,7\n"))
	put("bad.jsonl", []byte("{\"a\":1}\n{\"a\":\n[1]\n{\"a\":2}\n"))
	put("mixed.json", []byte(`[{"a":1},2,{"a":3}]`))
	put("z.csv.gz", zipped.Bytes())
	put("s.jsonl.zst", squeezed.Bytes())
	put("broken.csv.gz", []byte("no gzip"))
	put("p1.csv", []byte("a\n1\n"))
	put("p2.csv", []byte("a\n2\n"))
	for _, c := range []struct {
		name string
		how  OnError
		rows string
		note string
		err  string
	}{
		{"semicolon.csv", "", "A=x;y B=2", "semicolon.csv: values are separated by ';'", ""},
		{"pipe.csv", "", "A=1 B=2", "pipe.csv: values are separated by '|'", ""},
		{"latin.csv", "", "A=Müller B=2", "latin.csv: read as windows-1252", ""},
		{"utf16.csv", "", "A=1 B=ä", "utf16.csv: read as UTF-16", ""},
		{"bad.csv", "", "", "", "bad.csv:3:5: 3 values for 2 columns"},
		{"bad.csv", Stop, "", "", "bad.csv:3:5: 3 values for 2 columns"},
		{"bad.csv", Skip, "A=1 B=2; A=6 B=7", "bad.csv: 2 bad rows left out, the first: bad.csv:3:5: 3 values for 2 columns", ""},
		{"bad.csv", Null, "A=1 B=2; A= B=; A= B=; A=6 B=7", "bad.csv: 2 bad rows read as null, the first: bad.csv:3:5: 3 values for 2 columns", ""},
		{"bad.jsonl", "", "", "", "bad.jsonl:2:6: unexpected end"},
		{"bad.jsonl", Skip, "A=1; A=2", "bad.jsonl: 1 bad rows left out, the first: bad.jsonl:2:", ""},
		{"bad.jsonl", Null, "A=1; ; A=2", "bad.jsonl: 1 bad rows read as null", ""},
		{"mixed.json", "", "A=1; A=3", "mixed.json: left out 1 items of the list that are not objects", ""},
		{"z.csv.gz", "", "A=1 B=2", "", ""},
		{"s.jsonl.zst", "", "A=1", "", ""},
		{"broken.csv.gz", Skip, "", "", "broken.csv.gz: "},
		{"p[0-9].csv", "", "A=1 FILENAME=p1.csv; A=2 FILENAME=p2.csv", "", ""},
		{"q*.csv", "", "", "", "no file is named like q*.csv"},
		{"../*.csv", "", "", "", "outside the directory"},
	} {
		rows, notes, err := readAs(t, dir, c.name, c.how)
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), dir+"/", ""), strings.TrimSuffix(c.err, ": unexpected end")) {
				t.Errorf("%s %s: %v, want %s", c.name, c.how, err, c.err)
			}
		case err != nil || strings.Join(rows, "; ") != c.rows:
			t.Errorf("%s %s: %q %v, want %s", c.name, c.how, rows, err, c.rows)
		case c.note == "" && len(notes) > 0, c.note != "" && !slices.ContainsFunc(notes, func(n string) bool { return strings.HasPrefix(n, c.note) }):
			t.Errorf("%s %s: noted %q, want %q", c.name, c.how, notes, c.note)
		}
	}
}
