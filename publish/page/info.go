package page

import (
	"fmt"
	"strings"
	"wb/internal/lazyregexp"
)

// emacsManuals are those that gnu.org has as pages, by their names in Info: what Org
// takes for manuals of Emacs.
const emacsManuals = ` ada-mode auth autotype bovine calc ccmode cl dbus dired-x ebrowse ede ediff edt efaq-w32 efaq ` +
	`eglot eieio eintr elisp emacs-gnutls emacs-mime emacs epa erc ert eshell eudc eww flymake forms gnus htmlfontify ` +
	`idlwave ido info mairix-el message mh-e modus-themes newsticker nxml-mode octave-mode org pcl-cvs pgg rcirc reftex ` +
	`remember sasl sc semantic ses sieve smtpmail speedbar srecode todo-mode tramp transient url use-package vhdl-mode ` +
	`vip viper vtable widget wisent woman `

// otherManuals are those with an address of their own.
var otherManuals = map[string]string{
	"dir":  "https://www.gnu.org/manual/manual.html",
	"libc": "https://www.gnu.org/software/libc/manual/html_mono/libc.html",
	"make": "https://www.gnu.org/software/make/manual/make.html",
}

// infoManual is where readers without Info find the node of a link such as
// info:org#Drawers; not every manual is there.
func infoManual(path string) (address string, ok bool) {
	file, node := path, ""
	if i := strings.IndexAny(path, "#:"); i >= 0 {
		file, node = path[:i], strings.TrimPrefix(path[i+1:], ":")
	}
	if file = strings.TrimSpace(file); file == "" {
		file = "dir"
	}
	if node = strings.TrimSpace(node); node == "" {
		node = "Top"
	}
	address, ok = otherManuals[file]
	if strings.Contains(emacsManuals, " "+file+" ") {
		address, ok = "https://www.gnu.org/software/emacs/manual/html_mono/"+file+".html", true
	}
	return address + "#" + nodeID(node), ok
}

var notInNode = lazyregexp.New(`\s+|[^a-zA-Z0-9]`)

// nodeID is how Texinfo names a node within a page.
func nodeID(node string) string {
	id := notInNode.ReplaceAllStringFunc(node, func(s string) string {
		if strings.TrimSpace(s) == "" {
			return "-"
		}
		return fmt.Sprintf("_%04x", []rune(s)[0])
	})
	if id[0] >= '0' && id[0] <= '9' {
		return "g_t" + id
	}
	return id
}
