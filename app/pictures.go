package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"wb/internal/diag"
	"wb/internal/lazyregexp"
	"wb/org"
)

// pictureName matches the names of files that pages show rather than link to.
var pictureName = lazyregexp.New(`(?i)\.(png|jpe?g|gif|svg|webp|avif|bmp|tiff?)$`)

// missingPictures warns of pictures that are not there. name is what positions call
// the document, path where it lies.
func (h *Home) missingPictures(name, path string, src []byte) []diag.Finding {
	stat := os.Stat
	if h.Root != nil { // which also keeps from telling what lies outside
		stat, path = h.Root.Stat, name
	}
	return missingFiles(stat, name, path, src, func(l org.Link) (diag.Finding, bool) {
		return diag.Finding{Severity: diag.Warning, Message: l.Path + " does not exist", Hint: "run the block that makes it, or correct the path"},
			pictureName.MatchString(l.Path)
	})
}

// missingFiles are the files that links without a description show and that are not
// there. report says what to tell of one, and whether.
func missingFiles(stat func(string) (fs.FileInfo, error), name, path string, src []byte, report func(org.Link) (diag.Finding, bool)) (all []diag.Finding) {
	doc := org.Parse(src)
	for n := range doc.AllObjects(org.KindLink) {
		l, ok := n.Link()
		if !ok || l.Type != "file" || l.Desc.Text != "" {
			continue
		}
		found, wanted := report(l)
		target := filepath.FromSlash(l.Path)
		if !filepath.IsAbs(target) {
			target = filepath.Join(filepath.Dir(path), target)
		}
		if _, err := stat(target); !wanted || !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		found.Code, found.Pos.File = "missing-file", name
		found.Pos.Line, found.Pos.Col = doc.Position(n.Span().Start)
		all = append(all, found)
	}
	return all
}
