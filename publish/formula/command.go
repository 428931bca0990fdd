package formula

import (
	"fmt"
	"html"
	"maps"
	"regexp"
	"slices"
	"strings"

	"wb/internal/lazyregexp"
	"wb/internal/nearest"
)

// command parses what a control sequence stands for; its token has been taken.
func (p *parser) command(t token) (*element, error) {
	tables := tables()
	name := t.text
	if s, ok := tables.symbols[name]; ok {
		e := *s
		if e.name == "mi" {
			e.text = p.alphabet.write(e.text)
		}
		return &e, nil
	}
	if width, ok := tables.gaps[name]; ok {
		return space(width), nil
	}
	if a, ok := alphabetCommands[name]; ok {
		return p.inAlphabet(a)
	}
	if mark, ok := tables.accents[name]; ok {
		return p.over(mark, ` accent="true"`, ` stretchy="false"`)
	}
	if mark, ok := tables.stretchy[name]; ok {
		return p.over(mark, "", ` stretchy="true"`)
	}
	if mark, ok := tables.under[name]; ok {
		body, err := p.argument()
		if err != nil {
			return nil, err
		}
		return &element{name: "munder", kids: []*element{body, mo(mark).with(` stretchy="true"`)}, limits: withLimits}, nil
	}
	if arrow, ok := tables.arrows[name]; ok {
		return p.arrow(arrow)
	}
	if text, ok := textAlphabets[name]; ok {
		return p.words(text)
	}
	if size, ok := delimiterSizes[strings.TrimRight(name, "lrm")]; ok {
		return p.sized(t, size)
	}
	if definitions[name] {
		return nil, p.define(t)
	}
	if f, ok := commands[name]; ok {
		return f(p, t)
	}
	return nil, p.unknown(t)
}

// rule parses what a command stands for.
type rule = func(*parser, token) (*element, error)

// commands have rules of their own.
var commands map[string]rule

func init() { // refers to itself through the parser
	commands = map[string]rule{
		"frac": fraction(""), "dfrac": fraction(` displaystyle="true"`), "tfrac": fraction(` displaystyle="false"`), "cfrac": fraction(` displaystyle="true"`),
		"binom": binomial(""), "dbinom": binomial(` displaystyle="true"`), "tbinom": binomial(` displaystyle="false"`),
		"sqrt": (*parser).root, "left": (*parser).left, "right": stray, "middle": stray, "begin": (*parser).environment, "end": stray,
		"operatorname": (*parser).operatorName, "operatorname*": (*parser).operatorName, "mathop": of(operator),
		"mathrel": classed(` form="infix" lspace="0.2778em" rspace="0.2778em"`), "mathbin": classed(` form="infix" lspace="0.2222em" rspace="0.2222em"`),
		"mathord": (*parser).plainGroup, "mathopen": (*parser).plainGroup, "mathclose": (*parser).plainGroup, "mathpunct": (*parser).plainGroup, "mathinner": (*parser).plainGroup, "mathstrut": nothing,
		"overset": ofTwo(overset), "stackrel": ofTwo(overset), "underset": ofTwo(underset), "substack": (*parser).substack,
		"not": (*parser).not, "phantom": phantom(""), "hphantom": phantom(` height="0" depth="0"`), "vphantom": phantom(` width="0"`), "smash": afterOption(of(smash)),
		"boxed": decorated("boxed"), "cancel": decorated("cancel"), "bcancel": decorated("bcancel"), "xcancel": decorated("xcancel"), "sout": decorated("cancel"), "fbox": decorated("boxed"),
		"color": (*parser).color, "textcolor": (*parser).colored,
		"hspace": (*parser).hspace, "mspace": (*parser).hspace, "hskip": (*parser).hspace, "mskip": (*parser).hspace, "kern": (*parser).hspace, "mkern": (*parser).hspace, "rule": (*parser).rule,
		"label": (*parser).setLabel, "tag": (*parser).setTag, "notag": (*parser).noNumber, "nonumber": (*parser).noNumber,
		"ref": (*parser).ref, "eqref": (*parser).ref, "bmod": bmod, "mod": (*parser).mod, "pmod": (*parser).mod, "pod": (*parser).mod,
		"limits": misplaced, "nolimits": misplaced, "displaylimits": nothing, "allowbreak": nothing, "nobreak": nothing, "protect": nothing, "relax": nothing, "hfill": nothing,
		"null": nothing, "hline": misplaced, "cr": misplaced, "\\": (*parser).lineBreak, "newline": (*parser).lineBreak,
		"varlimsup": decoratedLimit("‾", false), "varliminf": decoratedLimit("_", true), "varinjlim": decoratedLimit("→", true), "varprojlim": decoratedLimit("←", true),
		"TeX": word("TeX"), "LaTeX": word("LaTeX"), " ": gap("0.3333em"), "-": nothing, "/": nothing,
		"bra": bracket("⟨", "|"), "ket": bracket("|", "⟩"), "braket": bracket("⟨", "⟩"), "abs": bracket("|", "|"), "norm": bracket("‖", "‖"), "set": bracket("{", "}"),
		"prescript": (*parser).prescript, "dd": word("d"),
	}
}

