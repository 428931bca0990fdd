// Package workbook turns an org file into a graph of components, runs what
// changed, and writes results where Emacs would.
//
// The work is done in four packages, a phase each; this one gathers their names:
//
//	result  values as text in a document; knows no plan
//	plan    what components there are and how they hang together
//	lint    what is wrong with a document
//	run     turns, cache, sandbox, and results into the file
//
// # The plan
//
// [NewPlan] reads a workbook without running anything. A [Component] is a
// source block, a call line, code in running text, or data (a named table or
// list, a block of JSON, CSV or YAML). Three dialects, which one file may mix,
// say how components hang together:
//
//   - babel: :var, :stdin, calls and noweb references name other blocks;
//   - heading: a drawer's :in: and :out: name ports, :deps: orders;
//   - workflow: :component: headings below a :workflow: heading, with :in and
//     :out on the block; workflows nest and see the outputs of those around
//     them.
//
// Every [Edge] says why it is there. Inputs that nothing produces are imports,
// outputs that nothing consumes are exports, and what cannot be right (cycles,
// duplicate producers, references to nothing) is a diagnostic with a place in
// the file. [Plan.JSON], [Plan.DOT] and [Plan.SVG] show the plan; [Lint] checks
// the document around it.
//
// # A run
//
// [Run] gives each component its turn as soon as what it needs is done, several
// at once. A turn resolves the inputs, expands noweb, builds the block in its
// language's lane and executes it in the sandbox; a component that fails stops
// only what needs it. The value of a component is what its code returned or
// printed, not the text in the file:
//
//	report, err := workbook.Run(ctx, workbook.Options{
//		Book:      workbook.BookAt("analysis.org", nil, lanes),
//		Authority: workbook.Authority{Grants: []string{"clock"}},
//	})
//
// Groups of [Options] stand for themselves: a [Book] is needed, any value of the
// other groups goes with any value of the rest.
//
// Which of the functions in this package touch the world: Run reads the file
// and its directory, executes, and soon after each component ends writes its
// result, the file that its author named with :file, and the cache. Components see the directory as "/"
// and write only into a layer of their own.
//
// # The cache
//
// An outcome is kept under the digest of everything it depends on ([Digests]):
// source, each input, toolchain, profile, granted capabilities, and what ran
// before it in its session. Files that the component read are remembered with
// their state and checked too. Nothing else decides: time stamps do not, and
// neither does the place in the file. [Explain] compares the digests of the
// last run with those of now. What saw a real clock or real randomness is not
// kept. The cache may be deleted, shared by processes, and cut short by a
// crash: every entry is there whole or not at all.
//
// # Results
//
// A result is written exactly as Org 9.8 does it; see package result. Tests
// compare it with what Emacs wrote. All other bytes of the file stay; the file is replaced atomically and only if
// no other program changed it during the run. What differs on purpose is listed in
// docs/emacs.org, with an example of each in run/testdata/differences.
//
// # Expectations
//
// A document may say what its results must be (#+EXPECT:, see run.Expectation);
// [Report.CheckExpectations] compares.
package workbook
