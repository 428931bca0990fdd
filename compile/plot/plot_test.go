package plot

import (
	"encoding/xml"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wb/internal/value"
)

var update = flag.Bool("update", false, "draw the golden pictures again")

// months is a small table with a header, as a :var gives it.
var months = list(list("2026-01", 13, 2), list("2026-02", 22, 4), list("2026-03", 31, nil), list("2026-04", 28, 8))

var monthNames = []string{"month", "units", "returns"}

// list makes a value of Go's.
func list(items ...any) value.Value {
	var all []value.Value
	for _, item := range items {
		switch item := item.(type) {
		case nil:
			all = append(all, value.Nil())
		case int:
			all = append(all, value.OfInt(int64(item)))
		case float64:
			all = append(all, value.OfFloat(item))
		case string:
			all = append(all, value.OfString(item))
		case value.Value:
			all = append(all, item)
		}
	}
	return value.OfList(all...)
}

func TestPictures(t *testing.T) {
	var spread []any
	for i := range 200 {
		spread = append(spread, float64(i*i%97)/10)
	}
	records := list(
		value.OfObject(value.Field{Name: "team", Value: value.OfString("red")}, value.Field{Name: "x", Value: value.OfInt(1)}, value.Field{Name: "y", Value: value.OfInt(10)}),
		value.OfObject(value.Field{Name: "team", Value: value.OfString("blue")}, value.Field{Name: "x", Value: value.OfInt(100)}, value.Field{Name: "y", Value: value.OfInt(1000)}),
		value.OfObject(value.Field{Name: "team", Value: value.OfString("red")}, value.Field{Name: "x", Value: value.OfInt(1000)}, value.Field{Name: "y", Value: value.OfInt(20000)}))
	for _, c := range []struct {
		name, spec string
		data       value.Value
		header     []string
	}{
		{"line", "title: Units & returns", months, monthNames},
		{"bars", "type: bar\nstacked: yes\nylabel: pieces", months, monthNames},
		{"horizontal", "type: bar\nhorizontal: yes\ny: units\nwidth: 400\nheight: 200", months, monthNames},
		{"area", "type: area\nstacked: yes\nlegend: no", months, monthNames},
		{"histogram", "type: histogram\nxlabel: size", list(spread...), nil},
		{"scatter", "type: scatter\nx: x\ny: y\ngroup: team\nlog: x, y", records, nil},
		{"rule", "# the header stands above the rule\ntype: line", list(list("day", "n"), value.Rule(), list("<2026-11-20 Fri>", 1), list("<2026-11-21 Sat>", -4)), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec, err := ParseSpec(c.spec)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Draw(spec, c.data, c.header)
			if err != nil {
				t.Fatal(err)
			}
			wellFormed(t, got)
			golden := filepath.Join("testdata", c.name+".svg")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("the picture differs from %s (go test -update draws it again)", golden)
			}
		})
	}
}

// wellFormed reads all of an XML text.
func wellFormed(t testing.TB, text string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
	}
}

func TestMistakes(t *testing.T) {
	for spec, want := range map[string]string{
		"type: pie":             `1:7: unknown type "pie"`,
		"\n  titel: x":          `2:3: unknown key "titel"`,
		"title":                 `1:1: "title" is not a line of the form key: value`,
		"width: 12":             `1:8: "12" is not a whole number from 80 to 4000`,
		"stacked: maybe":        `1:10: "maybe" is neither yes nor no`,
		"title: a\ntitle: b":    `2:1: title is given twice`,
		"log: z":                `1:6: unknown axis "z"`,
		"min: much":             `1:6: "much" is not a number`,
		"y: unit":               `the data has no column "unit"`,
		"y: month":              `column "month" is not numeric: it holds "2026-01"`,
		"min: 5\nmax: 5":        `min 5 is not below max 5`,
		"min: 0\nlog: y":        `min 0 cannot be on a logarithmic axis`,
		"type: histogram\nx: 9": `the data has no column "9"`,
	} {
		s, err := ParseSpec(spec)
		if err == nil {
			_, err = Draw(s, months, monthNames)
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", spec, err, want)
		}
	}
	for _, data := range []value.Value{value.Nil(), value.OfInt(3), list(), list(list()), list("a", "b"), list(list("a"), value.Rule())} {
		if picture, err := Draw(Spec{Kind: Line, Width: 300, Height: 200}, data, nil); err == nil {
			t.Errorf("%s gave %s", data, picture)
		}
	}
}

// Whatever is asked for and given, the answer is an error or a picture without
// places that do not exist.
func FuzzDraw(f *testing.F) {
	f.Add("type: bar\nstacked: yes", `[["a",1,2],["b",-1,null]]`)
	f.Add("type: scatter\nlog: x, y\ngroup: 1", `[[1,1e300],[0,-5],["",""]]`)
	f.Add("type: histogram\nbins: 3", `[1,1,1]`)
	f.Add("horizontal: yes\ntype: bar\nmin: -1", `[{"a":"<2026-01-01 Thu>","b":1e-9}]`)
	f.Fuzz(func(t *testing.T, text, data string) {
		spec, err := ParseSpec(text)
		if err != nil {
			return
		}
		v, err := value.ParseJSON([]byte(data))
		if err != nil {
			return
		}
		picture, err := Draw(spec, v, nil)
		if err != nil {
			return
		}
		if strings.Contains(picture, "NaN") || strings.Contains(picture, "Inf\"") {
			t.Errorf("a place that does not exist in %s", picture)
		}
		if strings.ToValidUTF8(text+data, "") == text+data {
			wellFormed(t, picture)
		}
	})
}
