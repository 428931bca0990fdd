// Package lazyregexp lets a package keep its regular expressions in variables,
// where a reader looks for them, without paying for them when the process
// starts: an expression is compiled when it is first used. wb has some two
// hundred of them and a command uses a handful; compiling all took longer than
// most commands do. The go command keeps its own this way, under this name.
package lazyregexp

import (
	"regexp"
	"sync"
	"testing"
)

// Regexp is a regular expression that is compiled when first used. Its methods
// are those of [regexp.Regexp], and like them safe for concurrent use.
type Regexp struct{ compiled func() *regexp.Regexp }

// New returns the expression with the syntax of package regexp. A faulty one
// panics when first used, in tests at once.
func New(expr string) *Regexp {
	re := &Regexp{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })}
	if testing.Testing() {
		re.compiled()
	}
	return re
}
