package org

import (
	"html"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// htmlEntities are the entity names that Org shares with HTML, where they mean the same character.
const htmlEntities = `
AElig Aacute Acirc Agrave Alpha Aring Atilde Auml Beta Ccedil Chi Dagger Delta Downarrow ETH
Eacute Ecirc Egrave Epsilon Eta Euml Gamma Gg Iacute Icirc Idot Igrave Iota Iuml Kappa Lambda
Leftarrow Leftrightarrow Ll Mu Ntilde Nu OElig Oacute Ocirc Ograve Omega Omicron Oslash Otilde
Ouml Phi Pi Prime Psi Rho Rightarrow Scaron Sigma THORN Tau Theta Uacute Ucirc Ugrave Uparrow
Upsilon Uuml Xi Yacute Yuml Zeta aacute acirc acute aelig agrave alefsym aleph alpha amp ang
angle approx aring ast asymp atilde auml bdquo because beta brvbar bull bullet cap ccedil cedil
cent check checkmark chi clubs clubsuit colon cong copy crarr cup curren dArr dagger darr deg
delta div dollar downarrow eacute ecirc egrave ell empty emptyset emsp ensp epsilon equiv eta
eth euml euro exist fnof forall frac12 frac14 frac34 frasl frown gamma ge geq gg ggg gimel gt
hArr harr hbar hearts heartsuit hellip iacute icirc iexcl igrave image imath in infin inodot
int iota iquest isin iuml jmath kappa lArr lambda lang langle laquo larr lceil ldquo le
leftarrow leftrightarrow leq lesseqgtr lessgtr lfloor ll lowast lrm lsaquo lsquo lt macr mdash
mho micro middot minus mu nabla nbsp ndash ne nexist nexists ni not notin nsub nsup ntilde nu
oacute ocirc oelig ograve oline omega omicron oplus ordf ordm oslash otilde otimes ouml para
parallel permil perp pi piv plus plusmn pm pound prec preccurlyeq prime prod prop propto psi
quot rArr radic rang rangle raquo rarr rceil rdquo real reg rfloor rho rightarrow rlm rsaquo
rsquo sbquo scaron sdot sect sigma sigmaf sim smile spades spadesuit sub sube subset succ
succcurlyeq sum sup sup1 sup2 sup3 supe supset szlig tau there4 therefore theta thetasym thinsp
thorn times trade triangleq uArr uacute uarr ucirc ugrave uml uparrow upsih upsilon uuml varpi
varsigma vartheta vee vert wedge weierp xi yacute yen yuml zeta zwj zwnj
`

// orgEntities are the entity names of Org's own, or with a meaning of its own, and their text.
const orgEntities = `
AA Å  Amacr Ã  amacr ã  varepsilon ε  phi ɸ  varphi φ  acutex 𝑥́  partial ∂  beth ב
dalet ד  dots …  cdots ⋯  circ ∘  vbar |  S §  P ¶  tilde ~  slash /  under _  equal =
asciicirc ^  dag †  ddag ‡  EUR €  USD $  infty ∞  neg ¬  land ∧  lor ∨  simeq ≅  neq ≠
lll ⋘  preceq ≼  succeq ≽  setminus ⧵  exists ∃  cdot ⋅  gets ←  to →  hookleftarrow ↵
star ⋆  odot ʘ  smiley ☺  blacksmile ☻  sad ☹  frowny ☹  diams ◆  diamondsuit ◆  diamond ◆
Diamond ◆  loz ⧫
`

// functionEntities are names of functions, which stand for themselves, set upright.
const functionEntities = `
arccos arcsin arctan arg cos cosh cot coth csc det dim exp gcd hom inf ker lg lim
liminf limsup ln log max min Pr sec sin sinh tan tanh
`

var entities = sync.OnceValue(func() map[string]string {
	table := map[string]string{"shy": ""}
	for _, name := range strings.Fields(htmlEntities) {
		table[name] = html.UnescapeString("&" + name + ";")
	}
	own := strings.Fields(orgEntities)
	for i := 0; i+1 < len(own); i += 2 {
		table[own[i]] = own[i+1]
	}
	for _, name := range strings.Fields(functionEntities) {
		table[name] = name
	}
	return table
})

// Entity is \name or \name{}, which stands for a character.
type Entity struct {
	*Node
	Name string // without backslash and braces; of "\_  " the blanks with their "_"
	Text string // what it stands for, in UTF-8
}

// Entity reads a node of [KindEntity].
func (n *Node) Entity() (Entity, bool) {
	if n.kind != KindEntity {
		return Entity{}, false
	}
	name := strings.TrimSuffix(n.Text()[1:], "{}")
	if name[0] == '_' {
		return Entity{n, name, name[1:]}, true
	}
	return Entity{n, name, entities()[name]}, true
}

// entityEnd matches an entity at pos; 0 when there is none.
func entityEnd(s string, pos, end int) int {
	i := pos + 1
	if s[i] == '_' {
		for i++; i < end && s[i] == ' ' && i < pos+2+maxBlanks; i++ {
		}
		if i > pos+2 {
			return i
		}
		return 0
	}
	for i < end && isAlpha(s[i]) {
		i++
	}
	name := s[pos+1 : i]
	switch { // the few names with digits
	case name == "there" && i < end && s[i] == '4':
		i++
	case name == "sup" && i < end && '1' <= s[i] && s[i] <= '3':
		i++
	case name == "frac" && i+1 < end && (s[i] == '1' || s[i] == '3') && (s[i+1] == '2' || s[i+1] == '4'):
		i += 2
	}
	if letterAt(s, i, end) {
		i = pos + 1 + len(name)
	}
	if letterAt(s, i, end) {
		return 0
	}
	if _, ok := entities()[s[pos+1:i]]; !ok {
		return 0
	}
	if strings.HasPrefix(s[i:end], "{}") {
		i += 2
	}
	return i
}

func letterAt(s string, pos, end int) bool {
	if pos >= end {
		return false
	}
	r, _ := utf8.DecodeRuneInString(s[pos:end])
	return unicode.IsLetter(r)
}

// maxBlanks is the longest run of blanks that \_ stands for.
const maxBlanks = 20
