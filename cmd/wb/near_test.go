package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// wbNear runs wb in this process, in the working directory, and lets it reach
// servers of this machine, which nothing but a test may.
func wbNear(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	a := &terminal{ctx: t.Context(), std: stdio{strings.NewReader(""), &out, &errs}, private: netip.Addr.IsLoopback}
	code = a.run(args)
	return code, out.String(), errs.String()
}

// freshUser makes the test that of a user with nothing, in an empty project.
func freshUser(t *testing.T) {
	t.Helper()
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"} {
		t.Setenv(name, home)
	}
	for _, name := range []string{"WB_EMBED_BASE_URL", "WB_EMBED_MODEL", "WB_EMBED_API_KEY"} {
		t.Setenv(name, "")
	}
	t.Setenv("WB_JSON", "no")
	t.Chdir(t.TempDir())
	if err := os.Mkdir(".wb", 0o755); err != nil { // a project, whatever is above it
		t.Fatal(err)
	}
}

func writeHere(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestFederateHTTP asks a server for rows, as toolkits declare them: nothing is
// sent without a grant, and with one the key that the manifest names.
func TestFederateHTTP(t *testing.T) {
	freshUser(t)
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		if r.URL.Path != "/v1/order" || r.Header.Get("Authorization") != "Bearer k-123" {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		fmt.Fprint(w, `{"data":{"items":[{"id":7,"item":"bread","price":2.5},{"id":8,"item":"cake","price":24}]}}`)
	}))
	defer server.Close()
	writeHere(t, "toolkits/shop/plugin/manifest.org", "#+SLOT: data-source\n#+IMPL: http\n#+ENTITIES: order\n#+URL: "+server.URL+"/v1/{entity}\n#+ROWS_PATH: data.items\n#+ENV_KEYS: SHOP_TOKEN\n")
	writeHere(t, "tasks.org", "* TODO Bake\n:PROPERTIES:\n:ORDER: 8\n:END:\n")
	t.Setenv("SHOP_TOKEN", "k-123")
	grant := "net:" + server.URL

	if code, _, stderr := wbNear(t, "query", "from:order"); code == 0 || !strings.Contains(stderr, "denied: not granted") || requests != 0 {
		t.Errorf("without a grant: exit %d, %d requests, %s", code, requests, stderr)
	}
	if code, stdout, stderr := wbNear(t, "query", "from:order price:>3", "--format", "csv", "--grant", grant); code != 0 || stdout != "id,item,price\n8,cake,24\n" {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	if code, stdout, stderr := wbNear(t, "query", "from:tasks.org | join order on ORDER id | title, order.item", "--format", "csv", "--grant", grant); code != 0 || stdout != "title,order.item\nBake,cake\n" {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	if code, stdout, stderr := wbNear(t, "federate", "sync", "order", "--grant", grant); code != 0 || !strings.Contains(stdout, "2 rows, 2 added") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	if text, err := os.ReadFile("sync/order.org"); err != nil || !strings.Contains(string(text), ":ITEM:     cake") {
		t.Errorf("%v\n%s", err, text)
	}
	t.Setenv("SHOP_TOKEN", "wrong-456")
	if code, stdout, stderr := wbNear(t, "query", "from:order", "--grant", grant); code == 0 || !strings.Contains(stderr, "403") || strings.Contains(stdout+stderr, "wrong-456") {
		t.Errorf("refused: exit %d: %s%s", code, stdout, stderr)
	}
}

// TestFederateTable mirrors one table of a file with several.
func TestFederateTable(t *testing.T) {
	freshUser(t)
	db, err := sql.Open("sqlite", "shop.db")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"CREATE TABLE orders (id INTEGER, item TEXT)", "INSERT INTO orders VALUES (1, 'bread')", "CREATE TABLE customers (id INTEGER, name TEXT)"} {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"shop.db"}, "hint: name the table: wb federate sync shop.db customers; known tables: customers, orders"},
		{[]string{"shop.db", "ordres"}, "hint: did you mean orders?"},
		{[]string{"shop.db", "zebras"}, "hint: known tables: customers, orders"},
	} {
		if code, _, stderr := wbNear(t, append([]string{"federate", "sync"}, c.args...)...); code == 0 || !strings.Contains(stderr, c.want) {
			t.Errorf("%q: exit %d: %s", c.args, code, stderr)
		}
	}
	if code, stdout, stderr := wbNear(t, "federate", "sync", "shop.db", "orders"); code != 0 || !strings.Contains(stdout, "wrote "+filepath.Join("sync", "orders.org")+": 1 rows, 1 added") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
	writeHere(t, "one.csv", "id\n1\n")
	if code, _, stderr := wbNear(t, "federate", "sync", "one.csv", "other"); code == 0 || !strings.Contains(stderr, "one.csv is a single table") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

// TestSearchSemantic finds by meaning what shares no word with the question. The
// endpoint's vectors tell bakery from rain and nothing else.
func TestSearchSemantic(t *testing.T) {
	freshUser(t)
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Input []string }
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || r.URL.Path != "/v1/embeddings" || r.Header.Get("Authorization") != "Bearer k" {
			http.Error(w, `{"error":{"message":"bad request"}}`, http.StatusBadRequest)
			return
		}
		type item struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		}
		var out struct {
			Data []item `json:"data"`
		}
		for i, text := range in.Input {
			asked++
			vector := []float32{0.1, 0.1}
			for _, word := range []string{"dough", "loaf"} {
				if strings.Contains(strings.ToLower(text), word) {
					vector[0]++
				}
			}
			if strings.Contains(strings.ToLower(text), "umbrella") {
				vector[1]++
			}
			out.Data = append(out.Data, item{i, vector})
		}
		if err := json.NewEncoder(w).Encode(out); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	writeHere(t, "notes.org", "* Umbrella\n* Knead the dough\n* Something else\n")

	if code, _, stderr := wbNear(t, "search", "loaf", "--semantic"); code == 0 || !strings.Contains(stderr, "no embedding endpoint is configured") {
		t.Errorf("without an endpoint: exit %d: %s", code, stderr)
	}
	t.Setenv("WB_EMBED_BASE_URL", server.URL+"/v1")
	t.Setenv("WB_EMBED_MODEL", "meaning")
	t.Setenv("WB_EMBED_API_KEY", "k")
	var answer struct {
		Data struct {
			Semantic bool
			Hits     []struct{ Title string }
		}
	}
	for round := range 2 {
		code, stdout, stderr := wbNear(t, "search", "loaf", "--semantic", "--json")
		if err := json.Unmarshal([]byte(stdout), &answer); err != nil || code != 0 {
			t.Fatalf("exit %d: %v: %s%s", code, err, stdout, stderr)
		}
		if !answer.Data.Semantic || len(answer.Data.Hits) == 0 || answer.Data.Hits[0].Title != "Knead the dough" {
			t.Errorf("round %d: %s", round, stdout)
		}
	}
	if asked != 5 {
		t.Errorf("%d texts were sent, want three headings once and the question twice", asked)
	}
	if code, stdout, stderr := wbNear(t, "search", "loaf", "--json"); code != 0 || strings.Contains(stdout, "Knead") || strings.Contains(stdout, `"semantic":true`) {
		t.Errorf("by words: exit %d: %s%s", code, stdout, stderr)
	}
}