// unknown says what a command may have been meant to be.
func (p *parser) unknown(t token) error {
	err := p.errorAt(t, "unknown command \\"+t.text)
	if near := p.nearest(t.text); near != "" {
		err.Hint = "did you mean \\" + near + "?"
	}
	return err
}

func (p *parser) nearest(name string) string {
	all := slices.Collect(maps.Keys(tables().symbols))
	all = slices.AppendSeq(all, maps.Keys(commands))
	all = slices.AppendSeq(all, maps.Keys(p.macros.defined))
	all = slices.AppendSeq(all, maps.Keys(alphabetCommands))
	all = slices.AppendSeq(all, maps.Keys(tables().accents))
	all = slices.AppendSeq(all, maps.Keys(tables().stretchy))
	slices.Sort(all)
	best, bound := "", len(name)/2
	for _, candidate := range all {
		if d := nearest.Distance(name, candidate); d <= bound && len(candidate) > 1 {
			best, bound = candidate, d-1
		}
	}
	return best
}

func stray(p *parser, t token) (*element, error) {
	return nil, p.errorAt(t, "\\"+t.text+" closes nothing")
}
func misplaced(p *parser, t token) (*element, error) {
	return nil, p.errorAt(t, "\\"+t.text+" does not belong here")
}
func nothing(*parser, token) (*element, error) { return nil, nil }

// of is a command with one argument.
func of(f func(*element) *element) rule {
	return func(p *parser, _ token) (*element, error) {
		body, err := p.argument()
		if err != nil {
			return nil, err
		}
		return f(body), nil
	}
}

// ofTwo is a command with two arguments.
func ofTwo(f func(first, second *element) *element) rule {
	return func(p *parser, _ token) (*element, error) {
		first, second, err := p.two()
		if err != nil {
			return nil, err
		}
		return f(first, second), nil
	}
}

// afterOption leaves out an [option] before a command's arguments.
func afterOption(f rule) rule {
	return func(p *parser, t token) (*element, error) {
		if _, _, err := p.bracketed(); err != nil {
			return nil, err
		}
		return f(p, t)
	}
}

func word(text string) rule {
	return func(*parser, token) (*element, error) { return upright(text), nil }
}
func gap(width string) rule {
	return func(*parser, token) (*element, error) { return space(width), nil }
}

func (p *parser) plainGroup(token) (*element, error) { return p.argument() }

// lineBreak outside an environment has no meaning in MathML Core; LaTeX lets
// it pass in display formulas.
func (p *parser) lineBreak(token) (*element, error) {
	if _, _, err := p.bracketed(); err != nil {
		return nil, err
	}
	return space("1em"), nil
}

func fraction(style string) rule {
	return afterOption(ofTwo(func(above, below *element) *element { // \cfrac[l]
		f := node("mfrac", above, below)
		if style != "" {
			return node("mstyle", f).with(style + ` scriptlevel="0"`)
		}
		return f
	}))
}

func (p *parser) two() (first, second *element, err error) {
	if first, err = p.argument(); err != nil {
		return nil, nil, err
	}
	second, err = p.argument()
	return first, second, err
}

func binomial(style string) rule {
	return ofTwo(func(above, below *element) *element {
		b := fenced("(", node("mfrac", above, below).with(` linethickness="0"`), ")")
		if style != "" {
			return node("mstyle", b).with(style)
		}
		return b
	})
}

func (p *parser) root(token) (*element, error) {
	index, indexed, err := p.bracketed()
	if err != nil {
		return nil, err
	}
	body, err := p.argument()
	if err != nil {
		return nil, err
	}
	if !indexed {
		return node("msqrt", body), nil
	}
	degree, err := p.inside(index)
	if err != nil {
		return nil, err
	}
	return node("mroot", body, row(degree)), nil
}

// over puts an accent or a line over an argument.
func (p *parser) over(mark, attrs, markAttrs string) (*element, error) {
	body, err := p.argument()
	if err != nil {
		return nil, err
	}
	e := node("mover", body, mo(mark).with(markAttrs)).with(attrs)
	if strings.ContainsAny(mark, "⏞⎴⏜") {
		e.limits = withLimits
	}
	return e, nil
}

