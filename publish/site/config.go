package site

import (
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"wb/internal/diag"
	"wb/internal/lazyregexp"
	"wb/internal/nearest"
	"wb/org"
)

// Files of a site's directory with a meaning of their own; none is a page.
const (
	ConfigFile = "publish.org" // the configuration
	NavFile    = "site.org"    // the pages and their order
)

// defaultPageSize is how many pages a list shows on one page.
const defaultPageSize = 50

// DefaultOutput is where a site is built, below its directory.
const DefaultOutput = ".publish_out"

// Config is how a site is published: the #+PUBLISH_NAME: keywords of
// publish.org and site.org, or of a document that is published alone.
type Config struct {
	Title       string   // of the site; "" is the home page's title
	Description string   // of the site, for feeds and search engines
	Target      string   // local, self-hosted, gh-pages, cloudflare-pages, s3 or rsync
	Project     string   // the site's name at self-hosted and cloudflare-pages
	Domain      string   // the host that readers know
	Output      string   // the directory the signed site is built in, absolute or below the site's
	Dir         string   // local: the directory that releases are kept in; "" keeps none
	Server      string   // self-hosted: the server that releases are put on; s3: the endpoint
	URL         string   // where readers find the site: no query, no fragment, ends in "/"
	BasePath    string   // the path of URL, begins and ends in "/"
	Access      string   // public, or unlisted: search engines are asked to stay away
	EditURL     string   // of a page's source for editing; {path} stands for its path
	Source      string   // what "view source" shows: exported, full or none
	Live        string   // what readers can run: yes (what is small enough), no or all
	Runtime     string   // where what they run lies: beside the page, or in it
	Repo        string   // gh-pages: a directory in the work tree of the repository
	Remote      string   // gh-pages: a name or URL
	Branch      string   // gh-pages, cloudflare-pages
	Keep        int      // how many releases the target keeps, 0 is its default
	To          string   // s3: s3://BUCKET/PREFIX; rsync: user@host:/directory
	Languages   []string // of documents, by what stands before .org in their names; the first needs none
	Taxonomies  []string // keywords of documents that group pages, besides tags and series
	PageSize    int      // how many pages a list shows before it goes on on another page

	look lookConfig
}

// Values that keywords may have; the first is the default.
var (
	targets  = []string{"local", "self-hosted", "gh-pages", "cloudflare-pages", "s3", "rsync"}
	accesses = []string{"public", "unlisted"}
	sources  = []string{"exported", "full", "none"}
	lives    = []string{"yes", "no", "all"}
	runtimes = []string{"beside", RuntimePage}
)

// RuntimePage puts the programs that readers run into each page, which then needs
// nothing but itself. Otherwise they are files that all pages share.
const RuntimePage = "page"

// keywordPrefix is the prefix of all keywords of the configuration
// with.
const keywordPrefix = "PUBLISH_"

// setters are the keywords and what each does with its value.
var setters = map[string]func(c *Config, value string) error{
	"CSS": nil, "HEAD": nil, "MENU": nil, "FOOTER": nil, "LOGO": nil, "IMAGE": nil, "THEME": nil, "COMMENTS": nil, // see [lookConfig.set]
	"LOOK":        func(c *Config, v string) (err error) { return c.look.add(&c.look.light, v) },
	"LOOK_DARK":   func(c *Config, v string) (err error) { return c.look.add(&c.look.dark, v) },
	"TITLE":       func(c *Config, v string) error { c.Title = v; return nil },
	"DESCRIPTION": func(c *Config, v string) error { c.Description = v; return nil },
	"TARGET":      func(c *Config, v string) error { c.Target = v; return oneOf(v, targets) },
	"PROJECT": func(c *Config, v string) error {
		c.Project = v
		return matches(v, projectName, "a name of letters, digits and -")
	},
	"DOMAIN": func(c *Config, v string) error {
		c.Domain = v
		return matches(v, hostName, "a host such as example.org")
	},
	"OUTPUT":    func(c *Config, v string) error { c.Output = v; return nil },
	"DIR":       func(c *Config, v string) error { c.Dir = v; return nil },
	"SERVER":    func(c *Config, v string) (err error) { c.Server, err = webAddress(v); return err },
	"URL":       func(c *Config, v string) (err error) { c.URL, err = webAddress(v); return err },
	"BASE_PATH": func(c *Config, v string) error { c.BasePath = v; return nil },
	"ACCESS":    func(c *Config, v string) error { c.Access = v; return oneOf(v, accesses) },
	"EDIT_URL":  setEditURL,
	"SOURCE":    func(c *Config, v string) error { c.Source = v; return oneOf(v, sources) },
	"REPO":      func(c *Config, v string) error { c.Repo = v; return nil },
	"REMOTE":    func(c *Config, v string) error { c.Remote = v; return nil },
	"BRANCH":    func(c *Config, v string) error { c.Branch = v; return nil },
	"TO":        func(c *Config, v string) error { c.To = v; return nil },
	"KEEP": func(c *Config, v string) (err error) {
		c.Keep, err = positive(v, "number of releases", "#+PUBLISH_KEEP: 5")
		return err
	},
	"PAGE_SIZE": func(c *Config, v string) (err error) {
		c.PageSize, err = positive(v, "number of pages", "#+PUBLISH_PAGE_SIZE: 20")
		return err
	},
	"LANGUAGES": func(c *Config, v string) (err error) {
		c.Languages, err = wordsOf(strings.ToLower(v), languageTag, "de or pt-br")
		return err
	},
	"TAXONOMIES": func(c *Config, v string) (err error) {
		c.Taxonomies, err = wordsOf(strings.ToUpper(v), taxonomyName, "CATEGORIES")
		return err
	},
	"LIVE":    func(c *Config, v string) error { c.Live = v; return oneOf(v, lives) },
	"RUNTIME": func(c *Config, v string) error { c.Runtime = v; return oneOf(v, runtimes) },
}

