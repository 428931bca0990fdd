// Package library keeps an identity's library: workbooks that lie in
// workspaces, each described by a workspace.org.
//
//	#+TITLE: Reports
//	#+WORKSPACE: reports
//
//	* Sales analysis                                          :member:
//	  :PROPERTIES:
//	  :PATH:  sales/                 a workbook, or a directory of one
//	  :SCOPE: write                  read or write (read)
//	  :DID:   did:key:z6Mk…          whose it is, when not yours
//	  :END:
//
// [Open] finds the workspaces below directories. A member is taken out with
// [Library.CheckOut], worked on anywhere, and brought back with
// [Library.CheckIn], which writes into the drawer what came back: its digest,
// who signed for it and when.
//
// Nothing is lost on the way back. What changed in the library since it was
// taken out, and what changed outside, are compared file by file with what was
// taken out. A file that changed on one side has that side's content; one that
// changed on both is a [ConflictError], and then neither side is touched: the
// library's version is laid beside the other for its author to compare.
package library
