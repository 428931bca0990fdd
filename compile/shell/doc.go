// Package shell is the shell lane: sh and bash blocks, and the tools that
// scripts are made of, run entirely inside the sandbox. Nothing of the machine
// takes part: no shell, no coreutils, no process.
//
// # How a script runs
//
// The shell itself is a guest: a Go program for wasip1 (package interp, with
// the parser of mvdan.cc/sh) that is started once, frozen and revived for every
// run, so that a script that eats memory or loops forever meets the sandbox's
// limits and not wb's. Builtins, loops and functions run inside it. When it
// needs a program it asks its host, this package, which runs the program as an
// instance of its own beside it: tools in C (package toolbox) as one module,
// jq and further shells as the same guest again. Streams between them are
// pipes of this package, files are the run's tree, and all draw on one budget
// of fuel, time, output and storage.
//
// Pipes hand over: a write returns when it has been read. So how far each stage
// of a pipeline gets does not depend on timing, and the fuel of a script is the
// same on every run.
//
// # Using it
//
// [New] is the lane. [ScriptRunner] runs scripts without a lane around them: it is
// what an agent's shell tool and the :DONE-WHEN: checks of a plan use.
package shell
