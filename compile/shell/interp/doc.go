// Package interp is wb's shell: it runs scripts that mvdan.cc/sh has parsed.
//
// The whole shell runs inside the sandbox, as one program beside the tools it
// starts, so a script that builds enormous strings or loops forever meets the
// sandbox's limits like any other guest. Everything outside the language (pipes,
// files shared with other programs, the programs themselves) comes from a
// [Kernel], which the host implements.
//
// The language is bash's, POSIX sh being a subset; [Dialect] decides the few
// points where they differ (what echo does with backslashes). The differences
// from bash that remain are deliberate:
//
//   - Background commands (cmd &) run to their end where they stand; wait and
//     $! work. Results would depend on timing otherwise.
//   - In a pipeline, programs run beside each other; of the stages that the
//     shell itself runs (loops, functions, builtins), one runs after the other,
//     from left to right, with what they write kept in between.
//   - What stages of a pipeline write to standard error appears when the
//     pipeline has ended, in the order of the stages.
//   - There are no jobs, no signals, no coprocesses, no aliases, no history.
package interp
