package python

import (
	"errors"
	"strings"
	"testing"
	"time"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/test/lanetest"
	"wb/sandbox"
)

// Limits end what would not end, always at the same instruction.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		body   string
		limits sandbox.Limits
		want   sandbox.LimitKind
	}{
		{"while True: pass", sandbox.Limits{Fuel: 3e7}, sandbox.LimitFuel},
		{"x = 10 ** 10 ** 8", sandbox.Limits{Fuel: 3e7}, sandbox.LimitFuel},
		{"import re\nre.match('(a*)*b', 'a' * 40)", sandbox.Limits{Fuel: 3e7}, sandbox.LimitFuel},
		{"try:\n    while True: pass\nexcept BaseException: pass", sandbox.Limits{Fuel: 3e7}, sandbox.LimitFuel},
		{"x = 'x' * (1 << 30)", sandbox.Limits{Memory: 32 << 20}, sandbox.LimitMemory},
		{"x = []\nwhile True: x.append('y' * 10000)", sandbox.Limits{Memory: 32 << 20}, sandbox.LimitMemory},
		{"while True: print('x' * 1000)", sandbox.Limits{Output: 1 << 16}, sandbox.LimitOutput},
		{"import sys\nsys.setrecursionlimit(10 ** 9)\nclass A:\n    def __getattr__(self, n): return getattr(self, n)\nA().x", sandbox.Limits{}, sandbox.LimitStack},
	} {
		c.limits.Timeout = time.Minute
		var fuel int64
		for i := range 2 {
			out, err := execute(t, block(compile.ShapeCommand, c.body), &compile.Job{Limits: c.limits})
			var limit *sandbox.LimitError
			if !errors.As(err, &limit) || limit.Kind != c.want {
				t.Errorf("%s: got %v (%s), want the %s limit", c.body, err, lanetest.Said(out, nil), c.want)
				break
			}
			if i == 0 {
				fuel = out.Usage.Fuel
			} else if fuel != out.Usage.Fuel {
				t.Errorf("%s: ended after %d units of fuel, then after %d", c.body, fuel, out.Usage.Fuel)
			}
		}
	}
}

// A full file system is an error a program can handle.
func TestFilesLimit(t *testing.T) {
	src := block(compile.ShapeCommand, "while True: open('f', 'ab').write(b'x' * 100000)")
	out, err := execute(t, src, &compile.Job{Limits: sandbox.Limits{Files: 1 << 20}})
	if err != nil || out.Exit != 1 || !strings.Contains(string(out.Stderr), "No space left on device") {
		t.Errorf("%v %s", err, lanetest.Said(out, err))
	}
}

// What the sandbox does not have is refused in words that help.
func TestRefusedByName(t *testing.T) {
	for body, want := range map[string]string{
		"import scipy":                              "hint: it is written in C and cannot be loaded into the sandbox; use numpy (numpy.linalg, numpy.fft, numpy.random), sympy, math and statistics",
		"import requests":                           "hint: there is no network in the sandbox",
		"import urllib.request":                     "hint: there is no network in the sandbox",
		"import leftpad":                            "hint: it is not in the sandbox; put a package that is pure Python into a directory",
		"import subprocess\nsubprocess.run(['ls'])": "a.org:11:1: OSError: [Errno 58] there are no processes in the sandbox",
		"import os\nos.system('ls')":                "there are no processes in the sandbox",
		"import threading\nthreading.Thread(target=print).start()": "can't start new thread: there are no threads in the sandbox",
		"open('/etc/passwd')":                                     "FileNotFoundError",
		"open('../../../etc/passwd')":                             "FileNotFoundError",
		"open('/usr/lib/python3.11/os.py', 'a')":                  "OSError",
		"import os\nos.symlink('/etc', 'x')":                      "AttributeError",
		"from zoneinfo import ZoneInfo\nZoneInfo('Europe/Paris')": "hint: the sandbox has no time zones but UTC",
		"import asyncio\nasyncio.run(asyncio.Event().wait())":     "NothingToWaitFor",
	} {
		out, err := execute(t, block(compile.ShapeCommand, body), nil)
		if err != nil || out.Exit != 1 || !strings.Contains(string(out.Stderr), want) {
			t.Errorf("%s: got %s, want %s", body, lanetest.Said(out, err), want)
		}
	}
}

func TestRefusals(t *testing.T) {
	for want, change := range map[string]func(*compile.Source){
		"package requests (:deps) is not pinned in wb.lock": func(s *compile.Source) { s.Deps = []string{"requests>=2"} },
		"Python has no kernel shape":                        func(s *compile.Source) { s.Shape = compile.ShapeKernel },
		":results graphics needs :file":                     func(s *compile.Source) { s.Results = []string{"graphics", "file"} },
	} {
		src := block(compile.ShapeCommand, "1")
		change(src)
		var build *diag.FindingsError
		if _, err := execute(t, src, nil); !errors.As(err, &build) || build.Hint() == "" || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	src := block(compile.ShapeCommand, "import mine, pack.part\nprint(mine.x, pack.part.y)")
	src.Deps = []string{"mine", "pack==1.0"}
	src.Files = map[string][]byte{"mine.py": []byte("x = 1"), "pack/__init__.py": nil, "pack/part.py": []byte("y = 2")}
	if out := mustExecute(t, src, nil); string(out.Stdout) != "1 2\n" {
		t.Errorf("vendored packages gave %s", out.Stdout)
	}
}

// A program costs the same fuel and gives the same bytes every time.
func TestDeterminism(t *testing.T) {
	src := block(compile.ShapeCommand, `
import time, random, uuid, os, datetime, hashlib
print(time.time(), random.random(), uuid.uuid4(), os.urandom(8), datetime.datetime.now(), time.perf_counter())
print({str(i) for i in range(50)}, hash("x"), id(src := object()) == id(src))
time.sleep(0.5)
print(time.time(), object(), sorted(os.environ), hashlib.md5(repr(globals()).encode()).hexdigest())`)
	lanetest.SameEveryTime(t, testLane(t), src, 20)
}

// Granted capabilities open the real world.
func TestCapabilities(t *testing.T) {
	lanetest.ObeysCaps(t, testLane(t),
		block(compile.ShapeCommand, "import random, uuid\nprint(random.random(), uuid.uuid4())"),
		block(compile.ShapeCommand, "import datetime\nprint(datetime.date.today().year)"))
}
