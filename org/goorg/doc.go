// Package goorg gives go-org's document for one of ours, so that whatever is
// written for go-org (its HTML and Org writers, and those of other people)
// renders documents that wb has read.
//
// The document is built from our tree, not by go-org's parser: what that parser
// reads otherwise than Emacs does, such as planning lines, drawers of any name,
// priorities beyond C, inactive timestamps and cells with bars in them, arrives
// as Org means it. What go-org has no node for is text as it is written, so that
// nothing is lost.
//
//	doc := org.Parse(src)
//	out, err := goorg.Document(doc, goorg.Options{Path: "notes.org"}).Write(goorg.NewHTMLWriter())
package goorg
