package cite

import (
	"maps"
	"slices"
	"strings"

	"wb/internal/lazyregexp"
)

// labels are what the parts of a work are called behind a key, in CSL's words.
var labels = func() map[string]string {
	all := map[string]string{"¶": "paragraph", "¶¶": "paragraph", "§": "section", "§§": "section", "sub verbo": "sub verbo"}
	for label, names := range map[string]string{"book": "bk. bks. book", "chapter": "chap. chaps. chapter", "column": "col. cols. column", "figure": "figure fig. figs.",
		"folio": "folio fol. fols.", "number": "number no. nos.", "line": "line l. ll.", "note": "note n. nn.", "opus": "opus op. opp.", "page": "page p p. pp.",
		"paragraph": `paragraph para. paras. \P \P\P`, "part": "part pt. pts.", "section": `\S \S\S section sec. secs.`, "sub verbo": "s.v. s.vv.",
		"verse": "verse v. vv.", "volume": "volume vol. vols."} {
		for name := range strings.FieldsSeq(names) {
			all[name] = label
		}
	}
	return all
}()

var labelForm = lazyregexp.New(func() string {
	names := slices.SortedFunc(maps.Keys(labels), func(a, b string) int { return len(b) - len(a) })
	for i, name := range names {
		names[i] = strings.NewReplacer(".", `\.`, `\`, `\\`).Replace(name)
	}
	return `(?:^|\s)(` + strings.Join(names, "|") + `)\d*(?:\b|\s|\x{a0}|$)`
}())

// Located is what stands behind a key, taken apart. Before and After are the ranges
// of its bytes that are no locator.
type Located struct {
	Label, Locator string // "page" and "12-14", or "" and ""
	Before, After  [2]int
}

// Suffix finds the locator in what stands behind a key, as Org's csl processor does: it
// begins with a word such as "p." or "chapter", or with a digit, which means pages, and
// ends with the last digit or comma.
func Suffix(text string) Located {
	var out Located
	begin, from := 0, 0
	if m := labelForm.FindStringSubmatchIndex(text); m != nil {
		out.Label, begin, from = labels[text[m[2]:m[3]]], m[0], m[3]
	} else if begin = strings.IndexAny(text, "0123456789"); begin >= 0 {
		out.Label, from = "page", begin
	} else {
		return Located{After: [2]int{0, len(text)}}
	}
	end, after := len(text), len(text)
	if last := strings.LastIndexAny(text, ",0123456789"); last >= from {
		end, after = last+1, last+1
		if text[last] == ',' {
			end = last
		}
	}
	out.Locator = strings.Trim(text[from:end], " \t\n\u00a0")
	out.Before, out.After = [2]int{0, begin}, [2]int{after, len(text)}
	return out
}
