package exchange

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestNotebook makes sure that a notebook is the same after a way to org and
// back: cells, ids, metadata and outputs to the byte, prose as it looks.
func TestNotebook(t *testing.T) {
	files, _ := filepath.Glob("testdata/notebook/*.ipynb")
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			imported := roundTrip(t, data)
			golden := strings.TrimSuffix(file, ".ipynb") + ".org"
			if *update {
				if err := os.WriteFile(golden, imported.Org, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want, _ := os.ReadFile(golden); !bytes.Equal(want, imported.Org) {
				t.Errorf("got\n%s", imported.Org)
			}
		})
	}
}

func roundTrip(t testing.TB, data []byte) *Imported {
	t.Helper()
	imported, err := FromNotebook(data, "nb")
	if err != nil {
		t.Fatal(err)
	}
	again, err := ToNotebook(imported.Org, func(name string) ([]byte, error) {
		if content, ok := imported.Files[name]; ok {
			return content, nil
		}
		return nil, fs.ErrNotExist
	})
	if err != nil {
		t.Fatal(err)
	}
	sameNotebook(t, data, again, string(imported.Org))
	return imported
}

func sameNotebook(t testing.TB, before, after []byte, orgText string) {
	t.Helper()
	a, err := parseNotebook(before)
	if err != nil {
		t.Fatal(err)
	}
	b, err := parseNotebook(after)
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Cells) != len(b.Cells) {
		t.Fatalf("%d cells became %d\n%s\n%s", len(a.Cells), len(b.Cells), orgText, after)
	}
	if !sameJSON(a.Metadata, b.Metadata) || a.Format != b.Format || a.Minor != b.Minor {
		t.Errorf("metadata %s became %s", a.Metadata, b.Metadata)
	}
	for i, x := range a.Cells {
		y := b.Cells[i]
		if x.Kind == "markdown" {
			sameMarkdown(t, string(x.Source), string(y.Source))
			x.Source, y.Source = "", ""
		}
		if x.Kind != y.Kind || x.ID != y.ID || x.Source != y.Source || !sameJSON(orEmpty(x.Metadata), orEmpty(y.Metadata)) || !sameJSON(x.Attachments, y.Attachments) ||
			!sameJSON(x.ExecutionCount, y.ExecutionCount) {
			t.Errorf("cell %d: %+v became %+v\n%s", i+1, x, y, orgText)
		}
		if len(x.Outputs) != len(y.Outputs) {
			t.Fatalf("cell %d: %d outputs became %d\n%s", i+1, len(x.Outputs), len(y.Outputs), orgText)
		}
		for j := range x.Outputs {
			if !sameJSON(x.Outputs[j], y.Outputs[j]) {
				t.Errorf("cell %d: output %s became %s\n%s", i+1, x.Outputs[j], y.Outputs[j], orgText)
			}
		}
	}
}

func orEmpty(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("{}")
	}
	return raw
}

// sameJSON compares JSON values; text and a list of its lines are the same.
func sameJSON(a, b json.RawMessage) bool {
	var x, y any
	_ = json.Unmarshal(a, &x)
	_ = json.Unmarshal(b, &y)
	return reflect.DeepEqual(joinLines(x), joinLines(y))
}

func joinLines(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = joinLines(v[k])
			if s, isText := v[k].(string); isText && strings.HasPrefix(k, "image/") {
				v[k] = strings.TrimSpace(s)
			}
		}
	case []any:
		var text strings.Builder
		for i := range v {
			line, ok := v[i].(string)
			if !ok {
				for j := range v {
					v[j] = joinLines(v[j])
				}
				return v
			}
			text.WriteString(line)
		}
		return text.String()
	}
	return v
}

// TestNotebooksAtRandom does so for notebooks nobody would write.
func TestNotebooksAtRandom(t *testing.T) {
	for seed := range int64(300) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { roundTrip(t, randomNotebook(seed)) })
	}
}

