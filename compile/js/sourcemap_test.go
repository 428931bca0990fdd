package js

import "testing"

// Places lead back to where the text came from, columns in bytes on both
// sides.
func TestSourceMap(t *testing.T) {
	// "let é: string = 'ü', b = 1;" without its type, on the second line of two.
	m := NewSourceMap(";AACA,IAAI,CAAC,GAAW,GAAG,EAAE,CAAC,GAAG,CAAC,CAAC", "// made\nlet é = 'ü', b = 1;", "// written\nlet é: string = 'ü', b = 1;")
	for _, c := range [][4]int{{2, 1, 2, 1}, {2, 5, 2, 5}, {2, 10, 2, 18}, {1, 3, 1, 1}, {2, 0, 2, 1}} {
		if line, col := m.Original(c[0], c[1]); line != c[2] || col != c[3] {
			t.Errorf("%d:%d comes from %d:%d, want %d:%d", c[0], c[1], line, col, c[2], c[3])
		}
	}
	for text, want := range map[string]int{"A": 0, "C": 1, "D": -1, "gB": 16, "2HwcqxB": 0, "!": 0} {
		v := decodeVLQ(text)
		if text == "!" && v == nil {
			continue
		}
		if len(v) == 0 || text != "2HwcqxB" && v[0] != want || text == "2HwcqxB" && (len(v) != 3 || v[0] != 123 || v[1] != 456 || v[2] != 789) {
			t.Errorf("%s is %v", text, v)
		}
	}
}

// No mapping makes Original fail, and columns survive the way there and back.
func FuzzSourceMap(f *testing.F) {
	f.Add(";AACA,IAAI", "a\nbé😀", "é\nb", 2, 3)
	f.Add("////,!;g", "", "", 0, -1)
	f.Fuzz(func(t *testing.T, mappings, generated, source string, line, col int) {
		m := NewSourceMap(mappings, generated, source)
		m.Original(line, col)
		for _, text := range []string{generated, source} {
			for i := range text {
				if got := ByteColumn(text, UTF16Column(text, i)); got != i {
					t.Errorf("%q: byte %d comes back as %d", text, i, got)
				}
			}
		}
	})
}

// Whatever package.json says, looking for a file ends.
func FuzzManifest(f *testing.F) {
	f.Add([]byte(`{"exports":{".":{"import":"./a.js"},"./*":"./b/*.js"},"imports":{"#x":"./a.js"}}`), "p/c")
	f.Add([]byte(`{"main":"./","exports":[null,"./x"]}`), "p")
	f.Add([]byte(`{"imports":{"#a":"#a"},"name":"p","exports":"p"}`), "#a")
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		w := &world{sources: sources{own: map[string][]byte{"node_modules/p/package.json": data, "node_modules/p/a.js": nil, "package.json": data}}}
		for _, verb := range []string{"import", "require"} {
			for _, base := range []string{BlockFile, "node_modules/p/a.js"} {
				if file, err := w.resolve(base, name, verb); err == nil {
					if _, ok := w.sources.get(file); !ok {
						t.Errorf("%s %q is %q, which is not there", verb, name, file)
					}
				}
			}
		}
	})
}
