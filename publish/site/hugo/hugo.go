// Package hugo gives the pages of a site their layout with hugo, used as a
// library. It is the only package of wb that imports hugo, and only
// cmd/wb-publish imports it: hugo's initialisation would cost every verb of wb
// 30 to 60 ms.
package hugo

import (
	_ "github.com/gohugoio/hugo/hugolib"
	_ "github.com/spf13/afero"
)
