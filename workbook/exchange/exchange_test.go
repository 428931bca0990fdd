package exchange

import (
	"flag"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "rewrite the expected translations")

func validText(s string) bool { return utf8.ValidString(s) }
