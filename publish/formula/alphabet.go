package formula

import (
	"strings"
	"unicode/utf8"
)

// alphabet says what letters and digits look like. Unicode has the styled ones
// as characters of their own, which is how MathML Core wants them.
type alphabet int

const (
	italic alphabet = iota // the default: one letter is slanted, digits are upright
	roman
	bold
	boldItalic
	blackboard
	script
	boldScript
	fraktur
	sans
	mono
	explicitItalic
)

// styled says where an alphabet's characters start in Unicode; 0 where there
// are none.
type styled struct {
	upper, lower, digit, greekUpper, greekLower rune
}

var alphabets = map[alphabet]styled{
	bold:       {0x1D400, 0x1D41A, 0x1D7CE, 0x1D6A8, 0x1D6C2},
	boldItalic: {0x1D468, 0x1D482, 0x1D7CE, 0x1D71C, 0x1D736},
	blackboard: {0x1D538, 0x1D552, 0x1D7D8, 0, 0},
	script:     {0x1D49C, 0x1D4B6, 0, 0, 0},
	boldScript: {0x1D4D0, 0x1D4EA, 0, 0, 0},
	fraktur:    {0x1D504, 0x1D51E, 0, 0, 0},
	sans:       {0x1D5A0, 0x1D5BA, 0x1D7E2, 0, 0},
	mono:       {0x1D670, 0x1D68A, 0x1D7F6, 0, 0},
}

// older are the letters that Unicode had before it got the alphabets.
var older = map[alphabet]map[rune]rune{
	blackboard: {'C': 'ℂ', 'H': 'ℍ', 'N': 'ℕ', 'P': 'ℙ', 'Q': 'ℚ', 'R': 'ℝ', 'Z': 'ℤ'},
	script:     {'B': 'ℬ', 'E': 'ℰ', 'F': 'ℱ', 'H': 'ℋ', 'I': 'ℐ', 'L': 'ℒ', 'M': 'ℳ', 'R': 'ℛ', 'e': 'ℯ', 'g': 'ℊ', 'o': 'ℴ'},
	fraktur:    {'C': 'ℭ', 'H': 'ℌ', 'I': 'ℑ', 'R': 'ℜ', 'Z': 'ℨ'},
}

// greekVariants are the letters that stand behind omega in the alphabets, in
// their order there.
var greekVariants = []rune("∂ϵϑϰϕϱϖ")

func (a alphabet) rune(r rune) rune {
	if o, ok := older[a][r]; ok {
		return o
	}
	s := alphabets[a]
	switch {
	case 'A' <= r && r <= 'Z' && s.upper != 0:
		return s.upper + r - 'A'
	case 'a' <= r && r <= 'z' && s.lower != 0:
		return s.lower + r - 'a'
	case '0' <= r && r <= '9' && s.digit != 0:
		return s.digit + r - '0'
	case 'Α' <= r && r <= 'Ω' && s.greekUpper != 0:
		return s.greekUpper + r - 'Α'
	case 'α' <= r && r <= 'ω' && s.greekLower != 0:
		return s.greekLower + r - 'α'
	case r == '∇' && s.greekUpper != 0:
		return s.greekUpper + 25
	}
	if s.greekLower != 0 {
		for i, v := range greekVariants {
			if r == v {
				return s.greekLower + 25 + rune(i)
			}
		}
	}
	return r
}

func (a alphabet) write(text string) string {
	if a == italic {
		return text
	}
	return strings.Map(a.rune, text)
}

// letter is one letter in the alphabet.
func (a alphabet) letter(text string) *element {
	switch a {
	case italic, explicitItalic:
		return mi(text)
	case roman:
		return upright(text)
	}
	r, _ := utf8.DecodeRuneInString(text)
	if styled := a.rune(r); styled != r {
		return mi(string(styled))
	}
	return upright(text)
}

// alphabetCommands take an argument, alphabetSwitches hold to the end of the
// group.
var alphabetCommands = map[string]alphabet{
	"mathrm": roman, "mathup": roman, "mathit": explicitItalic, "mathnormal": italic, "mathbf": bold, "bold": bold, "boldsymbol": boldItalic, "bm": boldItalic,
	"mathbb": blackboard, "Bbb": blackboard, "mathcal": script, "mathscr": script, "mathbfcal": boldScript, "mathfrak": fraktur, "mathsf": sans, "mathtt": mono,
	"mathbfit": boldItalic, "symbf": bold, "symbb": blackboard, "symcal": script, "symfrak": fraktur,
}

var alphabetSwitches = map[string]alphabet{"rm": roman, "bf": bold, "it": explicitItalic, "cal": script, "sf": sans, "tt": mono, "boldmath": boldItalic}

// inAlphabet sets an argument in an alphabet. Letters side by side are one
// word.
func (p *parser) inAlphabet(a alphabet) (*element, error) {
	outer := p.alphabet
	p.alphabet = a
	body, err := p.argument()
	p.alphabet = outer
	if err != nil {
		return nil, err
	}
	if a == italic || body.name != "mrow" || len(body.kids) < 2 {
		return body, nil
	}
	word := ""
	for _, k := range body.kids {
		if k.name != "mi" && k.name != "mn" || len(k.kids) > 0 {
			return body, nil
		}
		word += k.text
	}
	if a == explicitItalic {
		return mi(word).with(` class="it"`), nil
	}
	return mi(word), nil
}
