package search

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// project writes files, named by their path, and returns their directory.
func project(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func open(t *testing.T, config Config) *Index {
	t.Helper()
	if config.Warn == nil {
		config.Warn = func(err error) { t.Logf("warning: %v", err) }
	}
	x, err := Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

func refresh(t *testing.T, x *Index) Stats {
	t.Helper()
	s, err := x.Refresh(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ask returns the titles of what a query finds, best first.
func ask(t *testing.T, x *Index, query string) []string {
	t.Helper()
	q, err := ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	opts := Options{K: 100}
	if q.Where != "" {
		if opts.Allowed, _, err = x.Filter(t.Context(), q.Where); err != nil {
			t.Fatal(err)
		}
	}
	a, err := x.Search(t.Context(), q, opts)
	if err != nil {
		t.Fatal(err)
	}
	titles := []string{}
	for _, h := range a.Hits {
		titles = append(titles, h.Title)
	}
	return titles
}

var notes = map[string]string{
	"garden.org": `#+TITLE: Garden
* TODO Roses :flowers:
Prune the roses in March. Use getPruneDate to plan.
* Tomatoes :vegetables:
Water tomatoes daily; tomatoes hate frost.
* DONE Shed :work:
A shed, where tools and a lawn mower stand. prune_date is set by hand.
** Roof
Tar paper.`,
	"kitchen.md":   "# Kitchen\n\nPots and pans.\n\n## Soup\n\nTomato soup with basil. Running late? Use a tin.\n\n```sh\nmake soup\n```\n",
	"glossary.org": "* Words\n- aubergine, eggplant :: purple\n",
	"recipe.org":   "* Moussaka\nSlices of eggplant.\n* Ratatouille\nOne aubergine, one courgette.\n",
	"events.org":   "* Run secretword :run:\n",
	".hidden/x.md": "# secretword\n",
}

func TestSearch(t *testing.T) {
	x := open(t, Config{Paths: []string{project(t, notes)}, Dir: "-"})
	refresh(t, x)
	for query, want := range map[string][]string{
		"roses":                    {"Roses"},
		"tomatoes":                 {"Tomatoes", "Soup"}, // by its stem in Soup
		"tomato soup":              {"Soup", "Tomatoes"},
		`"tomato soup"`:            {"Soup"},
		`"soup tomato"`:            {},
		"tomato -basil":            {"Tomatoes"},
		"tomato +basil":            {"Soup"},
		"run":                      {"Soup"},                    // running
		"pruneDate":                {"Shed", "Roses"},           // prune_date, getPruneDate
		"prune_date":               {"Shed", "Roses"},           // exact first
		"getPruneDate":             {"Roses"},                   // not every prune and every date
		"prune date":               {"Roses", "Shed"},           // parts of identifiers
		"mow*":                     {"Shed"},                    // mower
		"tomatos":                  {"Tomatoes", "Soup"},        // a stem away
		"ratatuille":               {"Ratatouille"},             // misspelt
		"aubergine":                {"Ratatouille", "Moussaka"}, // its synonym is worth less
		"eggplant":                 {"Moussaka", "Ratatouille"},
		"vegetables":               {"Tomatoes"},
		"make":                     {"Soup"},
		"garden tar":               {"Roof", "Garden", "Tomatoes", "Roses", "Shed"}, // the file itself, too
		"tomato tags:vegetables":   {"Tomatoes"},
		"prune todo:":              {"Roses"},
		"prune !todo:":             {"Shed"},
		"prune done:":              {"Shed"},
		"tools level:1":            {"Shed"},
		"secretword":               {},
		"zzzzzz":                   {},
		"where":                    {"Shed"},
		"where is zzzzzz":          {"Shed"}, // common words only when nothing else is found
		"日本":                       {},
		`'); DROP TABLE words; --`: {"Words"},
	} {
		got := ask(t, x, query)
		if query == "aubergine" || query == "eggplant" {
			got = slices.DeleteFunc(got, func(s string) bool { return s == "Words" })
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	if got := ask(t, x, "roses"); len(got) != 1 {
		t.Error("after all that:", got)
	}
	one := open(t, Config{Paths: []string{filepath.Join(x.config.Paths[0], "events.org")}, Dir: "-"})
	refresh(t, one)
	if got := ask(t, one, "secretword"); len(got) != 1 {
		t.Error("a record that is named is searched:", got)
	}
}

// TestStable asks the same of two indexes that came to be in different ways.
func TestStable(t *testing.T) {
	files := map[string]string{}
	for i := range 16 {
		files[fmt.Sprintf("f%02d.org", i)] = "* same words here\n* same words here\n"
	}
	dir := project(t, files)
	a := open(t, Config{Paths: []string{dir}, Dir: t.TempDir()})
	refresh(t, a)
	b := open(t, Config{Paths: []string{dir}, Dir: "-"})
	refresh(t, b)
	for _, i := range rand.Perm(16) { // b is built again file by file
		name := filepath.Join(dir, fmt.Sprintf("f%02d.org", i))
		for _, text := range []string{"* other\n", files[filepath.Base(name)]} {
			if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			refresh(t, b)
		}
	}
	q, _ := ParseQuery("same words")
	places := func(x *Index) (list []string) {
		answer, err := x.Search(t.Context(), q, Options{K: 32})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range answer.Hits {
			list = append(list, fmt.Sprintf("%s:%d", h.Path, h.Line))
		}
		return list
	}
	refresh(t, a)
	if got, want := places(b), places(a); !slices.Equal(got, want) || len(got) != 32 || !slices.IsSorted(got) {
		t.Errorf("%d headings: %v\nand %d: %v", len(got), got, len(want), want)
	}
}

func TestRefresh(t *testing.T) {
	dir := project(t, notes)
	x := open(t, Config{Paths: []string{dir}, Dir: t.TempDir()})
	if s := refresh(t, x); s.Changed != 4 || s.Files != 4 {
		t.Errorf("at first: %+v", s)
	}
	if s := refresh(t, x); s.Changed != 0 || s.Removed != 0 {
		t.Errorf("again: %+v", s)
	}
	name := filepath.Join(dir, "recipe.org")
	// The same size, the same second: only the contents tell.
	if err := os.WriteFile(name, []byte(strings.Replace(notes["recipe.org"], "courgette", "chocolate", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if s := refresh(t, x); s.Changed != 1 {
		t.Errorf("after a change: %+v", s)
	}
	if got := ask(t, x, "chocolate"); len(got) != 1 {
		t.Error(got)
	}
	if got := ask(t, x, `"courgette"`); len(got) != 0 {
		t.Error("the old text is found:", got)
	}
	if err := os.Chtimes(name, time.Now(), time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if s := refresh(t, x); s.Changed != 0 {
		t.Errorf("touched only: %+v", s)
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	if s := refresh(t, x); s.Removed != 1 {
		t.Errorf("after a removal: %+v", s)
	}
	if got := ask(t, x, "chocolate"); len(got) != 0 {
		t.Error("a removed file is found:", got)
	}
}

// TestDamage spoils the index in several ways; it is made anew.
func TestDamage(t *testing.T) {
	dir := project(t, notes)
	spoils := map[string]func(path string) error{
		"garbage": func(p string) error { return os.WriteFile(p, []byte(strings.Repeat("garbage", 10000)), 0o600) },
		"cut":     func(p string) error { return cutFile(p) },
		"empty":   func(p string) error { return os.Truncate(p, 0) },
		"middle": func(p string) error {
			data, err := os.ReadFile(p)
			for i := len(data) / 3; i < len(data)/2; i++ {
				data[i] = 0x5a
			}
			return errors.Join(err, os.WriteFile(p, data, 0o600))
		},
		"gone": os.Remove,
	}
	parts := []string{"current", tableFile, segmentFile, wordsFile}
	for name, spoil := range spoils {
		for _, part := range parts {
			damageTest(t, dir, name+"-"+part, part, spoil)
		}
	}
	damageTest(t, dir, "version", "current", func(p string) error {
		data, err := os.ReadFile(p)
		return errors.Join(err, os.WriteFile(p, bytes.Replace(data, []byte(layout), []byte("wb search 9999\n"), 1), 0o644))
	})
}

// indexFiles are the files of an index whose names end so.
func indexFiles(t testing.TB, dir, end string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, end) {
			list = append(list, path)
		}
		return err
	})
	if err != nil || len(list) == 0 {
		t.Fatal(list, err)
	}
	return list
}

func cutFile(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return os.Truncate(path, info.Size()/2)
}

func damageTest(t *testing.T, dir, name, part string, spoil func(path string) error) {
	t.Run(name, func(t *testing.T) {
		word := strings.NewReplacer("-", "", ".", "").Replace(name)
		at := filepath.Join(t.TempDir(), "index")
		x := open(t, Config{Paths: []string{dir}, Dir: at})
		refresh(t, x)
		x.Close()
		for _, path := range indexFiles(t, at, part) {
			if err := spoil(path); err != nil {
				t.Fatal(err)
			}
		}
		x = open(t, Config{Paths: []string{dir}, Dir: at})
		if err := os.WriteFile(filepath.Join(dir, "new.org"), []byte("* New damage"+word), 0o644); err != nil {
			t.Fatal(err)
		}
		refresh(t, x)
		if got := ask(t, x, "roses"); !slices.Equal(got, []string{"Roses"}) {
			t.Error(got)
		}
		if got := ask(t, x, "+new +damage"+word); len(got) != 1 {
			t.Error(got)
		}
	})
}

// TestNowhere searches where no index can be written.
func TestNowhere(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	warned := 0
	x := open(t, Config{Paths: []string{project(t, notes)}, Dir: filepath.Join(file, "index"), Warn: func(error) { warned++ }})
	refresh(t, x)
	if got := ask(t, x, "roses"); len(got) != 1 || warned != 1 || x.Dir() != "" {
		t.Error(got, warned, x.Dir())
	}
}

// TestTogether lets several indexes of one directory work at once, as
// processes do.
func TestTogether(t *testing.T) {
	dir, at := project(t, notes), t.TempDir()
	var wg sync.WaitGroup
	for worker := range 4 {
		wg.Go(func() {
			for round := range 3 {
				x, err := Open(t.Context(), Config{Paths: []string{dir}, Dir: at, Warn: func(err error) { t.Error(err) }})
				if err != nil {
					t.Error(err)
					return
				}
				name := filepath.Join(dir, fmt.Sprintf("w%d.org", worker))
				if err := os.WriteFile(name, fmt.Appendf(nil, "* worker%d round%d\n", worker, round), 0o644); err != nil {
					t.Error(err)
				}
				if _, err := x.Refresh(t.Context()); err != nil {
					t.Error(err)
				}
				if got := ask(t, x, fmt.Sprintf("+worker%d +round%d", worker, round)); len(got) != 1 {
					t.Errorf("worker %d, round %d: %q", worker, round, got)
				}
				x.Close()
			}
		})
	}
	wg.Wait()
}

// TestKilled kills processes in the middle of indexing. What they leave is
// used or replaced; nothing is missing afterwards.
func TestKilled(t *testing.T) {
	if dir := os.Getenv("SEARCH_TEST_INDEX"); dir != "" {
		x, err := Open(context.Background(), Config{Paths: []string{dir}, Dir: filepath.Join(dir, ".index")})
		if err == nil {
			_, err = x.Refresh(context.Background())
		}
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	dir, _ := corpus(t, 1500)
	clean := open(t, Config{Paths: []string{dir}, Dir: "-"})
	refresh(t, clean)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for round := range 5 {
		child := exec.Command(self, "-test.run=^TestKilled$")
		child.Env = append(os.Environ(), "SEARCH_TEST_INDEX="+dir)
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(20+60*round) * time.Millisecond)
		_ = child.Process.Kill()
		_ = child.Wait()
		x := open(t, Config{Paths: []string{dir}, Dir: filepath.Join(dir, ".index")})
		if round%2 == 1 {
			refresh(t, x)
			for _, query := range []string{"conba", "pre*", "diba loba"} {
				if got, want := ask(t, x, query), ask(t, clean, query); !slices.Equal(got, want) {
					t.Errorf("round %d, %s: %d headings, want %d", round, query, len(got), len(want))
				}
			}
			if round == 1 { // start over
				x.discard()
			}
		}
		x.Close()
	}
}

// embedServer answers with vectors that count letters; it is enough to tell
// that "fox" and "xof" are near.
func embedServer(t *testing.T, requests *int) *httptest.Server {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Input []string `json:"input"`
			Model string   `json:"model"`
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || r.URL.Path != "/v1/embeddings" || in.Model != "letters" || r.Header.Get("Authorization") != "Bearer k" {
			http.Error(w, `{"error":{"message":"bad request"}}`, 400)
			return
		}
		*requests += len(in.Input)
		type item struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		}
		var out struct {
			Data []item `json:"data"`
		}
		for i, text := range in.Input {
			v := make([]float32, 26)
			for _, c := range strings.ToLower(text) {
				if c >= 'a' && c <= 'z' {
					v[c-'a']++
				}
			}
			out.Data = append(out.Data, item{i, v})
		}
		json.NewEncoder(w).Encode(out)
	}))
	t.Cleanup(server.Close)
	return server
}

func TestSemantic(t *testing.T) {
	requests := 0
	server := embedServer(t, &requests)
	env := map[string]string{"WB_EMBED_BASE_URL": server.URL + "/v1", "WB_EMBED_MODEL": "letters", "WB_EMBED_API_KEY": "k"}
	getenv := func(key string) string { return env[key] }
	dir := project(t, map[string]string{"a.org": "* zzq qzz\n* plain words\n* other things\n"})
	x := open(t, Config{Paths: []string{dir}, Dir: t.TempDir(), Embedder: EmbedderFromEnv(getenv)})
	refresh(t, x)
	q, _ := ParseQuery("qqzz")
	answer, err := x.Search(t.Context(), q, Options{Semantic: true})
	if err != nil || !answer.Semantic || answer.Hits[0].Title != "zzq qzz" {
		t.Fatal(answer, err)
	}
	if requests != 4 {
		t.Errorf("%d texts were sent, want 3 headings and the query", requests)
	}
	if _, err := x.Search(t.Context(), q, Options{Semantic: true}); err != nil || requests != 5 {
		t.Errorf("%d texts were sent, want one query more: %v", requests, err)
	}
	if answer, err := x.Search(t.Context(), q, Options{}); err != nil || answer.Semantic {
		t.Error(answer, err)
	}
	if EmbedderFromEnv(func(string) string { return "" }) != nil {
		t.Error("an embedder without an endpoint")
	}
	env["WB_EMBED_API_KEY"] = "wrong"
	y := open(t, Config{Paths: []string{dir}, Dir: "-", Embedder: EmbedderFromEnv(getenv)})
	refresh(t, y)
	if _, err := y.Search(t.Context(), q, Options{Semantic: true}); err == nil || err.(interface{ ExitCode() int }).ExitCode() != 3 {
		t.Error(err)
	}
}

// TestFuse holds reciprocal rank fusion to its definition.
func TestFuse(t *testing.T) {
	a, b, c := scored{Found: Found{ID: 1}, name: "a"}, scored{Found: Found{ID: 2}, name: "b"}, scored{Found: Found{ID: 3}, name: "c"}
	got := fuseRanks([]scored{a, b}, []scored{b, c})
	want := []float64{1.0/62 + nearness/61, 1.0 / 61, nearness / 62}
	for i, id := range []ID{2, 1, 3} {
		if got[i].ID != id || math.Abs(got[i].score-want[i]) > 1e-12 {
			t.Errorf("%d: %+v", i, got[i])
		}
	}
}

// TestLiteral finds everything that grep finds: every heading with a word, for
// every word of the documentation.
func TestLiteral(t *testing.T) {
	x := open(t, Config{Paths: []string{"../docs", "../examples"}, Dir: "-"})
	refresh(t, x)
	all, err := x.all(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	have := map[string][]ID{}
	for path, docs := range splitAll(t, x) {
		for i, d := range docs {
			for _, w := range slices.Compact(slices.Sorted(slices.Values(Words(d.Title + "\n" + d.Body + "\n" + d.Code + "\n" + d.Result)))) {
				have[w] = append(have[w], makeID(path, i))
			}
		}
	}
	checked := 0
	for word, ids := range have {
		scores, err := x.store.Match(t.Context(), Match{Phrases: []Phrase{{Words: []string{word}}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range ids {
			if _, ok := scores[id]; !ok {
				t.Errorf("%q is not found in %d", word, id)
			}
			checked++
		}
	}
	if checked < 2000 || len(all) < 50 {
		t.Errorf("only %d words in %d headings were looked for", checked, len(all))
	}
}

func splitAll(t *testing.T, x *Index) map[int64][]Document {
	out := map[int64][]Document{}
	for id, name := range x.files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out[id] = Split(name, src).Documents
	}
	return out
}

// TestRanking measures by the judged queries. The ranking must not be worse
// than plain BM25 by any of the measures, and both not than grep.
func TestRanking(t *testing.T) {
	report, err := Evaluate(t.Context(), "testdata/qrels.org", Config{Dir: "-"}, EvalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Each) < 100 {
		t.Errorf("only %d queries have answers that exist; the documents have moved: %v", len(report.Each), report.Missing)
	}
	var text strings.Builder
	if err := report.Write(&text); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + text.String())
	wb, plain, grep := report.Rankings[0], report.Rankings[1], report.Rankings[2]
	if wb.NDCG < plain.NDCG || wb.MRR < plain.MRR || wb.Recall < plain.Recall || plain.NDCG < grep.NDCG {
		t.Errorf("%+v", report.Rankings)
	}
}

// TestFusedRanking fuses with vectors that know nothing but letters, and asks
// that even they do not make the ranking worse than plain BM25.
func TestFusedRanking(t *testing.T) {
	requests := 0
	server := embedServer(t, &requests)
	env := map[string]string{"WB_EMBED_BASE_URL": server.URL + "/v1", "WB_EMBED_MODEL": "letters", "WB_EMBED_API_KEY": "k"}
	report, err := Evaluate(t.Context(), "testdata/qrels.org", Config{Dir: "-", Embedder: EmbedderFromEnv(func(key string) string { return env[key] })}, EvalOptions{Semantic: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%+v", report.Rankings)
	if fused, plain := report.Rankings[0], report.Rankings[1]; fused.Recall < plain.Recall*0.9 {
		t.Errorf("fused %+v, plain %+v", fused, plain)
	}
}

func TestMeasures(t *testing.T) {
	grades := map[string]int{"a": 3, "b": 1, "c": 0}
	if got := ndcg([]string{"a", "b"}, grades); got != 1 {
		t.Error(got)
	}
	if got := ndcg([]string{"c", "a"}, grades); got < 0.5 || got > 0.6 {
		t.Error(got)
	}
	if ndcg(nil, grades) != 0 || ndcg([]string{"x"}, map[string]int{}) != 0 {
		t.Error("nothing is worth something")
	}
	var s Scores
	s.add([]string{"x", "b"}, grades)
	if s.MRR != 0.5 || s.Recall != 0.5 {
		t.Errorf("%+v", s)
	}
}

func TestQrelsErrors(t *testing.T) {
	for text, want := range map[string]string{
		"* q\n| x | a.md::A |\n": ":2:1: grade \"x\"",
		"* q\n| 4 | a.md::A |\n": ":2:1: grade \"4\"",
		"* q\n| 3 |\n":           ":2:1: a judgement consists of",
		"nothing\n":              ":1:1: no judged query",
	} {
		path := filepath.Join(project(t, map[string]string{"q.org": text}), "q.org")
		if _, err := ReadQrels(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := ReadQrels("/nowhere.org"); !os.IsNotExist(err) {
		t.Error(err)
	}
}
