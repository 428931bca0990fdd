// Package exchange turns Markdown and Jupyter notebooks into org documents and
// back.
//
// Nothing that an author wrote is lost on the way. What both sides know
// (headings, lists, tables, code, quotes, emphasis, links, footnotes) is
// translated; what only one of them knows is carried along word for word:
//
//   - Markdown that org cannot say stays Markdown, in #+begin_export markdown.
//     [FromMarkdown] finds out by translating each block back and comparing
//     what both would look like as HTML, so that this holds for constructs that
//     nobody thought of.
//   - Org that Markdown cannot say (drawers, planning, keywords) becomes an HTML
//     comment that starts with "<!--org", which readers do not see.
//
// A notebook's cells become prose and source blocks, its outputs stand below
// #+RESULTS:, its pictures are files. Metadata, cell ids and output types stand
// in keyword lines that start with #+NB_. Running the org document replaces
// outputs; [ToNotebook] writes whatever stands there.
package exchange
