package toolkit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// New makes a toolkit with one command, one skill and one eval, all of which
// work. It writes over nothing.
func (r Root) New(id string) (*Toolkit, error) {
	if !slug.MatchString(id) {
		return nil, fmt.Errorf("%q cannot be a toolkit's name: use letters, digits, dots and hyphens", id)
	}
	dir := filepath.Join(r.Dir, id)
	if err := os.MkdirAll(r.Dir, 0o755); err != nil {
		return nil, err
	}
	err := os.Mkdir(dir, 0o755)
	if errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("%s already exists, and a new toolkit replaces nothing: %w", dir, fs.ErrExist)
	}
	if err != nil {
		return nil, err
	}
	for name, text := range scaffold {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "ID", id)), 0o644); err != nil {
			return nil, err
		}
	}
	return read(dir)
}

// scaffold is the files of a new toolkit, with ID for its name.
var scaffold = map[string]string{
	"manifest.org": `#+TITLE: ID toolkit
#+TOOLKIT: ID
#+VERSION: 0.1.0
#+STATUS: draft
#+TAGLINE: Say in one line what this is for.

* ID :toolkit:
Say what this toolkit covers and what it does not.

* count :command:
:PROPERTIES:
:TAGLINE: count the lines of standard input
:END:
#+begin_src js
import { readFileSync } from "fs";
const text = readFileSync(0, "utf8");
console.log(text.split("\n").length - 1);
#+end_src
`,
	"skills/overview.org": `#+TITLE: Overview

* When to use
Say which tasks call for this toolkit.

* Workflow
#+CAPTION: count the lines of a file
#+begin_src sh
wb toolkit run ID count < notes.txt
#+end_src

* Common pitfalls
* Verification checklist
`,
	"evals/count.org": `* Counts two lines :eval:
:PROPERTIES:
:CMD: count
:END:
#+begin_example
one
two
#+end_example
#+EXPECT: 2
`,
}
