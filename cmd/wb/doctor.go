package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// doctorCmd tells what works on this machine. It never fails: its job is to
// name the command that fixes what is missing.
type doctorCmd struct{}

// checkup is one thing wb can use and how to get it when it is not there.
type checkup struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"`
}

func (c *doctorCmd) Run(a *app) error {
	checks := []checkup{checkCache(), checkClient("npm", "fetches compilers on first use; install Node.js with your package manager"),
		checkClient("go", "builds the shell and Go toolchains; install Go 1.26 or newer")}
	return a.answer("doctor", checks, func(w io.Writer) error {
		for _, check := range checks {
			mark := "ok     "
			if !check.OK {
				mark = "missing"
			}
			fmt.Fprintf(w, "%s  %-10s %s\n", mark, check.Name, check.Detail)
			if check.Fix != "" {
				fmt.Fprintf(w, "         %-10s hint: %s\n", "", check.Fix)
			}
		}
		return nil
	})
}

func checkClient(name, fix string) checkup {
	path, err := exec.LookPath(name)
	if err != nil {
		return checkup{Name: name, Detail: "not on PATH", Fix: fix}
	}
	return checkup{Name: name, OK: true, Detail: path}
}

func checkCache() checkup {
	dir, err := os.UserCacheDir()
	if err != nil {
		return checkup{Name: "cache", Detail: err.Error(), Fix: "set HOME or XDG_CACHE_HOME"}
	}
	dir = filepath.Join(dir, "wb")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return checkup{Name: "cache", Detail: err.Error(), Fix: "make " + dir + " writable or set XDG_CACHE_HOME"}
	}
	return checkup{Name: "cache", OK: true, Detail: dir}
}
