// Package plot is the plot lane: a table in, an SVG picture out. A block says
// what to draw, a line for each wish:
//
//	#+begin_src plot :var data=sales :file sales.svg
//	type: bar
//	title: Sales by city
//	x: city
//	y: units, returns
//	#+end_src
//
// Nothing is computed that the author wrote as a program, so nothing needs the
// sandbox: the block is a description, read by [ParseSpec], and [Draw] is a
// pure function of it and the data. Equal inputs give equal bytes.
//
// Columns are named by the header of the table, or by number from 1. Without
// "x" the first column that is not drawn is the horizontal axis, without "y"
// every numeric column is a series. An axis is numeric, a calendar (ISO dates
// and org timestamps) or categories, by what its column holds.
package plot
