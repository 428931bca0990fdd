package js

import (
	"strings"
	"testing"

	"wb/compile"
	"wb/internal/test/lanetest"
)

// What needs the data of other languages says so rather than guessing.
func TestLocales(t *testing.T) {
	for body, want := range map[string]string{
		"(1234.5).toLocaleString('de-DE')":                              "locale de-DE is not there: the sandbox has no language data but American English",
		"new Date(0).toLocaleString('en-US', {timeZone: 'Asia/Tokyo'})": "time zone Asia/Tokyo is not there: the sandbox has no time zones but UTC",
		"(5).toLocaleString('en-US', {notation: 'compact'})":            "toLocaleString does not know the option notation in the sandbox",
		"new Intl.Segmenter('en')":                                      "Intl.Segmenter is not there: the sandbox has no language data",
		"new Intl.NumberFormat('fr')":                                   "locale fr is not there",
		"'a'.localeCompare('b', 'sv')":                                  "locale sv is not there",
	} {
		out, err := execute(t, block(compile.ShapeCommand, body), nil)
		if text := lanetest.Said(out, err); !strings.Contains(text, "RangeError: "+want) {
			t.Errorf("%s: %s", body, text)
		}
	}
}
