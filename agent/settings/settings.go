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
//	[volumes]                    # copies of what components keep
//	copy = "s3://backup/wb"      # or a directory
//	endpoint = "https://s3.eu-1.example.com"
//	region = "eu-1"
//	key_env = "BACKUP_KEY"       # variables with the key and its secret
//	secret_env = "BACKUP_SECRET"
//	every = "1s"
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
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wb/agent"
	"wb/agent/approval"
	"wb/internal/tomlfile"
)

// Settings is the whole file; the zero value is that of none.
type Settings struct {
	Model   Model                `toml:"model"`
	Publish Publish              `toml:"publish"`
	Image   Image                `toml:"image"`
	Policy  Policy               `toml:"policy"`
	Volumes Volumes              `toml:"volumes"`
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

// Volumes says where what components keep is copied to; see package
// wb/sandbox/dock/replica.
type Volumes struct {
	Copy      string `toml:"copy"` // a directory, or s3://BUCKET/PREFIX; "" copies nothing
	Endpoint  string `toml:"endpoint"`
	Region    string `toml:"region"`
	KeyEnv    string `toml:"key_env"`    // name of the variable with the key
	SecretEnv string `toml:"secret_env"` // and of that with its secret
	Every     string `toml:"every"`      // how long changes wait for others to go along
}

// Interval is Every, a second where it is not set.
func (v Volumes) Interval() (time.Duration, error) {
	if v.Every == "" {
		return time.Second, nil
	}
	d, err := time.ParseDuration(v.Every)
	if err != nil || d < 10*time.Millisecond {
		return time.Second, fmt.Errorf("%q is no time such as 1s or 5m", v.Every)
	}
	return d, nil
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
// environment's WB_PUBLISH_ROOT, WB_IMAGE_URL and WB_VOLUMES_COPY count more than the file.
func Load(getenv func(string) string) (Settings, error) {
	s := Settings{Path: Path(getenv)}
	file, err := tomlfile.Read(s.Path, &s)
	if err == nil {
		err = file.Unknown("model", "publish", "image", "policy", "volumes", "mcp", "guard")
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}
	if root := getenv("WB_PUBLISH_ROOT"); root != "" {
		s.Publish.WebRoot = root
	}
	if address := getenv("WB_IMAGE_URL"); address != "" {
		s.Image.URL = address
	}
	if to := getenv("WB_VOLUMES_COPY"); to != "" {
		s.Volumes.Copy = to
	}
	if key, err := s.check(); err != nil && file != nil {
		return s, file.Errorf("", key, "%w", err)
	}
	return s, nil
}

// check finds a value that makes no sense, and the key that has it.
func (s Settings) check() (key string, err error) {
	if err := s.Approvals().Check(); err != nil {
		return "policy", err
	}
	if u, err := url.Parse(s.Model.BaseURL); s.Model.BaseURL != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		return "model.base_url", fmt.Errorf("%q is not an http URL", s.Model.BaseURL)
	}
	if s.Model.PriceIn < 0 || s.Model.PriceOut < 0 {
		return "model", errors.New("a price is negative")
	}
	if s.Model.Reasoning != "" && !slices.Contains(agent.Reasonings, s.Model.Reasoning) {
		return "model.reasoning", fmt.Errorf("%q: expected one of %s", s.Model.Reasoning, strings.Join(agent.Reasonings, ", "))
	}
	if _, err := s.Volumes.Interval(); err != nil {
		return "volumes.every", err
	}
	for name, m := range s.MCP {
		u, err := url.Parse(m.URL)
		switch {
		case (len(m.Command) == 0) == (m.URL == ""):
			return "mcp." + name, errors.New("a server has either a command or a url")
		case m.URL != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https"):
			return "mcp." + name + ".url", fmt.Errorf("%q is not an http URL", m.URL)
		}
	}
	for name, g := range s.Guard {
		if u, err := url.Parse(g.URL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return "guard." + name + ".url", fmt.Errorf("%q is not an http URL", g.URL)
		}
	}
	return "", nil
}

// Approvals is the policy as it is applied.
func (s Settings) Approvals() approval.Policy {
	return approval.Policy{Taint: s.Policy.Taint, Sources: s.Policy.Sources, Tools: s.Policy.Approve}
}
