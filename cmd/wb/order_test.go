package main

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// An arrow leads from a file to another of its package that declares a function, method,
// type, variable or constant which the first uses. Fields count for nothing. Where the
// files can be put in an order in which every arrow leads down, the package reads from top
// to bottom; each arrow that leads up in the best order is a place where a reader turns back.

// TestArrows holds the files of the workbook's packages in such an order.
func TestArrows(t *testing.T) {
	const most = 13 // of all packages together
	out, err := exec.Command("go", "list", "-deps", "-export", "-f", `{{.ImportPath}} {{.Export}} {{.Dir}} {{join .GoFiles " "}}`, "wb/workbook/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages, exports := map[string][]string{}, map[string]string{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		if strings.HasPrefix(words[0], "wb/workbook") {
			for _, name := range words[3:] {
				packages[words[0]] = append(packages[words[0]], filepath.Join(words[2], name))
			}
		}
		if len(words) > 1 {
			exports[words[0]] = words[1]
		}
	}
	var up []string
	for name, files := range packages {
		arrows, err := arrowsOf(name, files, exports)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range arrows.up(bestOrder(files, arrows)) {
			up = append(up, fmt.Sprintf("%s: %s uses %s of %s", name, filepath.Base(a[0]), strings.Join(arrows[a], ", "), filepath.Base(a[1])))
		}
	}
	if slices.Sort(up); len(up) > most || len(packages) == 0 {
		t.Errorf("%d arrows lead up, more than %d:\n%s", len(up), most, strings.Join(up, "\n"))
	}
}

// arrows are the names that one file uses of another, by the two.
type arrows map[[2]string][]string

func arrowsOf(name string, files []string, exports map[string]string) (arrows, error) {
	set := token.NewFileSet()
	var trees []*ast.File
	for _, file := range files {
		tree, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		trees = append(trees, tree)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	exported := importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	pkg, err := (&types.Config{Importer: exported}).Check(name, set, trees, info)
	if err != nil {
		return nil, err
	}
	found := arrows{}
	for id, used := range info.Uses {
		f, isFunc := used.(*types.Func)
		if used.Pkg() != pkg || used.Parent() != pkg.Scope() && !(isFunc && f.Signature().Recv() != nil) {
			continue
		}
		a := [2]string{set.File(id.Pos()).Name(), set.File(used.Pos()).Name()}
		if a[0] != a[1] && !slices.Contains(found[a], used.Name()) {
			found[a] = append(found[a], used.Name())
		}
	}
	return found, nil
}

// up lists the arrows that lead up in an order.
func (a arrows) up(order []string) (up [][2]string) {
	for i, from := range order {
		for _, to := range order[:i] {
			if arrow := [2]string{from, to}; a[arrow] != nil {
				up = append(up, arrow)
			}
		}
	}
	return up
}

// bestOrder is the order of files in which the fewest arrows lead up, of those that are
// reached from forty beginnings by moving one file at a time.
func bestOrder(files []string, a arrows) (best []string) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		order := slices.Clone(files)
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for settle(order, a) {
		}
		if best == nil || len(a.up(order)) < len(a.up(best)) {
			best = order
		}
	}
	return best
}

// settle moves each file to where the fewest of its arrows lead up, and reports whether
// that moved any.
func settle(order []string, a arrows) (moved bool) {
	for i, file := range order {
		rest := slices.Delete(slices.Clone(order), i, i+1)
		cost := 0 // of this file in the first place, less what does not change
		at, least, now := 0, 0, 0
		for j, other := range rest {
			if j == i {
				now = cost
			}
			cost += min(1, len(a[[2]string{file, other}]))
			cost -= min(1, len(a[[2]string{other, file}]))
			if cost < least {
				at, least = j+1, cost
			}
		}
		if i == len(rest) {
			now = cost
		}
		if least < now {
			copy(order, slices.Insert(rest, at, file))
			moved = true
		}
	}
	return moved
}
