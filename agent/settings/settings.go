// Package settings reads the user's configuration of agents: wb/wb.toml in the
// user's configuration directory. Nothing in it can come from a document or a
// project, so it is the place for what only the user may decide: which programs
// are started as MCP servers, where publishing copies to, which endpoints see
// prompts.
//
//	[model]
//	name = "qwen3:14b"           # where neither a flag, WB_LLM_MODEL nor :MODEL: names one
//	base_url = "http://127.0.0.1:11434/v1"
//	key_env = "MY_MODEL_KEY"
//	price_in = 0.5               # dollars for a million tokens
//	price_out = 2.0
//	context = 128000             # tokens the model takes at once
//	reasoning = "low"            # none, minimal, low, medium, high, xhigh, max
//
//	[publish]
//	web_root = "/srv/www"
//
//	[image]
//	url = "https://images.example.com/v1/images/generations"
//	model = "sketch-1"
//	key_env = "IMAGE_KEY"
//
//	[policy]
//	taint = "egress"             # or "effects" (git, publish) or "allow"
//	sources = ["web", "mcp", "file"]
//	approve = ["publish"]        # always
//
//	[guard.strict]               # what :GUARD: strict names
//	url = "https://guard.example.com/v1/moderations"
//	key_env = "GUARD_KEY"
//
//	[mcp.notes]
//	command = ["notes-mcp", "--read-only"]
//	[mcp.weather]
//	url = "https://weather.example.com/mcp"
//	key_env = "WEATHER_KEY"
package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"wb/agent"
	"wb/agent/approval"
)

// Settings is the whole file; the zero value is that of none.
type Settings struct {
	Model   Model                `toml:"model"`
	Publish Publish              `toml:"publish"`
	Image   Image                `toml:"image"`
	Policy  Policy               `toml:"policy"`
	MCP     map[string]MCPServer `toml:"mcp"`
	Guard   map[string]Guard     `toml:"guard"`

	// Path is where the file is, or would be.
	Path string `toml:"-"`
}

// Model is who is asked where the environment does not say it.
type Model struct {
	Name     string  `toml:"name"`
	BaseURL  string  `toml:"base_url"`
	KeyEnv   string  `toml:"key_env"` // name of the variable with the key
	PriceIn  float64 `toml:"price_in"`
	PriceOut float64 `toml:"price_out"`
	// Context is how many tokens the model takes at once, 0 where that is not known.
	Context int64 `toml:"context"`
	// Reasoning is how long models reason whose document does not say it.
	Reasoning string `toml:"reasoning"`
}

// Publish says where the publish tool copies to.
type Publish struct {
	WebRoot string `toml:"web_root"`
}

// Image is an endpoint that draws pictures: it takes prompt and model as JSON
// and answers with a picture or with data[0].b64_json.
type Image struct {
	URL    string `toml:"url"`
	Model  string `toml:"model"`
	KeyEnv string `toml:"key_env"` // name of the variable with the key
}

// Policy says what needs a person; see [approval.Policy].
type Policy struct {
	Taint   string   `toml:"taint"`
	Sources []string `toml:"sources"`
	Approve []string `toml:"approve"`
}

// MCPServer is a program to start or an address to speak to.
type MCPServer struct {
	Command []string `toml:"command"`
	Env     []string `toml:"env"` // names of variables that are passed on
	URL     string   `toml:"url"`
	KeyEnv  string   `toml:"key_env"`
	// Tools are those offered; all when empty.
	Tools []string `toml:"tools"`
}

// Guard is a moderation endpoint that sees tasks.
type Guard struct {
	URL    string `toml:"url"`
	Model  string `toml:"model"`
	KeyEnv string `toml:"key_env"`
}

// Path is the file for an environment.
func Path(getenv func(string) string) string {
	dir := getenv("XDG_CONFIG_HOME")
	if dir == "" {
		dir = filepath.Join(getenv("HOME"), ".config")
	}
	return filepath.Join(dir, "wb", "wb.toml")
}

// Load reads the user's settings; a file that is not there has none. The
// environment's WB_PUBLISH_ROOT and WB_IMAGE_URL count more than the file.
func Load(getenv func(string) string) (Settings, error) {
	s := Settings{Path: Path(getenv)}
	text, err := os.ReadFile(s.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	meta, err := toml.Decode(string(text), &s)
	if err != nil {
		var parse toml.ParseError
		if errors.As(err, &parse) {
			return s, fmt.Errorf("%s:%d:%d: %s", s.Path, parse.Position.Line, parse.Position.Col, parse.Message)
		}
		return s, fmt.Errorf("%s: %w", s.Path, err)
	}
	for _, key := range meta.Undecoded() {
		switch key[0] {
		case "model", "publish", "image", "policy", "mcp", "guard":
			return s, fmt.Errorf("%s: there is no setting %s", s.Path, key)
		}
	}
	if root := getenv("WB_PUBLISH_ROOT"); root != "" {
		s.Publish.WebRoot = root
	}
	if address := getenv("WB_IMAGE_URL"); address != "" {
		s.Image.URL = address
	}
	return s, s.check()
}

func (s Settings) check() error {
	if err := s.Approvals().Check(); err != nil {
		return fmt.Errorf("%s: policy: %w", s.Path, err)
	}
	if u, err := url.Parse(s.Model.BaseURL); s.Model.BaseURL != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		return fmt.Errorf("%s: model.base_url: %q is no http URL", s.Path, s.Model.BaseURL)
	}
	if s.Model.PriceIn < 0 || s.Model.PriceOut < 0 {
		return fmt.Errorf("%s: model: a price is negative", s.Path)
	}
	if s.Model.Reasoning != "" && !slices.Contains(agent.Reasonings, s.Model.Reasoning) {
		return fmt.Errorf("%s: model.reasoning: %q is none of %s", s.Path, s.Model.Reasoning, strings.Join(agent.Reasonings, ", "))
	}
	for name, m := range s.MCP {
		u, err := url.Parse(m.URL)
		switch {
		case (len(m.Command) == 0) == (m.URL == ""):
			return fmt.Errorf("%s: mcp.%s has either a command or a url", s.Path, name)
		case m.URL != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https"):
			return fmt.Errorf("%s: mcp.%s: %q is no http URL", s.Path, name, m.URL)
		}
	}
	for name, g := range s.Guard {
		if u, err := url.Parse(g.URL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return fmt.Errorf("%s: guard.%s: %q is no http URL", s.Path, name, g.URL)
		}
	}
	return nil
}

// Approvals is the policy as it is applied.
func (s Settings) Approvals() approval.Policy {
	return approval.Policy{Taint: s.Policy.Taint, Sources: s.Policy.Sources, Tools: s.Policy.Approve}
}
