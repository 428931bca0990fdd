package site

import (
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"

	nethtml "golang.org/x/net/html"

	"wb/internal/diag"
)

// Comments is the author's HTML that lets readers comment on a page: in most cases a
// script of somebody else's, for which pages with comments open their policy.
type Comments struct {
	HTML  string
	Allow map[string][]string // sources, by the directive of the content security policy
}

// readComments reads the file that #+PUBLISH_COMMENTS: names.
func (p *Project) readComments(f placed) (c Comments) {
	if f.value == "" {
		return c
	}
	text, err := p.root.ReadFile(filepath.FromSlash(path.Clean(f.value)))
	if err != nil {
		p.mind(f.pos, diag.Error, "config", "paths begin at the directory of "+ConfigFile, "%s is not there", f.value)
		return c
	}
	c = Comments{string(text), map[string][]string{}}
	tokens := nethtml.NewTokenizer(strings.NewReader(c.HTML))
	for kind := tokens.Next(); kind != nethtml.ErrorToken; kind = tokens.Next() {
		if kind != nethtml.StartTagToken && kind != nethtml.SelfClosingTagToken {
			continue
		}
		token := tokens.Token()
		if token.Data == "script" && attribute(token, "src") == "" {
			script := ""
			if tokens.Next() == nethtml.TextToken {
				script = string(tokens.Raw())
			}
			c.allow(ScriptHash(script), "script-src")
			continue
		}
		for _, from := range []string{attribute(token, "src"), attribute(token, "href"), attribute(token, "data-origin")} {
			if from == "" || token.Data == "a" {
				continue
			}
			u, err := url.Parse(from)
			switch {
			case err != nil || u.Scheme != "" && u.Scheme != "https":
				p.mind(f.pos, diag.Error, "config", "https://…", "%s: %q is no address that a page may load", f.value, from)
			case u.Host != "":
				c.allow("https://"+u.Host, loadedBy[token.Data]...)
			}
		}
	}
	return c
}

// ScriptHash names a script within a page, for its policy.
func ScriptHash(script string) string {
	sum := sha256.Sum256([]byte(script))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// loadedBy are the directives that an element needs. A script brings frames, styles and
// pictures, and asks its server.
var loadedBy = map[string][]string{
	"script": {"script-src", "frame-src", "style-src", "img-src", "font-src", "connect-src"},
	"iframe": {"frame-src"}, "link": {"style-src"}, "img": {"img-src"},
}

func (c *Comments) allow(source string, directives ...string) {
	for _, d := range directives {
		if !slices.Contains(c.Allow[d], source) {
			c.Allow[d] = append(c.Allow[d], source)
		}
	}
}

// Hosts are the places elsewhere whose programs run on pages with comments.
func (c *Comments) Hosts() (out []string) {
	for _, source := range c.Allow["script-src"] {
		if strings.HasPrefix(source, "https://") {
			out = append(out, source)
		}
	}
	return out
}

func attribute(token nethtml.Token, name string) string {
	for _, a := range token.Attr {
		if a.Key == name {
			return strings.TrimSpace(a.Val)
		}
	}
	return ""
}
