package format_test

import (
	"context"

	"wb/compile"
	"wb/internal/value"
	"wb/workbook/format"
	"wb/workbook/run"
)

func init() {
	format.CallOf = func(file string, lanes *compile.Registry) compile.Caller {
		return func(ctx context.Context, text, call string) (value.Value, error) {
			return run.Resolve(ctx, run.Options{Book: run.Book{File: file, Source: []byte(text), Lanes: lanes}}, call)
		}
	}
}