var (
	projectName  = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9-]*$`)
	languageTag  = lazyregexp.New(`^[a-z]{2,3}(-[a-z0-9]{2,8})*$`)
	taxonomyName = lazyregexp.New(`^[A-Z]+$`)
	hostName     = lazyregexp.New(`^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$`)
)

func oneOf(value string, known []string) error {
	if slices.Contains(known, value) {
		return nil
	}
	hint := "one of " + strings.Join(known, ", ")
	if near := nearest.Word(value, known); near != "" {
		hint = "did you mean " + near + "?"
	}
	return &settingError{fmt.Sprintf("%q is not one of %s", value, strings.Join(known, ", ")), hint}
}

func matches(value string, form *lazyregexp.Regexp, want string) error {
	if form.MatchString(value) {
		return nil
	}
	return &settingError{fmt.Sprintf("%q is not %s", value, want), ""}
}

// webAddress checks an address of the web and gives it with a slash at its
// end.
func webAddress(value string) (string, error) {
	u, err := url.Parse(value)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return "", &settingError{fmt.Sprintf("%q is not an address of the web", value), "https://example.org/docs/"}
	case u.User != nil:
		return "", &settingError{"the address has a user or password in it", "tokens come from the environment, never from a document"}
	case u.RawQuery != "" || u.Fragment != "":
		return "", &settingError{fmt.Sprintf("%q has a query or fragment", value), "https://example.org/docs/"}
	}
	return strings.TrimSuffix(u.String(), "/") + "/", nil
}

func setEditURL(c *Config, value string) error {
	if _, err := webAddress(strings.ReplaceAll(value, "{path}", "page.org")); err != nil {
		return err
	}
	c.EditURL = value
	return nil
}

// positive reads a number of something that there must be.
func positive(value, what, hint string) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 {
		return 0, &settingError{fmt.Sprintf("%q is not a %s", value, what), hint}
	}
	return n, nil
}

// wordsOf reads names, which all have a form.
func wordsOf(value string, form *lazyregexp.Regexp, such string) (out []string, err error) {
	for _, w := range listOf(value) {
		if !form.MatchString(w) {
			return nil, &settingError{fmt.Sprintf("%q cannot be one", w), "such as " + such}
		}
		out = append(out, w)
	}
	return out, nil
}

// settingError is a value that a keyword cannot have.
type settingError struct{ text, hint string }

func (e *settingError) Error() string { return e.text }

// ReadConfig reads the keywords of documents, later ones over earlier ones.
// Diagnostics are keywords that are not known, values that cannot be, and
// secrets.
func ReadConfig(docs ...Named) (Config, []diag.Finding) {
	c := Config{Target: targets[0], Output: DefaultOutput, Access: accesses[0], Source: sources[0], Live: lives[0], Runtime: runtimes[0], PageSize: defaultPageSize}
	var found []diag.Finding
	var pathAt diag.Position // of the last BASE_PATH
	for _, d := range docs {
		doc := org.Parse(d.Source)
		for k := range doc.Keywords() {
			complain := func(code, message, hint string) {
				at := diag.Position{File: d.Name}
				at.Line, at.Col = doc.Position(k.Key.Start)
				found = append(found, diag.Finding{Pos: at, Severity: diag.Error, Code: code, Message: message, Hint: hint})
			}
			name, ours := strings.CutPrefix(k.Name(), keywordPrefix)
			if text, bad := secretIn(k.Name(), k.Value.Text); bad && (ours || path.Base(d.Name) == ConfigFile) {
				complain("secret", text, "remove it from the document and its history; tokens come from the environment or wb var set --secret")
				continue
			}
			if !ours {
				continue
			}
			set, known := setters[name]
			if !known {
				complain("unknown-keyword", "#+"+k.Name()+" is not a keyword of publishing", nearestKeyword(name))
				continue
			}
			if name == "BASE_PATH" {
				pathAt = position(d.Name, doc, k.Key.Start)
			}
			if set == nil {
				c.look.set(name, placed{k.Value.Text, position(d.Name, doc, k.Key.Start)})
				continue
			}
			if err := set(&c, k.Value.Text); err != nil {
				hint := ""
				if e, ok := err.(*settingError); ok {
					hint = e.hint
				}
				complain("config", "#+"+k.Name()+": "+err.Error(), hint)
			}
		}
	}
	if err := c.settle(); err != nil {
		found = append(found, diag.Finding{Pos: pathAt, Severity: diag.Error, Code: "config", Message: err.Error(), Hint: err.hint})
	}
	return c, found
}

// Named is a document by the name that messages give it.
type Named struct {
	Name   string
	Source []byte
}

func nearestKeyword(name string) string {
	var known []string
	for k := range setters {
		known = append(known, k)
	}
	slices.Sort(known)
	if near := nearest.Word(name, known); near != "" {
		return "did you mean #+" + keywordPrefix + near + "?"
	}
	return "docs/sites.org lists the keywords"
}

// settle makes the address and its path agree, whichever is given.
func (c *Config) settle() *settingError {
	if c.URL == "" && c.Domain != "" {
		c.URL = "https://" + c.Domain + "/" + strings.TrimPrefix(slashed(c.BasePath), "/")
	}
	given := slashed(c.BasePath)
	c.BasePath = given
	if c.URL == "" && given == "/" {
		c.BasePath = c.servedBelow()
	}
	if c.URL == "" {
		return nil
	}
	u, err := url.Parse(c.URL)
	if err != nil {
		return &settingError{err.Error(), ""}
	}
	at := slashed(u.Path)
	if given != "/" && given != at {
		return &settingError{fmt.Sprintf("#+PUBLISH_BASE_PATH: %s is not the path of #+PUBLISH_URL: %s", given, c.URL), "remove one of the two"}
	}
	c.BasePath = at
	return nil
}

// projectPages is the remote of a repository at GitHub, whose pages are served below
// its name.
var projectPages = lazyregexp.New(`^(?:https://github\.com/|(?:ssh://)?git@github\.com[:/])([^/]+)/([^/]+?)(?:\.git)?/?$`)

// servedBelow is the path that a target serves sites below unless configured
// another. Pages know it from where they lie, but for the one for addresses that
// lead nowhere.
func (c *Config) servedBelow() string {
	switch m := projectPages.FindStringSubmatch(c.Remote); {
	case c.Target == "self-hosted" && c.Project != "":
		u, err := url.Parse(c.Server)
		if err == nil {
			return slashed(u.Path + "/w/" + c.Project)
		}
	case c.Target == "gh-pages" && m != nil && !strings.EqualFold(m[2], m[1]+".github.io"):
		return slashed(m[2])
	}
	return "/"
}

// slashed is a path with a slash at both ends.
func slashed(p string) string {
	if p = path.Clean("/" + p); p != "/" {
		p += "/"
	}
	return p
}

// OutputDir is the directory that the site in dir is built in.
func (c *Config) OutputDir(dir string) string { return c.Path(dir, c.Output) }

// Path is a path as the configuration of the site in dir has it.
func (c *Config) Path(dir, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, filepath.FromSlash(name))
}

// Edit is the address where the source of a page can be edited, "" when unknown.
func (c *Config) Edit(page string) string {
	if c.EditURL == "" {
		return ""
	}
	at := (&url.URL{Path: page}).EscapedPath()
	if strings.Contains(c.EditURL, "{path}") {
		return strings.ReplaceAll(c.EditURL, "{path}", at)
	}
	return strings.TrimSuffix(c.EditURL, "/") + "/" + at
}
