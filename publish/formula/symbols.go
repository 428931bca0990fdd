package formula

import (
	"strings"
	"sync"
)

// The tables name commands and the characters they stand for, in pairs.

// letters are Greek and other letters that are set as identifiers; capital Greek is
// upright, as LaTeX sets it.
const letters = `
alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ varkappa ϰ
lambda λ mu μ nu ν xi ξ omicron ο pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ upsilon υ phi ϕ varphi φ
chi χ psi ψ omega ω digamma ϝ imath ı jmath ȷ ell ℓ hbar ℏ hslash ℏ wp ℘ partial ∂
`
const uprightLetters = `
Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω
aleph ℵ beth ℶ gimel ℷ daleth ℸ Re ℜ Im ℑ infty ∞ nabla ∇ emptyset ∅ varnothing ∅ angle ∠ measuredangle ∡ sphericalangle ∢
top ⊤ bot ⊥ forall ∀ exists ∃ nexists ∄ Box □ square □ blacksquare ■ Diamond ◊ lozenge ◊ bigstar ★ triangle △ triangledown ▽
clubsuit ♣ diamondsuit ♢ heartsuit ♡ spadesuit ♠ flat ♭ natural ♮ sharp ♯ surd √ prime ′ backprime ‵ eth ð mho ℧ Finv Ⅎ Game ⅁
degree ° pounds £ yen ¥ euro € S § P ¶ copyright © circledR ® checkmark ✓ maltese ✠ complement ∁ Bbbk 𝕜 % % # # $ $ _ _ & &
`

