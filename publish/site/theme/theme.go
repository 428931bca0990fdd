// Package theme holds the look of a site: hugo's templates in layouts, their words in i18n, and in
// assets the files that every site has as they are.
package theme

import "embed"

// Files are layouts, words and assets.
//
//go:embed all:layouts all:assets all:i18n
var Files embed.FS

// Lost is the script of the page for addresses that lead nowhere.
//
//go:embed lost.js
var Lost string
