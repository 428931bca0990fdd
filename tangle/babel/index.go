package babel

import (
	"regexp"
	"strings"

	"wb/internal/lazyregexp"
)

// indexRange is a range of places, wherever it stands in a portion of an index.
var (
	indexRange  = lazyregexp.New(`([-0-9]+):([-0-9]+)`)
	indexNumber = regexp.MustCompile(`^[ \t\n\r]*([-+]?[0-9]+)`)
)

// Places are the elements of a list of n that one portion of an index chooses
// (org-babel-ref-index-list): "2", "-1", "1:3", "*" or "" for all. What begins
// with no number counts as 0, so that "1:" is 1 and ":" is 0. Places beyond the
// list stand for nil.
func Places(portion string, n int) []int {
	wrapped := func(text string) int {
		i := 0
		if m := indexNumber.FindStringSubmatch(text); m != nil {
			i = atoi(m[1])
		}
		if i < 0 {
			i += n
		}
		return i
	}
	from, to := 0, n-1
	switch m := indexRange.FindStringSubmatch(portion); {
	case portion == "":
	case m != nil:
		from, to = wrapped(m[1]), wrapped(m[2])
	case !strings.Contains(portion, "*"):
		return []int{max(0, wrapped(portion))}
	}
	var places []int
	for i := from; i <= min(to, from+n+maxBeyond); i++ {
		places = append(places, max(0, i))
	}
	return places
}

// maxBeyond is how many places beyond a list a range may name.
const maxBeyond = 100

// atoi reads a number whose size does not matter once it is beyond all lists.
func atoi(text string) int {
	n := 0
	for _, c := range strings.TrimLeft(text, "+-") {
		n = min(n*10+int(c-'0'), 1<<30)
	}
	if strings.HasPrefix(text, "-") {
		return -n
	}
	return n
}
