// Package textdiff compares texts line by line: what changed between two of
// them ([Compare]), and how that looks to people ([Unified]).
//
// The comparison is a patience diff: lines that occur once in both texts are
// matched first, in their longest common order, and what lies between is
// compared by Myers' algorithm. That keeps functions and blocks together where
// a shortest edit script would match stray braces.
package textdiff

import (
	"fmt"
	"sort"
	"strings"
)

// Hunk says that lines [A0,A1) of the first text became lines [B0,B1) of the
// second. An empty range is an insertion or a deletion.
type Hunk struct{ A0, A1, B0, B1 int }

// Lines cuts a text into lines without their newlines. A final newline ends the
// last line and does not begin another.
func Lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// Compare lists what differs between two texts, in order.
func Compare(a, b []string) []Hunk {
	c := comparer{a: a, b: b}
	c.patience(0, len(a), 0, len(b))
	// Neighbours that touch are one change.
	var merged []Hunk
	for _, h := range c.hunks {
		if n := len(merged); n > 0 && merged[n-1].A1 == h.A0 && merged[n-1].B1 == h.B0 {
			merged[n-1].A1, merged[n-1].B1 = h.A1, h.B1
			continue
		}
		merged = append(merged, h)
	}
	return merged
}

type comparer struct {
	a, b  []string
	hunks []Hunk
}

// patience compares a[a0:a1] with b[b0:b1].
func (c *comparer) patience(a0, a1, b0, b1 int) {
	for a0 < a1 && b0 < b1 && c.a[a0] == c.b[b0] {
		a0, b0 = a0+1, b0+1
	}
	for a0 < a1 && b0 < b1 && c.a[a1-1] == c.b[b1-1] {
		a1, b1 = a1-1, b1-1
	}
	if a0 == a1 || b0 == b1 {
		if a0 < a1 || b0 < b1 {
			c.hunks = append(c.hunks, Hunk{a0, a1, b0, b1})
		}
		return
	}
	anchors := c.anchors(a0, a1, b0, b1)
	if len(anchors) == 0 {
		c.myers(a0, a1, b0, b1)
		return
	}
	for _, at := range anchors {
		c.patience(a0, at[0], b0, at[1])
		a0, b0 = at[0]+1, at[1]+1
	}
	c.patience(a0, a1, b0, b1)
}

// anchors are pairs of equal lines that occur once on each side, in the longest
// order common to both.
func (c *comparer) anchors(a0, a1, b0, b1 int) [][2]int {
	type count struct{ a, b, at int }
	counts := map[string]*count{}
	for i := a0; i < a1; i++ {
		if k := counts[c.a[i]]; k != nil {
			k.a++
		} else {
			counts[c.a[i]] = &count{a: 1}
		}
	}
	for j := b0; j < b1; j++ {
		if k := counts[c.b[j]]; k != nil {
			k.b++
			k.at = j
		}
	}
	var pairs [][2]int
	for i := a0; i < a1; i++ {
		if k := counts[c.a[i]]; k.a == 1 && k.b == 1 {
			pairs = append(pairs, [2]int{i, k.at})
		}
	}
	return increasing(pairs)
}

// increasing is a longest run of pairs that increases on the right side too.
func increasing(pairs [][2]int) [][2]int {
	var tails []int // tails[k] ends the best run of length k+1
	before := make([]int, len(pairs))
	for i, p := range pairs {
		k := sort.Search(len(tails), func(k int) bool { return pairs[tails[k]][1] >= p[1] })
		before[i] = -1
		if k > 0 {
			before[i] = tails[k-1]
		}
		if k == len(tails) {
			tails = append(tails, i)
		} else {
			tails[k] = i
		}
	}
	run := make([][2]int, len(tails))
	for k := len(tails) - 1; k >= 0; k-- {
		at := tails[len(tails)-1]
		run[k] = pairs[at]
		tails[len(tails)-1] = before[at]
	}
	return run
}

// maxEdits bounds the work of myers; texts further apart count as rewritten.
const maxEdits = 1000

// myers finds a shortest edit script.
func (c *comparer) myers(a0, a1, b0, b1 int) {
	n, m := a1-a0, b1-b0
	limit := min(n+m, maxEdits)
	reach := make([]int, 2*limit+3) // furthest x on diagonal k, at k+limit+1
	var history [][]int
	for d := 0; d <= limit; d++ {
		history = append(history, append([]int(nil), reach...))
		for k := -d; k <= d; k += 2 {
			x := 0
			if at := k + limit + 1; k == -d || k != d && reach[at-1] < reach[at+1] {
				x = reach[at+1]
			} else {
				x = reach[at-1] + 1
			}
			y := x - k
			for x < n && y < m && c.a[a0+x] == c.b[b0+y] {
				x, y = x+1, y+1
			}
			reach[k+limit+1] = x
			if x >= n && y >= m {
				c.backtrack(history, limit, a0, b0, n, m)
				return
			}
		}
	}
	c.hunks = append(c.hunks, Hunk{a0, a1, b0, b1})
}

// backtrack turns the recorded search into hunks.
func (c *comparer) backtrack(history [][]int, limit, a0, b0, x, y int) {
	var steps []Hunk
	for d := len(history) - 1; d > 0; d-- {
		reach := history[d]
		k := x - y
		at := k + limit + 1
		down := k == -d || k != d && reach[at-1] < reach[at+1]
		if down {
			k++
		} else {
			k--
		}
		px := reach[k+limit+1]
		py := px - k
		edit := Hunk{a0 + px, a0 + px, b0 + py, b0 + py}
		if down {
			edit.B1++
		} else {
			edit.A1++
		}
		steps = append(steps, edit)
		x, y = px, py
	}
	for i := len(steps) - 1; i >= 0; i-- {
		c.hunks = append(c.hunks, steps[i])
	}
}

// Unified shows the difference of two texts with three lines of context, "" if
// there is none.
func Unified(nameA, nameB, textA, textB string) string {
	a, b := Lines(textA), Lines(textB)
	hunks := Compare(a, b)
	if len(hunks) == 0 {
		return ""
	}
	const context = 3
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s\n", nameA, nameB)
	for i := 0; i < len(hunks); {
		j := i + 1
		for j < len(hunks) && hunks[j].A0-hunks[j-1].A1 <= 2*context {
			j++
		}
		first, last := hunks[i], hunks[j-1]
		before := min(context, first.A0)
		after := min(context, len(a)-last.A1)
		fmt.Fprintf(&out, "@@ -%s +%s @@\n", extent(first.A0-before, last.A1+after), extent(first.B0-before, last.B1+after))
		write := func(mark string, lines []string) {
			for _, line := range lines {
				out.WriteString(mark + line + "\n")
			}
		}
		write(" ", a[first.A0-before:first.A0])
		for k := i; k < j; k++ {
			write("-", a[hunks[k].A0:hunks[k].A1])
			write("+", b[hunks[k].B0:hunks[k].B1])
			if k+1 < j {
				write(" ", a[hunks[k].A1:hunks[k+1].A0])
			}
		}
		write(" ", a[last.A1:last.A1+after])
		i = j
	}
	return out.String()
}

// extent is a line range as unified diffs write it.
func extent(from, to int) string {
	switch to - from {
	case 0:
		return fmt.Sprintf("%d,0", from)
	case 1:
		return fmt.Sprint(from + 1)
	}
	return fmt.Sprintf("%d,%d", from+1, to-from)
}
