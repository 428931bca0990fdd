// Package oql is wb's query language over org notes, runs and foreign tables.
//
// One query has one meaning and two spellings. The s-expression form is a
// superset of org-ql's:
//
//	(and (todo "NEXT") (tags "work") (deadline :to today))
//	(query (from "events.org") (where (tags "tool_call"))
//	       (group-by TOOL) (select (count) (p95 DUR_MS)) (order-by (desc p95)))
//
// and the plain form is what people type:
//
//	todo:NEXT tags:work deadline:to=today !someday "a phrase"
//	from:events.org tag:tool_call exit:!=0 | group tool | count, p95 dur_ms | sort -p95 | limit 10
//
// [Parse] reads either into a [Query]: where rows come from, which of them
// count (an [Expr] tree), and what is made of them (join, group, aggregate,
// select, sort, limit). Errors are [*SyntaxError]s that carry line and column
// and, where one is near, the name that was probably meant.
//
// The names of predicates, their aliases, arguments and keywords stand in one
// table (predicates.go) which the parser, the evaluator, completion and the
// documentation share.
package oql