func (p *parser) arrow(arrow string) (*element, error) {
	below, hasBelow, err := p.bracketed()
	if err != nil {
		return nil, err
	}
	above, err := p.argument()
	if err != nil {
		return nil, err
	}
	pad := func(e *element) *element { return node("mpadded", e).with(` lspace="0.3em" width="+0.6em"`) }
	base := mo(arrow).with(` stretchy="true"`)
	if !hasBelow {
		return node("mover", base, pad(above)), nil
	}
	under, err := p.inside(below)
	if err != nil {
		return nil, err
	}
	return node("munderover", base, pad(row(under)), pad(above)), nil
}

// textAlphabets set their argument as text.
var textAlphabets = map[string]string{"text": "", "textrm": "", "textnormal": "", "mbox": "", "hbox": "", "textup": "", "intertext": "",
	"textbf": "bold", "textit": "italic", "emph": "italic", "textsf": "sans", "texttt": "mono"}

var textStyles = map[string]string{"bold": "font-weight:bold", "italic": "font-style:italic", "sans": "font-family:sans-serif", "mono": "font-family:monospace"}

// words are text; $…$ in it is a formula again.
func (p *parser) words(style string) (*element, error) {
	tokens, err := p.group()
	if err != nil {
		return nil, err
	}
	attrs := ""
	if css, ok := textStyles[style]; ok {
		attrs = ` style="` + css + `"`
	}
	var parts []*element
	trailing := p.tokens[p.at-1].spaced
	for len(tokens) > 0 {
		at := slices.IndexFunc(tokens, func(t token) bool { return t.is("$") })
		if at < 0 {
			at = len(tokens)
		}
		if at > 0 {
			spaced := trailing
			if at < len(tokens) {
				spaced = tokens[at].spaced
			}
			parts = append(parts, mtext(tokens[:at], spaced, attrs))
		}
		if at == len(tokens) {
			break
		}
		open := tokens[at]
		tokens = tokens[at+1:]
		close := slices.IndexFunc(tokens, func(t token) bool { return t.is("$") })
		if close < 0 {
			return nil, p.errorAt(open, "$ is not closed")
		}
		inner, err := p.inside(tokens[:close])
		if err != nil {
			return nil, err
		}
		parts = append(parts, row(inner))
		tokens = tokens[close+1:]
	}
	return row(parts), nil
}

// mtext keeps the blanks at both ends, which MathML would drop.
func mtext(tokens []token, trailing bool, attrs string) *element {
	text := plain(tokens)
	if tokens[0].spaced {
		text = "\u00a0" + text
	}
	if trailing {
		text += "\u00a0"
	}
	return &element{name: "mtext", attrs: attrs, text: text}
}

func (p *parser) operatorName(t token) (*element, error) {
	star := p.skip("*") || t.text == "operatorname*"
	body, err := p.inAlphabet(roman)
	if err != nil {
		return nil, err
	}
	e := &element{name: "mo", attrs: functionAttrs, text: textOf(body), function: true}
	if star {
		e.limits = movable
	}
	return e, nil
}

// textOf is the text of an element without its structure.
func textOf(e *element) string {
	text := e.text
	if e.name == "mspace" {
		text = " "
	}
	for _, k := range e.kids {
		text += textOf(k)
	}
	return text
}

// operator sets its limits as those of a sum.
func operator(body *element) *element {
	if body.name == "mrow" {
		body = &element{name: "mrow", kids: body.kids}
	}
	body.limits = movable
	return body
}

// classed sets an argument with the space of a relation or an operator.
func classed(attrs string) rule {
	return of(func(body *element) *element { return mo(textOf(body)).with(attrs) })
}

func overset(above, base *element) *element  { return node("mover", base, above) }
func underset(below, base *element) *element { return node("munder", base, below) }

// not strikes the next sign through.
func (p *parser) not(t token) (*element, error) {
	e, err := p.atom()
	if err != nil {
		return nil, err
	}
	if e == nil || e.text == "" {
		return nil, p.errorAt(t, `\not needs a sign`)
	}
	if whole, ok := negated[e.text]; ok {
		return mo(whole), nil
	}
	e.text += "\u0338"
	return e, nil
}

var negated = map[string]string{"=": "≠", "∈": "∉", "∋": "∌", "<": "≮", ">": "≯", "≤": "≰", "≥": "≱", "∼": "≁", "≃": "≄", "≅": "≇", "≈": "≉", "≡": "≢",
	"⊂": "⊄", "⊃": "⊅", "⊆": "⊈", "⊇": "⊉", "∣": "∤", "∥": "∦", "⊢": "⊬", "⊨": "⊭", "→": "↛", "←": "↚", "⇒": "⇏", "⇐": "⇍", "⇔": "⇎", "∃": "∄"}

func phantom(attrs string) rule {
	return of(func(body *element) *element {
		e := node("mphantom", body)
		if attrs != "" {
			return node("mpadded", e).with(attrs)
		}
		return e
	})
}

