package oql

import (
	"fmt"
	"strings"
)

// SyntaxError is a query that cannot be read, with its place and, where one
// helps, a hint.
type SyntaxError struct {
	Pos     Pos
	Message string
	Tip     string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("query:%d:%d: %s", e.Pos.Line, e.Pos.Col, e.Message)
}

// Hint says what to try instead.
func (e *SyntaxError) Hint() string { return e.Tip }

// ExitCode is the exit code of a usage error.
func (e *SyntaxError) ExitCode() int { return 2 }

func errorf(pos Pos, tip, format string, args ...any) *SyntaxError {
	return &SyntaxError{Pos: pos, Message: fmt.Sprintf(format, args...), Tip: tip}
}

// nearest returns the known word closest to word, or "" when none is close
// enough to be what was meant: one slip in four letters.
func nearest(word string, known []string) string {
	best, bestDistance := "", 2+len(word)/4
	for _, k := range known {
		if d := distance(strings.ToLower(word), k); d < bestDistance {
			best, bestDistance = k, d
		}
	}
	return best
}

// distance counts the edits (insert, delete, replace, swap neighbours) between
// two short words.
func distance(a, b string) int {
	before, row := []int(nil), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next := make([]int, len(b)+1)
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row = row, next
	}
	return row[len(b)]
}
