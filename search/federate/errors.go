package federate

import (
	"strings"

	"wb/internal/diag"
	"wb/internal/nearest"
)

// UnknownError is a name that no manifest declares and no file has.
type UnknownError struct {
	Name  string
	Known []string
}

func (e *UnknownError) Error() string { return "no table " + e.Name }

// Hint names the nearest table, or all of them.
func (e *UnknownError) Hint() string {
	if near := nearest.Word(e.Name, e.Known); near != "" {
		return "did you mean " + near + "?"
	}
	if len(e.Known) == 0 {
		return "a toolkit declares tables in plugin/manifest.org; files are CSV, TSV, JSON, NDJSON, SQLite or Parquet"
	}
	return "known tables: " + strings.Join(e.Known, ", ")
}

// ExitCode is that of what was not found.
func (e *UnknownError) ExitCode() int { return diag.ExitNotFound }
