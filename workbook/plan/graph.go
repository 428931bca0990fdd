package plan

import (
	"slices"
)

// Graph is a directed graph on the numbers 0..len-1; graph[i] lists what i
// needs, in any order.
type Graph [][]int

// Order lists the nodes so that each comes after what it needs, otherwise by
// number. Nodes on cycles, and what needs them, come last, by number.
func (g Graph) Order() []int {
	waiting := make([]int, len(g))
	needed := make([][]int, len(g))
	for i, needs := range g {
		waiting[i] = len(needs)
		for _, n := range needs {
			needed[n] = append(needed[n], i)
		}
	}
	var ready intHeap
	for i, n := range waiting {
		if n == 0 {
			ready.push(i)
		}
	}
	order := make([]int, 0, len(g))
	done := make([]bool, len(g))
	for len(ready) > 0 {
		i := ready.pop()
		order = append(order, i)
		done[i] = true
		for _, n := range needed[i] {
			if waiting[n]--; waiting[n] == 0 {
				ready.push(n)
			}
		}
	}
	for i := range g {
		if !done[i] {
			order = append(order, i)
		}
	}
	return order
}

// Cycles returns one cycle for each strongly connected part of the graph: the
// nodes along it, each needing the next and the last needing the first. A
// cycle starts at its smallest node and is a shortest one through it.
func (g Graph) Cycles() [][]int {
	var found [][]int
	for _, part := range g.components() {
		slices.Sort(part)
		if cycle := g.shortestCycle(part[0], part); cycle != nil {
			found = append(found, cycle)
		}
	}
	slices.SortFunc(found, func(a, b []int) int { return a[0] - b[0] })
	return found
}

// components finds the strongly connected parts (Tarjan's algorithm, with its
// own stack so that long chains do not exhaust Go's).
func (g Graph) components() [][]int {
	var parts [][]int
	index := make([]int, len(g)) // visit number from 1, 0 when not visited
	low := make([]int, len(g))
	onStack := make([]bool, len(g))
	var stack []int
	next := 0
	type frame struct{ node, edge int }
	visit := func(i int) frame {
		next++
		index[i], low[i] = next, next
		stack = append(stack, i)
		onStack[i] = true
		return frame{node: i}
	}
	for root := range g {
		if index[root] != 0 {
			continue
		}
		calls := []frame{visit(root)}
		for len(calls) > 0 {
			f := &calls[len(calls)-1]
			if f.edge < len(g[f.node]) {
				n := g[f.node][f.edge]
				f.edge++
				if index[n] == 0 {
					calls = append(calls, visit(n))
				} else if onStack[n] {
					low[f.node] = min(low[f.node], index[n])
				}
				continue
			}
			node := f.node
			calls = calls[:len(calls)-1]
			if len(calls) > 0 {
				caller := calls[len(calls)-1].node
				low[caller] = min(low[caller], low[node])
			}
			if low[node] == index[node] {
				at := slices.Index(stack, node)
				part := slices.Clone(stack[at:])
				stack = stack[:at]
				for _, n := range part {
					onStack[n] = false
				}
				parts = append(parts, part)
			}
		}
	}
	return parts
}

// shortestCycle finds the way from start back to itself within part.
func (g Graph) shortestCycle(start int, part []int) []int {
	inside := make(map[int]bool, len(part))
	for _, n := range part {
		inside[n] = true
	}
	from := map[int]int{}
	queue := []int{start}
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		for _, n := range g[i] {
			if n == start {
				cycle := []int{i}
				for i != start {
					i = from[i]
					cycle = append(cycle, i)
				}
				slices.Reverse(cycle)
				return cycle
			}
			if _, seen := from[n]; !seen && inside[n] {
				from[n] = i
				queue = append(queue, n)
			}
		}
	}
	return nil
}

// Cone marks the nodes that need any of the given ones, and those themselves.
func (g Graph) Cone(of ...int) []bool {
	needed := make([][]int, len(g))
	for i, needs := range g {
		for _, n := range needs {
			needed[n] = append(needed[n], i)
		}
	}
	return reach(needed, of)
}

// Needs marks what the given nodes need, directly or not, and those themselves.
func (g Graph) Needs(of ...int) []bool { return reach(g, of) }

func reach(next [][]int, from []int) []bool {
	seen := make([]bool, len(next))
	queue := slices.Clone(from)
	for _, i := range from {
		seen[i] = true
	}
	for len(queue) > 0 {
		i := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, n := range next[i] {
			if !seen[n] {
				seen[n] = true
				queue = append(queue, n)
			}
		}
	}
	return seen
}

// intHeap is a small min-heap.
type intHeap []int

func (h *intHeap) push(v int) {
	*h = append(*h, v)
	s := *h
	for i := len(s) - 1; i > 0; {
		up := (i - 1) / 2
		if s[up] <= s[i] {
			return
		}
		s[up], s[i] = s[i], s[up]
		i = up
	}
}

func (h *intHeap) pop() int {
	s := *h
	top := s[0]
	s[0] = s[len(s)-1]
	s = s[:len(s)-1]
	*h = s
	for i := 0; ; {
		least := i
		for _, c := range [2]int{2*i + 1, 2*i + 2} {
			if c < len(s) && s[c] < s[least] {
				least = c
			}
		}
		if least == i {
			return top
		}
		s[i], s[least] = s[least], s[i]
		i = least
	}
}