// operators, relations and arrows; browsers know their spacing.
const operators = `
pm ± mp ∓ diamond ⋄ times × div ÷ cdot ⋅ ast ∗ star ⋆ circ ∘ bullet ∙ cap ∩ cup ∪ uplus ⊎ sqcap ⊓ sqcup ⊔ vee ∨ lor ∨ wedge ∧ land ∧
setminus ∖ smallsetminus ∖ wr ≀ amalg ⨿ oplus ⊕ ominus ⊖ otimes ⊗ oslash ⊘ odot ⊙ dagger † ddagger ‡ lhd ⊲ rhd ⊳ unlhd ⊴ unrhd ⊵
boxplus ⊞ boxminus ⊟ boxtimes ⊠ boxdot ⊡ ltimes ⋉ rtimes ⋊ leftthreetimes ⋋ rightthreetimes ⋌ curlyvee ⋎ curlywedge ⋏ barwedge ⌅ veebar ⊻
dotplus ∔ divideontimes ⋇ intercal ⊺ circledast ⊛ circledcirc ⊚ circleddash ⊝ Cap ⋒ Cup ⋓ bigtriangleup △ bigtriangledown ▽ triangleleft ◃ triangleright ▹
neg ¬ lnot ¬ leq ≤ le ≤ geq ≥ ge ≥ neq ≠ ne ≠ equiv ≡ sim ∼ simeq ≃ approx ≈ cong ≅ propto ∝ varpropto ∝ asymp ≍ doteq ≐ prec ≺ succ ≻ preceq ⪯ succeq ⪰
ll ≪ gg ≫ lll ⋘ ggg ⋙ subset ⊂ supset ⊃ subseteq ⊆ supseteq ⊇ subsetneq ⊊ supsetneq ⊋ nsubseteq ⊈ nsupseteq ⊉ sqsubset ⊏ sqsupset ⊐ sqsubseteq ⊑ sqsupseteq ⊒
Subset ⋐ Supset ⋑ in ∈ ni ∋ owns ∋ notin ∉ vdash ⊢ dashv ⊣ models ⊨ vDash ⊨ Vdash ⊩ Vvdash ⊪ nvdash ⊬ nvDash ⊭ perp ⊥ mid ∣ nmid ∤ parallel ∥ nparallel ∦ bowtie ⋈ Join ⋈
smile ⌣ frown ⌢ leqslant ⩽ geqslant ⩾ leqq ≦ geqq ≧ lesssim ≲ gtrsim ≳ lessgtr ≶ gtrless ≷ lessapprox ⪅ gtrapprox ⪆ nless ≮ ngtr ≯ nleq ≰ ngeq ≱ lneq ⪇ gneq ⪈
precsim ≾ succsim ≿ preccurlyeq ≼ succcurlyeq ≽ nprec ⊀ nsucc ⊁ ncong ≇ nsim ≁ approxeq ≊ thickapprox ≈ thicksim ∼ backsim ∽ eqsim ≂ bumpeq ≏ Bumpeq ≎ circeq ≗ triangleq ≜ coloneqq ≔ eqqcolon ≕ coloneq ≔
risingdotseq ≓ fallingdotseq ≒ doteqdot ≑ between ≬ pitchfork ⋔ therefore ∴ because ∵ vartriangleleft ⊲ vartriangleright ⊳ trianglelefteq ⊴ trianglerighteq ⊵ eqcirc ≖ lessdot ⋖ gtrdot ⋗ multimap ⊸
to → rightarrow → leftarrow ← gets ← leftrightarrow ↔ Rightarrow ⇒ Leftarrow ⇐ Leftrightarrow ⇔ implies ⟹ impliedby ⟸ iff ⟺ mapsto ↦ longmapsto ⟼
longrightarrow ⟶ longleftarrow ⟵ longleftrightarrow ⟷ Longrightarrow ⟹ Longleftarrow ⟸ Longleftrightarrow ⟺ uparrow ↑ downarrow ↓ updownarrow ↕ Uparrow ⇑ Downarrow ⇓ Updownarrow ⇕
nearrow ↗ searrow ↘ swarrow ↙ nwarrow ↖ hookrightarrow ↪ hookleftarrow ↩ rightharpoonup ⇀ rightharpoondown ⇁ leftharpoonup ↼ leftharpoondown ↽ rightleftharpoons ⇌ leftrightharpoons ⇋
leadsto ⇝ rightsquigarrow ⇝ twoheadrightarrow ↠ twoheadleftarrow ↞ rightarrowtail ↣ leftarrowtail ↢ nrightarrow ↛ nleftarrow ↚ nRightarrow ⇏ nLeftarrow ⇍ rightrightarrows ⇉ leftleftarrows ⇇
rightleftarrows ⇄ leftrightarrows ⇆ upuparrows ⇈ downdownarrows ⇊ circlearrowleft ↺ circlearrowright ↻ curvearrowleft ↶ curvearrowright ↷ dashrightarrow ⇢ dashleftarrow ⇠ Lsh ↰ Rsh ↱ upharpoonright ↾ downharpoonright ⇂
colon : cdotp · ldotp . vdots ⋮ ddots ⋱ adots ⋰ ldots … dots … dotsc … dotso … cdots ⋯ dotsb ⋯ dotsm ⋯ dotsi ⋯ And &
`

// bigOperators have their scripts above and below in display style.
const bigOperators = `
sum ∑ prod ∏ coprod ∐ bigcap ⋂ bigcup ⋃ bigvee ⋁ bigwedge ⋀ bigoplus ⨁ bigotimes ⨂ bigodot ⨀ biguplus ⨄ bigsqcup ⨆
`

// integrals: scripts stand beside.
const integrals = `int ∫ iint ∬ iiint ∭ iiiint ⨌ oint ∮ oiint ∯ oiiint ∰ smallint ∫`

// functions are set upright; those in limitFunctions take scripts below.
const (
	functions      = "arccos arcsin arctan arccot arg cos cosh cot coth csc deg dim exp hom ker lg ln log sec sin sinh tan tanh sgn"
	limitFunctions = "det gcd inf lim liminf limsup max min Pr sup injlim projlim"
)

// delimiterNames may follow \left, \right and \big.
const delimiterNames = `
lbrace { rbrace } langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ lvert | rvert | lVert ‖ rVert ‖ vert | Vert ‖ lbrack [ rbrack ]
lgroup ⟮ rgroup ⟯ lmoustache ⎰ rmoustache ⎱ ulcorner ⌜ urcorner ⌝ llcorner ⌞ lrcorner ⌟ backslash \ uparrow ↑ downarrow ↓ updownarrow ↕ Uparrow ⇑ Downarrow ⇓ Updownarrow ⇕ { { } } | ‖
lparen ( rparen ) llbracket ⟦ rrbracket ⟧ lAngle ⟪ rAngle ⟫
`

