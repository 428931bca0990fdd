package tomlfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wb/internal/diag"
)

type example struct {
	Org struct {
		Todo  []string `toml:"todo"`
		Files []string `toml:"agenda_files"`
		Days  int      `toml:"days"`
		Tags  bool     `toml:"inherit_tags"`
	} `toml:"org"`
	MCP map[string]struct {
		URL string `toml:"url"`
	} `toml:"mcp"`
}

func TestPlaces(t *testing.T) {
	for text, want := range map[string]string{
		"[org]\ntodo = [\"A\"\n":                       ":2:12: expected a comma",
		"[org]\n  todo = 3\n":                          ":2:3: org.todo: this is a number, and has to be a list",
		"[org]\ninherit_tags = \"yes\"\n":              ":2:1: org.inherit_tags: this is a string in quotes, and has to be true or false",
		"# x\n\norg.toodo = []\n":                      ":3:1: there is no setting org.toodo (did you mean todo?)",
		"[mcp.a]\nurl = \"x\"\n[mcp.\"b\"]\n\turk=1\n": ":4:2: there is no setting mcp.b.urk (did you mean url?)",
		"[orgg]\ntodo = []\n":                          ":1:1: there is no setting orgg (did you mean org?)",
		"[mcp.a]\nport = 3\n":                          ":2:1: there is no setting mcp.a.port (settings there are url)",
		"[model]\nname = \"x\"\n":                      "",
		"[org]\ntodo = []\n":                           "",
		"[org":                                         ":1:4: expected '.' or ']' to end table name, but got the end of the file instead",
	} {
		path := filepath.Join(t.TempDir(), "wb.toml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var into example
		f, err := Read(path, &into)
		if err == nil {
			err = f.Unknown("org", "mcp")
		}
		got := ""
		if err != nil {
			got = strings.TrimPrefix(err.Error(), path)
			if coded, ok := errors.AsType[*diag.CodedError](err); ok && coded.Help != "" {
				got += " (" + coded.Help + ")"
			}
		}
		if want == "" && got != "" || !strings.HasPrefix(got, want) {
			t.Errorf("%q\n  got  %s\n  want %s", text, got, want)
		}
	}
}
