package plan

import (
	"slices"
	"testing"
)

func TestGraphOrder(t *testing.T) {
	tests := []struct {
		name string
		g    Graph
		want []int
	}{
		{"empty", Graph{}, nil},
		{"document order without edges", Graph{{}, {}, {}}, []int{0, 1, 2}},
		{"forward reference", Graph{{2}, {}, {}}, []int{1, 2, 0}},
		{"diamond", Graph{{}, {0}, {0}, {1, 2}}, []int{0, 1, 2, 3}},
		{"a cycle and its cone come last", Graph{{1}, {0}, {0}, {}}, []int{3, 0, 1, 2}},
	}
	for _, test := range tests {
		if got := test.g.Order(); !slices.Equal(got, test.want) {
			t.Errorf("%s: got %v, want %v", test.name, got, test.want)
		}
	}
}

func TestGraphCycles(t *testing.T) {
	g := Graph{{1}, {2, 0}, {0}, {3}, {0}, {6}, {5, 4}}
	want := [][]int{{0, 1}, {3}, {5, 6}}
	if got := g.Cycles(); !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("got %v, want %v", got, want)
	}
	long := make(Graph, 100_000)
	for i := range long {
		long[i] = []int{(i + 1) % len(long)}
	}
	if got := long.Cycles(); len(got) != 1 || len(got[0]) != len(long) {
		t.Errorf("a long cycle was not found")
	}
}

func TestGraphCone(t *testing.T) {
	g := Graph{{}, {0}, {1}, {}, {3, 1}}
	if got := g.Cone(1); !slices.Equal(got, []bool{false, true, true, false, true}) {
		t.Errorf("cone: %v", got)
	}
	if got := g.Needs(4); !slices.Equal(got, []bool{true, true, false, true, true}) {
		t.Errorf("needs: %v", got)
	}
}
