package bulk

import (
	"slices"
	"strings"

	"wb/org"
)

// logging finds out what is logged at a headline, and where: the file's #+STARTUP:
// and the properties LOGGING and LOG_INTO_DRAWER, which headlines inherit.
func (s *section) logging(doc *org.Document, h org.Headline) {
	s.logsRepeats = true
	startup := func(words ...string) (last string) {
		for k := range doc.Keywords("STARTUP") {
			for _, word := range strings.Fields(k.Value.Text) {
				if slices.Contains(words, word) {
					last = word
				}
			}
		}
		return last
	}
	if startup("logrepeat", "lognoterepeat", "nologrepeat") == "nologrepeat" {
		s.logsRepeats = false
	}
	if startup("logdrawer", "nologdrawer") == "logdrawer" {
		s.drawer = "LOGBOOK"
	}
	if value, ok := doc.Property(h.Node, "LOGGING"); ok || value == "nil" {
		words := strings.Fields(value)
		s.logsRepeats = slices.Contains(words, "logrepeat") || slices.Contains(words, "lognoterepeat")
		s.log = s.log && (slices.Contains(words, "logdone") || slices.Contains(words, "lognotedone"))
	}
	switch value, ok := doc.Property(h.Node, "LOG_INTO_DRAWER"); {
	case value == "nil":
		s.drawer = ""
	case value == "t":
		s.drawer = "LOGBOOK"
	case ok:
		s.drawer = value
	}
}
