package page

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// Foot is the part of a page's end that scripts need: data and, in an
// element of its own, one module script.
type Foot struct {
	HTML   string // elements that do nothing by themselves
	Script string // the text of a module, "" for none
}

func (f Foot) html() string {
	if f.Script == "" {
		return f.HTML
	}
	return f.HTML + "<script type=\"module\">\n" + f.Script + "</script>\n"
}

// policy is the content security policy of a page with these scripts, and that
// of its foot, and no others: nothing is loaded from elsewhere, nothing is sent
// anywhere, and no text becomes a program. With a script in the foot,
// WebAssembly may run, in workers that the page makes.
func policy(foot Foot, scripts ...string) string {
	rules := []string{"default-src 'none'", "img-src 'self' data:", "media-src 'self' data:", "style-src 'unsafe-inline'", "connect-src 'self'", "form-action 'none'", "base-uri 'none'"}
	allowed := "script-src"
	for _, s := range scripts {
		allowed += " " + scriptHash(s)
	}
	if foot.Script != "" {
		allowed += " " + scriptHash("\n"+foot.Script) + " 'wasm-unsafe-eval'"
		rules = append(rules, "worker-src blob:")
	}
	return strings.Join(append(rules, allowed), "; ")
}

// ThemeSwitch is the script with which readers choose light or dark. It belongs
// into the head, before anything is shown.
func ThemeSwitch() string { return themeSwitch }

// scriptHash names an inline script by its text, as script-src does.
func scriptHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
