// Package sql is the lane of SQL: SQLite and its command-line shell, built from
// source by our own C lane, running in the sandbox. Languages sqlite and sql are
// the same but for header lines, which sql shows.
//
// # Babel shape
//
// What ob-sqlite does: the shell reads the block; :db names a database file
// beside the workbook (without it the database is empty and forgotten), :header
// :csv :column :html :line :list :separator :nullvalue :echo :bail :readonly and
// :colnames choose what it prints, which is read as a table. Dot commands work.
// $name in the block is replaced by the variable name: by its text or, for a
// table, by the name of a file that holds it as CSV, for .import. A table whose
// name does not appear so is there as a temporary table of that name, with the
// columns it has a header for, or else c1, c2, ….
//
// # Component shape
//
// Inputs that are numbers or text are the SQL parameters :name; lists of records
// or of lists, and records, are temporary tables. The result is the last
// statement's rows as a list of records; where :sig: wants a record it is the
// only row, and where it wants a number or text, the only value. Several outputs
// are the columns of the only row, or one statement's rows each.
//
// # Command shape
//
// The shell reads the block; what it prints is the result.
//
// # What there is not
//
// .shell and .system, loadable extensions, write-ahead logging. Full-text search
// (FTS5), R*Tree, JSON and the mathematical functions are there.
package sql
