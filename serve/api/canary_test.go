package api_test

import (
	"encoding/base64"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wb/internal/test/llmtest"
)

// The model's key and the tokens of callers are in nothing that the server
// answers or keeps, not even when the model's provider repeats the key.
func TestCanary(t *testing.T) {
	const key = "canary-key-1234"
	b := newBench(t, func(r llmtest.Request) llmtest.Step {
		if r.Authorization != "Bearer "+key {
			t.Errorf("the model was asked with %q", r.Authorization)
		}
		if _, task := r.Turn(); task == "fail" {
			return llmtest.Step{Status: 401, Body: `{"error":{"message":"bad key ` + key + `"}}`}
		}
		return scribe(r)
	})
	var answers strings.Builder
	for _, task := range []string{"fail", "poem"} {
		id := b.run(map[string]any{"agent": "team.org#waldo", "task": task})
		b.ended(id)
		for _, path := range []string{"/api/run", "/api/run/" + id, "/api/run/" + id + "/stream"} {
			_, _, text := b.raw(adaToken, "GET", path, nil)
			answers.Write(text)
		}
	}
	if got := answers.String(); !strings.Contains(got, `"status":"error"`) || !strings.Contains(got, "wrote poem.txt") {
		t.Fatalf("the runs did not end as they should: %s", got)
	}
	b.server.Close()
	roots := []string{b.config.State}
	for _, tenant := range b.config.Tenants {
		roots = append(roots, tenant.Dir)
	}
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			answers.WriteString(path + "\n")
			answers.Write(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, secret := range []string{key, adaToken, bobToken} {
		for _, form := range []string{secret, base64.StdEncoding.EncodeToString([]byte(secret)), url.QueryEscape(secret)} {
			if _, after, found := strings.Cut(answers.String(), form); found {
				t.Errorf("%s appears before %.80q", form, after)
			}
		}
	}
}