// accentNames are accents over one element; those that stretch cover several.
const accentNames = `
hat ^ check ˇ breve ˘ acute ´ grave ` + "`" + ` tilde ~ bar ¯ dot ˙ ddot ¨ dddot ⃛ ddddot ⃜ mathring ˚ vec →
`
const stretchyNames = `
widehat ^ widetilde ~ widecheck ˇ overline ‾ overrightarrow → overleftarrow ← overleftrightarrow ↔ overbrace ⏞ overbracket ⎴ overparen ⏜ Overrightarrow ⇒
`
const underNames = `underline _ underbrace ⏟ underbracket ⎵ underparen ⏝ underrightarrow → underleftarrow ← underleftrightarrow ↔ underbar _ utilde ~`

// spaceNames are spaces, in ems.
const spaceNames = `, 0.1667em thinspace 0.1667em : 0.2222em > 0.2222em medspace 0.2222em ; 0.2778em thickspace 0.2778em ! -0.1667em negthinspace -0.1667em negmedspace -0.2222em negthickspace -0.2778em
quad 1em qquad 2em enspace 0.5em enskip 0.5em space 0.3333em nobreakspace 0.3333em`

// arrowNames are extensible arrows, which take text above and below.
const arrowNames = `xrightarrow → xleftarrow ← xleftrightarrow ↔ xRightarrow ⇒ xLeftarrow ⇐ xLeftrightarrow ⇔ xmapsto ↦ xhookrightarrow ↪ xhookleftarrow ↩ xrightharpoonup ⇀ xleftharpoonup ↼ xrightleftharpoons ⇌ xtwoheadrightarrow ↠`

// table maps the commands without rules of their own to their signs.
type table struct {
	symbols                                            map[string]*element // shared: copied before use
	delimiters, accents, stretchy, under, arrows, gaps map[string]string
}

var tables = sync.OnceValue(func() *table {
	t := &table{symbols: map[string]*element{}}
	put := func(names string, make func(text string) *element) {
		for name, text := range pairs(names) {
			t.symbols[name] = make(text)
		}
	}
	put(delimiterNames, func(s string) *element { return mo(s).with(` stretchy="false"`) })
	put(letters, mi)
	put(uprightLetters, upright)
	put(operators, func(s string) *element {
		if strings.ContainsAny(s, "→←↔⇒⇐⇔⟶⟵⟷⟹⟸⟺↦⟼↑↓↕⇑⇓⇕∣∥") {
			return mo(s).with(` stretchy="false"`)
		}
		return mo(s)
	})
	put(bigOperators, func(s string) *element { return &element{name: "mo", text: s, limits: movable} })
	put(integrals, mo)
	for _, name := range strings.Fields(functions) {
		t.symbols[name] = &element{name: "mi", text: name, function: true}
	}
	shown := map[string]string{"liminf": "lim inf", "limsup": "lim sup", "injlim": "inj lim", "projlim": "proj lim"}
	for _, name := range strings.Fields(limitFunctions) {
		text := name
		if s, ok := shown[name]; ok {
			text = s
		}
		t.symbols[name] = &element{name: "mo", attrs: functionAttrs, text: text, limits: movable, function: true}
	}
	t.delimiters, t.accents, t.stretchy, t.under, t.arrows, t.gaps = pairs(delimiterNames), pairs(accentNames), pairs(stretchyNames), pairs(underNames), pairs(arrowNames), pairs(spaceNames)
	return t
})

// functionAttrs are those of a function's name that takes limits.
const functionAttrs = ` form="prefix" lspace="0" rspace="0"`

func pairs(text string) map[string]string {
	words := strings.Fields(text)
	m := make(map[string]string, len(words)/2)
	for i := 0; i+1 < len(words); i += 2 {
		m[words[i]] = words[i+1]
	}
	return m
}