func smash(body *element) *element { return node("mpadded", body).with(` height="0" depth="0"`) }

// decorated leaves a frame or a stroke to the style sheet.
func decorated(class string) rule {
	return of(func(body *element) *element { return node("mrow", body).with(` class="` + class + `"`) })
}

func decoratedLimit(mark string, below bool) rule {
	return func(*parser, token) (*element, error) {
		name := "mover"
		if below {
			name = "munder"
		}
		e := node(name, upright("lim"), mo(mark).with(` stretchy="true"`))
		e.limits = movable
		return e, nil
	}
}

var colorName = lazyregexp.New(`^(?:[a-zA-Z]{1,20}|#(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6}))$`)

func (p *parser) colorOf(t token) (string, error) {
	if _, _, err := p.bracketed(); err != nil {
		return "", err
	}
	name, err := p.text()
	if err != nil {
		return "", err
	}
	if !colorName.MatchString(name) {
		return "", p.errorAt(t, fmt.Sprintf("%q is not a color", name))
	}
	return ` mathcolor="` + html.EscapeString(name) + `"`, nil
}

// color holds to the end of the group, textcolor for one argument.
func (p *parser) color(t token) (*element, error) {
	attr, err := p.colorOf(t)
	if err != nil {
		return nil, err
	}
	rest, err := p.list(func(t token) bool {
		return t.kind == end || t.is("&") || t.isCommand("\\") || t.isCommand("right") || t.isCommand("end")
	})
	if err != nil {
		return nil, err
	}
	return node("mstyle", rest...).with(attr), nil
}

func (p *parser) colored(t token) (*element, error) {
	attr, err := p.colorOf(t)
	if err != nil {
		return nil, err
	}
	body, err := p.argument()
	if err != nil {
		return nil, err
	}
	return node("mstyle", body).with(attr), nil
}

var lengthForm = regexp.MustCompile(`^(-?[0-9]*\.?[0-9]+) ?(mu|em|ex|pt|px|cm|mm|in|pc)`)

// length reads 1em, {1em} or 3mu.
func (p *parser) length(t token) (string, error) {
	text := ""
	if p.peek().is("{") {
		var err error
		if text, err = p.text(); err != nil {
			return "", err
		}
	} else {
		for n := p.peek(); n.kind == char && len(n.text) == 1 && len(text) < 12 && !lengthForm.MatchString(text); n = p.peek() {
			text += p.next().text
		}
	}
	m := lengthForm.FindStringSubmatch(text)
	if m == nil {
		return "", p.errorAt(t, fmt.Sprintf("%q is not a length", text))
	}
	if m[2] == "mu" { // an eighteenth of an em
		var n float64
		fmt.Sscan(m[1], &n)
		return fmt.Sprintf("%.4gem", n/18), nil
	}
	return m[1] + m[2], nil
}

func (p *parser) hspace(t token) (*element, error) {
	p.skip("*")
	width, err := p.length(t)
	if err != nil {
		return nil, err
	}
	return space(width), nil
}

func (p *parser) rule(t token) (*element, error) {
	if _, _, err := p.bracketed(); err != nil {
		return nil, err
	}
	width, err := p.length(t)
	if err != nil {
		return nil, err
	}
	height, err := p.length(t)
	if err != nil {
		return nil, err
	}
	return space(width).with(` height="` + height + `" mathbackground="currentcolor"`), nil
}

func bmod(*parser, token) (*element, error) {
	return mo("mod").with(` form="infix" lspace="0.2222em" rspace="0.2222em"`), nil
}

// mod is \mod, \pmod and \pod: a remark behind a congruence.
func (p *parser) mod(t token) (*element, error) {
	body, err := p.argument()
	if err != nil {
		return nil, err
	}
	name := []*element{upright("mod"), space("0.3333em")}
	switch t.text {
	case "pod":
		name = nil
		fallthrough
	case "pmod":
		kids := append([]*element{space("1em"), mo("(").with(` stretchy="false"`)}, name...)
		return node("mrow", append(kids, body, mo(")").with(` stretchy="false"`))...), nil
	}
	return node("mrow", append(append([]*element{space("1em")}, name...), body)...), nil
}

func bracket(open, close string) rule {
	return func(p *parser, _ token) (*element, error) {
		p.skip("*")
		body, err := p.argument()
		if err != nil {
			return nil, err
		}
		return fenced(open, body, close), nil
	}
}

// prescript is \prescript{a}{b}{X}.
func (p *parser) prescript(token) (*element, error) {
	sup, sub, err := p.two()
	if err != nil {
		return nil, err
	}
	base, err := p.argument()
	if err != nil {
		return nil, err
	}
	return node("mmultiscripts", base, node("mprescripts"), sub, sup), nil
}
