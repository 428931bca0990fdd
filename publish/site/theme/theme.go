// Package theme holds the look of a site: hugo's templates in layouts, and in
// assets the files that every site has as they are.
package theme

import "embed"

// Files are layouts and assets.
//
//go:embed all:layouts all:assets
var Files embed.FS
