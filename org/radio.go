package org

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// longestRadio is the length in bytes of the longest radio target that text
// is compared with; it bounds the work per word.
const longestRadio = 200

// radioTrie holds the file's radio targets, in lower case, letter by letter.
// A blank stands for any white space.
type radioTrie struct {
	next map[rune]*radioTrie
	end  bool
}

// radioTargets returns the radio targets of the document, nil when it has
// none. Wherever their text occurs it is a link.
func (d *Document) radioTargets() *radioTrie {
	d.radioOnce.Do(func() {
		if !strings.Contains(d.text, "<<<") {
			return
		}
		root := &radioTrie{}
		for n := range d.textNodes() {
			objects := d.objectsOf(n, nil)
			if objects == nil {
				continue
			}
			for o := range objects.Walk() {
				if o.kind == KindRadioTarget && o.end-o.start <= longestRadio {
					name, _ := o.TargetName()
					root.insert(name.Text)
				}
			}
		}
		if root.next != nil {
			d.radio = root
		}
	})
	return d.radio
}

func (t *radioTrie) insert(name string) {
	for _, r := range strings.Join(strings.Fields(strings.ToLower(name)), " ") {
		next := t.next[r]
		if next == nil {
			next = &radioTrie{}
			if t.next == nil {
				t.next = map[rune]*radioTrie{}
			}
			t.next[r] = next
		}
		t = next
	}
	t.end = true
}

// match returns the end of the longest target at pos that ends where a word
// does; 0 when there is none.
func (t *radioTrie) match(s string, pos, end int) int {
	last := 0
	for i := pos; i < end; {
		r, size := utf8.DecodeRuneInString(s[i:end])
		if isSpaceRune(r) {
			for i+size < end && isSpace(s[i+size]) {
				size++
			}
			r = ' '
		}
		if t = t.next[unicode.ToLower(r)]; t == nil {
			break
		}
		if i += size; t.end && !joinsWord(s, i, end) {
			last = i
		}
	}
	return last
}

// joinsWord reports whether the character at pos continues a word, so that a
// radio target may not end before it. Scripts without spaces never do.
func joinsWord(s string, pos, end int) bool {
	if pos >= end {
		return false
	}
	r, _ := utf8.DecodeRuneInString(s[pos:end])
	return isWordRune(r) && !isUnspaced(r)
}

// isUnspaced reports whether r is of a script that puts no spaces between
// words.
func isUnspaced(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) }

// radioLink reads the text of a radio target.
func (p *objectParser) radioLink(j *objectJob, pos int) (object, bool) {
	if pos > j.start {
		r, _ := utf8.DecodeLastRuneInString(p.src[j.start:pos])
		if isWordRune(r) && !isUnspaced(r) {
			return object{}, false
		}
	}
	end := p.radio.match(p.src, pos, j.end)
	return object{kind: KindLink, start: pos, end: end, innerStart: pos, innerEnd: end, set: linkSet}, end > 0
}
