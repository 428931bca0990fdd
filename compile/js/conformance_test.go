//go:build long

package js

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"wb/compile"
)

// parserTests are TC39's tests for parsers (test262-parser-tests, BSD), fetched
// when they are asked for and never part of this repository.
var parserTests = compile.Package{
	Path: "node_modules/test262-parser-tests", Name: "test262-parser-tests", Version: "0.0.5",
	Integrity: "sha512-hg5TBO+rDo/aJy1XgHPIkcChIeLjD0kx/g37LtYmZuPR3WHabRpD1M3iY0m2C3eNk+HAlWiB09Wfc5jd9X8i7A==",
}

// passing is how many of them passed when this was last looked at. Change it
// upwards only.
const passing = 5316

// TestParserConformance compiles every program of TC39's parser tests: those in
// pass and pass-explicit must be accepted, those in fail and early refused.
//
//	go test -tags long ./compile/js -run TestParserConformance -v
func TestParserConformance(t *testing.T) {
	l := testLane(t)
	files, err := l.runtime.env.Tools.PackageFiles(context.Background(), parserTests, l.runtime.env.Progress)
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	total, good := 0, 0
	modules := map[string][]byte{}
	for _, name := range []string{"a", "b", "c", "foo", "baz"} { // what the programs import
		modules[packageDir+name+"/index.mjs"] = []byte("export default 0")
	}
	failures := map[string][]string{}
	for name, program := range files {
		kind := path.Dir(name)
		if path.Ext(name) != ".js" || !slices.Contains([]string{"pass", "pass-explicit", "fail", "early"}, kind) {
			continue
		}
		total++
		err := l.runtime.compiles(context.Background(), &Unit{Script: string(program), Module: strings.HasSuffix(name, ".module.js"), Sources: modules})
		var mistake *thrown
		if err != nil && !errors.As(err, &mistake) {
			t.Fatalf("%s: %v", name, err)
		}
		if (err == nil) == strings.HasPrefix(kind, "pass") {
			good++
			continue
		}
		failures[kind] = append(failures[kind], fmt.Sprintf("%s %v: %.80q", name, err, program))
	}
	for kind, list := range failures {
		slices.Sort(list)
		t.Logf("%s: %d wrong", kind, len(list))
		for _, f := range list {
			t.Log("  ", f)
		}
	}
	t.Logf("%d of %d (%.2f%%)", good, total, 100*float64(good)/float64(total))
	if total < 5000 || good < passing {
		t.Errorf("%d of %d pass, %d did before", good, total, passing)
	}
}
