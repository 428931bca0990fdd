package settings_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wb/agent/settings"
)

func load(t *testing.T, text string, env map[string]string) (settings.Settings, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "wb"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "wb", "wb.toml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return settings.Load(func(name string) string {
		if name == "XDG_CONFIG_HOME" {
			return dir
		}
		return env[name]
	})
}

func TestLoad(t *testing.T) {
	s, err := load(t, "[publish]\nweb_root = \"/srv\"\n[mcp.notes]\ncommand = [\"notes\"]\n[other]\nx = 1\n", map[string]string{"WB_IMAGE_URL": "http://x/"})
	if err != nil || s.Publish.WebRoot != "/srv" || s.MCP["notes"].Command[0] != "notes" || s.Image.URL != "http://x/" {
		t.Errorf("%+v %v", s, err)
	}
	for text, want := range map[string]string{
		"[publish]\nweb_rot = \"/srv\"\n":           "no setting publish.web_rot",
		"[model]\nbase = \"x\"\n":                   "no setting model.base",
		"[model]\nbase_url = \"localhost\"\n":       "not an http URL",
		"[model]\nprice_in = -1.0\n":                "a price is negative",
		"[policy]\ntaint = \"maybe\"\n":             "effects, egress or allow",
		"[mcp.a]\ncommand = [\"x\"]\nurl = \"y\"\n": "either a command or a url",
		"[mcp.a]\nurl = \"file:///x\"\n":            "not an http URL",
		"[publish\n":                                "wb.toml:2:",
	} {
		if _, err := load(t, text, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := settings.Load(func(string) string { return "" }); err != nil {
		t.Errorf("without a file: %v", err)
	}
}
