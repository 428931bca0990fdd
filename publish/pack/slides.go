package pack

import (
	"context"
	"os"
	"path/filepath"

	"wb/internal/diag"
	"wb/publish/page"
	"wb/workbook"
)

// Slides is a workbook as slides in one page, which is not signed.
func Slides(ctx context.Context, from workbook.Book) ([]byte, []diag.Finding, error) {
	root, err := os.OpenRoot(filepath.Dir(from.File))
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	return page.Slides(ctx, from.File, from.Source, page.Options{Read: reader(root), Lisp: page.LispOf(from.Lanes, from.Source), Citations: from.Lanes.Citations()})
}