func randomNotebook(seed int64) []byte {
	r := rand.New(rand.NewSource(seed))
	pick := func(choices ...string) string { return choices[r.Intn(len(choices))] }
	text := func() string {
		var out strings.Builder
		for range r.Intn(4) {
			out.WriteString(pick("x = 1", "  indented", "\ttab", "* star", "#+end_src", "#+begin_src python", "", "%matplotlib inline", "é 日本", ":end:", ",* comma", ": colon", "- item", "-->", "| a |"))
			out.WriteString(pick("\n", "\n", "\n\n", ""))
		}
		return out.String()
	}
	prose := func() string {
		return pick("# Title", "Some *text* and `code`.", "- a\n- b\n\nEnd", "| a | b |\n|---|---|\n| 1 | 2 |", "```\nfence\n```", "", "$x^2$", "![](attachment:a.png)", "<div>x</div>", "1. a\n2. b", "#+RESULTS:", "* not a heading", "---", "a\n===\n\nb [l](u)")
	}
	nb := map[string]any{"nbformat": 4, "nbformat_minor": 4 + r.Intn(2), "metadata": map[string]any{"kernelspec": map[string]any{"name": "python3", "language": "python"}, "x": []any{1.5, nil}}}
	cells := []any{}
	for i := range 1 + r.Intn(6) {
		cell := map[string]any{"metadata": map[string]any{}, "id": fmt.Sprintf("c%d", i)}
		if r.Intn(3) == 0 {
			cell["metadata"] = map[string]any{"tags": []any{"a", "b"}, "collapsed": true}
		}
		switch r.Intn(5) {
		case 0, 1:
			cell["cell_type"], cell["source"] = "markdown", prose()
		case 2:
			cell["cell_type"], cell["source"] = "raw", text()
		default:
			cell["cell_type"], cell["source"], cell["execution_count"] = "code", text(), nil
			if r.Intn(2) == 0 {
				cell["execution_count"] = i
			}
			outputs := []any{}
			for range r.Intn(3) {
				switch r.Intn(4) {
				case 0:
					outputs = append(outputs, map[string]any{"output_type": "stream", "name": pick("stdout", "stderr"), "text": text()})
				case 1:
					outputs = append(outputs, map[string]any{"output_type": "execute_result", "execution_count": i, "metadata": map[string]any{}, "data": map[string]any{"text/plain": text(), "text/html": "<b>x</b>"}})
				case 2:
					outputs = append(outputs, map[string]any{"output_type": "display_data", "metadata": map[string]any{"image/png": map[string]any{"width": 3}}, "data": map[string]any{"image/png": "iVBORw0KGgo=\n", "application/json": map[string]any{"a": []any{1}}}})
				case 3:
					outputs = append(outputs, map[string]any{"output_type": "error", "ename": "E", "evalue": "v", "traceback": []any{"\x1b[31mred", "x"}})
				}
			}
			cell["outputs"] = outputs
		}
		cells = append(cells, cell)
	}
	nb["cells"] = cells
	data, _ := json.Marshal(nb)
	return data
}

// TestOldNotebook reads a notebook of format 3.
func TestOldNotebook(t *testing.T) {
	old := `{"metadata":{"name":"Old"},"nbformat":3,"nbformat_minor":0,"worksheets":[{"cells":[
		{"cell_type":"heading","level":2,"source":["Sums"],"metadata":{}},
		{"cell_type":"markdown","source":"Some *prose*.","metadata":{}},
		{"cell_type":"code","language":"python","collapsed":true,"input":["1+1"],"prompt_number":4,"metadata":{},"outputs":[
			{"output_type":"stream","stream":"stderr","text":["careful\n"]},
			{"output_type":"pyout","prompt_number":4,"text":["2"],"metadata":{}},
			{"output_type":"pyerr","ename":"E","evalue":"v","traceback":["t"]}]}]}]}`
	imported := roundTrip(t, []byte(old))
	for _, want := range []string{"** Sums\n", "Some /prose/.\n", "#+begin_src python\n1+1\n", `"name":"stderr"`, "\n: careful\n", "#+begin_export text/plain :no-newline\n2\n", `"ename":"E"`} {
		if !strings.Contains(string(imported.Org), want) {
			t.Errorf("%q is not in\n%s", want, imported.Org)
		}
	}
}
