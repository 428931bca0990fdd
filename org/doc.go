// Package org reads org-mode files into a lossless syntax tree with byte
// positions, and changes them by splicing bytes.
//
// # The tree
//
// [Parse] never fails and never changes anything: every byte of the source
// belongs to exactly one leaf, the children of a node touch each other and
// cover it, and printing the leaves gives the source back, whatever it holds
// (CRLF, tabs, NULs, invalid UTF-8, no final newline).
//
//	doc := org.Parse(src)
//	for h := range doc.Headlines() {
//		line, _ := doc.Position(h.Start())
//		fmt.Println(line, h.Level, h.Keyword, h.Title, h.LocalTags())
//	}
//
// A [Node] is only a range with a [Kind]. Its meaning is read on request
// through a view, a small struct that embeds the node and cuts it into
// [Token]s, each with its own place in the file:
//
//	for b := range doc.Blocks(org.KindSrcBlock) {
//		fmt.Println(b.Name(), b.Lang, b.Args, doc.Text(b.Body))
//	}
//
// The tree nests as org-element's does: a headline holds its line, planning,
// property drawer, elements and sub-headlines; a quote block holds elements; a
// list holds items. What differs is said here once: there are no section
// nodes; blank lines are leaves of their own ([KindBlank]) that stand between
// elements instead of belonging to the one before; and affiliated keywords
// are children of their element.
//
// Text is parsed no deeper than lines. The objects inside (links,
// timestamps, emphasis, inline source) are parsed when [Document.Objects] is
// asked for them.
//
// A headline ends every block and drawer, as in Emacs: a "* " at the margin
// inside #+begin_src is a headline. A block, drawer or environment that is
// not closed is a paragraph, and [Document.Problems] tells where it opened.
//
// # What the file means
//
// [Document.Tags], [Document.Property] and [Document.HeaderArgs] resolve
// inheritance the way Org 9.8 does, and every header argument remembers the
// bytes it came from. [Document.Results] and [Document.ResultOf] find results
// and say exactly which bytes org-babel would replace.
//
// # Where this differs from Org
//
// On real files the tree is the one org-element builds; TestConfirmEmacs
// compares the two. The differences are few, and meant:
//
//   - A priority cookie counts only at the start of a title. Org 9.8 finds one
//     anywhere and drops the words before it.
//   - A property drawer stands directly below its headline or planning line.
//     org-element also lets blank lines precede it, but the functions that read
//     properties do not.
//   - Blank lines at the start of a block are blank, not part of a paragraph.
//   - #+TBLFM: lines belong to a table only inside the table's own container.
//   - Types of plain and angle links are those Org knows when it starts; there
//     is no way to add one.
//   - Radio targets longer than 200 bytes do not make links.
//   - Inline tasks, which are an optional module, are headlines; table.el tables
//     and diary sexps are recognised and kept, nothing more.
//   - #+SETUPFILE: is not read: this package reads no files.
//
// # Changing a file
//
// An [Edit] replaces a range. [Apply] performs a set of them at once, refusing
// those that overlap; bytes outside the ranges stay as they were.
//
//	edits, err := org.SetKeyword(h, "DONE")
//	out, err := org.Apply(src, edits)
//
// Package orgfile writes the outcome to disk atomically.
//
// # Cost
//
// Parsing takes time linear in the size of the file, whatever it holds, and
// never recurses; there is no input that overflows the stack or takes
// quadratic time.
package org
