package formula

import (
	"fmt"
	"strings"
)

// environment is how \begin{NAME} sets its rows.
type environment struct {
	open, close string // delimiters around it
	align       string // of the columns in turn: l, c or r; the last ones repeat
	numbered    bool   // its rows have numbers
	single      bool   // one number for all of it
	columns     bool   // the column format follows: array
	display     bool   // cells are in display style
	small       bool
	pairs       bool // columns go in pairs without space: align
}

var environments = map[string]environment{
	"matrix": {align: "c"}, "pmatrix": {open: "(", close: ")", align: "c"}, "bmatrix": {open: "[", close: "]", align: "c"},
	"Bmatrix": {open: "{", close: "}", align: "c"}, "vmatrix": {open: "|", close: "|", align: "c"}, "Vmatrix": {open: "‖", close: "‖", align: "c"},
	"smallmatrix": {align: "c", small: true}, "array": {columns: true}, "subarray": {columns: true, small: true},
	"cases": {open: "{", align: "l"}, "dcases": {open: "{", align: "l", display: true}, "rcases": {close: "}", align: "l"}, "drcases": {close: "}", align: "l", display: true},
	"aligned": {align: "rl", display: true, pairs: true}, "split": {align: "rl", display: true, pairs: true}, "alignedat": {align: "rl", display: true, pairs: true, columns: true},
	"gathered": {align: "c", display: true},
	"align":    {align: "rl", display: true, pairs: true, numbered: true}, "alignat": {align: "rl", display: true, pairs: true, numbered: true, columns: true},
	"flalign": {align: "rl", display: true, pairs: true, numbered: true}, "eqnarray": {align: "rcl", display: true, numbered: true},
	"gather": {align: "c", display: true, numbered: true}, "multline": {align: "c", display: true, numbered: true, single: true},
	"equation": {align: "c", display: true, numbered: true, single: true},
	"math":     {align: "c"}, "displaymath": {align: "c", display: true},
}

// environment reads \begin{NAME} … \end{NAME}.
func (p *parser) environment(t token) (*element, error) {
	name, err := p.text()
	if err != nil {
		return nil, err
	}
	bare, starred := strings.CutSuffix(name, "*")
	env, ok := environments[bare]
	if !ok {
		return nil, &Error{Offset: t.offset, Message: "unknown environment " + name, Hint: "mathematics has align, cases, matrix and others; see docs/publishing.org"}
	}
	env.numbered = env.numbered && !starred
	lines := ""
	if env.columns || starred && strings.HasSuffix(bare, "matrix") {
		if lines, err = p.columns(&env, bare); err != nil {
			return nil, err
		}
	} else if _, _, err := p.bracketed(); err != nil { // \begin{aligned}[t]
		return nil, err
	}
	rows, err := p.rows(t, name, env)
	if err != nil {
		return nil, err
	}
	if bare == "equation" || bare == "displaymath" || bare == "math" {
		return p.alone(rows, env), nil
	}
	return env.frame(p.table(rows, env, lines, bare)), nil
}

// columns reads the format of an array; lines are "solid" or "none" between
// its columns.
func (p *parser) columns(env *environment, name string) (lines string, err error) {
	if strings.HasPrefix(name, "align") { // the number of pairs
		_, err := p.text()
		return "", err
	}
	format := ""
	if strings.HasSuffix(name, "matrix") {
		tokens, ok, err := p.bracketed()
		if err != nil {
			return "", err
		}
		if ok {
			format = plain(tokens)
		}
	} else {
		if _, _, err := p.bracketed(); err != nil {
			return "", err
		}
		if format, err = p.text(); err != nil {
			return "", err
		}
	}
	env.align = ""
	for _, c := range format {
		switch c {
		case 'l', 'c', 'r':
			env.align += string(c)
		case '|':
			lines += fmt.Sprintf("%d ", len(env.align))
		}
	}
	if env.align == "" {
		env.align = "c"
	}
	return lines, nil
}

// line is one row of an environment.
type line struct {
	cells     [][]*element
	tag, id   string
	ruleAbove bool
}

// rows reads cells up to \end{name}.
func (p *parser) rows(begin token, name string, env environment) ([]line, error) {
	var all []line
	current := line{}
	if env.numbered {
		p.label, p.rowTag, p.noTag = "", "", false
	}
	finish := func() {
		if env.numbered && !env.single {
			p.number(&current)
		}
		all = append(all, current)
		current = line{}
	}
	for {
		for p.peek().isCommand("hline") || p.peek().isCommand("hdashline") || p.peek().isCommand("toprule") || p.peek().isCommand("midrule") || p.peek().isCommand("bottomrule") {
			p.next()
			current.ruleAbove = true
		}
		cell, err := p.list(func(t token) bool {
			return t.is("&") || t.isCommand("\\") || t.isCommand("cr") || t.isCommand("tabularnewline") || t.isCommand("end") || t.isCommand("hline") || t.kind == end
		})
		if err != nil {
			return nil, err
		}
		current.cells = append(current.cells, cell)
		t := p.next()
		switch {
		case t.kind == end:
			return nil, p.errorAt(begin, `\begin{`+name+`} has no \end`)
		case t.is("&"):
		case t.isCommand("end"):
			closing, err := p.text()
			if err != nil {
				return nil, err
			}
			if closing != name {
				return nil, p.errorAt(t, fmt.Sprintf(`\end{%s} closes \begin{%s}`, closing, name))
			}
			if len(current.cells) > 1 || len(current.cells[0]) > 0 || len(all) == 0 {
				finish()
			} else if current.ruleAbove {
				all = append(all, current)
			}
			return all, nil
		default:
			p.skip("*")
			if _, _, err := p.bracketed(); err != nil { // \\[1ex]
				return nil, err
			}
			finish()
		}
	}
}

// number gives a row its number and its label.
func (p *parser) number(l *line) {
	switch {
	case p.rowTag != "":
		l.tag = p.rowTag
	case !p.noTag && p.numbers != nil:
		l.tag = p.numbers.next()
	}
	if p.first == "" {
		p.first = l.tag
	}
	if p.label != "" {
		id := ID(p.label)
		if p.numbers != nil {
			p.numbers.name(Label{Name: p.label, ID: id, Tag: l.tag})
		}
		if p.numbers.take(id) {
			l.id = id
		}
	}
	p.label, p.rowTag, p.noTag = "", "", false
}

// alone is an equation: its one row without a table, its number beside it.
func (p *parser) alone(rows []line, env environment) *element {
	var body []*element
	for i, r := range rows {
		if i > 0 {
			body = append(body, space("1em"))
		}
		for _, c := range r.cells {
			body = append(body, c...)
		}
	}
	p.setNumber(env)
	return row(body)
}

// setNumber gives a whole environment its number.
func (p *parser) setNumber(env environment) {
	if !env.numbered && p.rowTag == "" {
		return
	}
	var l line
	p.number(&l)
	p.tag, p.id = l.tag, l.id
}

// table makes a matrix of rows.
func (p *parser) table(rows []line, env environment, lines, name string) *element {
	if env.single {
		p.setNumber(env)
	}
	width, tags := 0, 0
	for _, r := range rows {
		width = max(width, len(r.cells))
		if r.tag != "" {
			tags++
		}
	}
	if env.numbered && tags == 1 && len(rows) == 1 { // one number stands beside the formula
		p.tag, p.id = rows[0].tag, rows[0].id
		rows[0].tag, rows[0].id, tags = "", "", 0
	}
	table := node("mtable")
	if env.display {
		table.attrs += ` displaystyle="true"`
	}
	if tags > 0 {
		table.attrs += ` class="numbered"`
	}
	for i, r := range rows {
		tr := node("mtr")
		if r.id != "" {
			tr.attrs = ` id="` + r.id + `"`
		}
		if len(r.cells) == 0 && r.ruleAbove { // a rule below the last row
			for _, td := range table.kids[len(table.kids)-1].kids {
				td.attrs = addStyle(td.attrs, "border-bottom:1px solid")
			}
			continue
		}
		for c := range width {
			td := node("mtd")
			if c < len(r.cells) {
				td.kids = r.cells[c]
			}
			td.attrs = cellStyle(env, c, i, r.ruleAbove, lines, name == "multline", len(rows))
			tr.kids = append(tr.kids, td)
		}
		if tags > 0 {
			tag := node("mtd").with(` class="eqno"`)
			if r.tag != "" {
				tag.kids = []*element{{name: "mtext", text: "(" + r.tag + ")"}}
			}
			tr.kids = append(tr.kids, tag)
		}
		table.kids = append(table.kids, tr)
	}
	if env.small {
		return node("mstyle", table).with(` scriptlevel="1"`)
	}
	return table
}

func cellStyle(env environment, column, row int, rule bool, lines string, multline bool, rows int) string {
	at := min(column, len(env.align)-1)
	if env.pairs || len(env.align) > 1 && column >= len(env.align) {
		at = column % len(env.align)
	}
	attrs := ""
	align := env.align[at]
	if multline && rows > 1 {
		align = map[bool]byte{true: 'l', false: 'c'}[row == 0]
		if row == rows-1 {
			align = 'r'
		}
	}
	switch align {
	case 'l':
		attrs = addStyle(attrs, "text-align:left")
	case 'r':
		attrs = addStyle(attrs, "text-align:right")
	}
	if env.pairs {
		if column%2 == 0 {
			attrs = addStyle(attrs, "padding-right:0")
		} else {
			attrs = addStyle(attrs, "padding-left:0")
		}
	}
	if strings.Contains(" "+lines, fmt.Sprintf(" %d ", column)) {
		attrs = addStyle(attrs, "border-left:1px solid")
	}
	if strings.Contains(" "+lines, fmt.Sprintf(" %d ", column+1)) && column == len(env.align)-1 {
		attrs = addStyle(attrs, "border-right:1px solid")
	}
	if rule {
		attrs = addStyle(attrs, "border-top:1px solid")
	}
	return attrs
}

func addStyle(attrs, css string) string {
	if before, ok := strings.CutSuffix(attrs, `"`); ok {
		return before + ";" + css + `"`
	}
	return ` style="` + css + `"`
}

// frame puts an environment's delimiters around its table.
func (env environment) frame(table *element) *element {
	if env.open == "" && env.close == "" {
		return table
	}
	r := node("mrow")
	if env.open != "" {
		r.kids = append(r.kids, fence(env.open, "prefix"))
	}
	r.kids = append(r.kids, table)
	if env.close != "" {
		r.kids = append(r.kids, fence(env.close, "postfix"))
	}
	return r
}

// substack is rows in a script.
func (p *parser) substack(t token) (*element, error) {
	tokens, err := p.group()
	if err != nil {
		return nil, err
	}
	table := node("mtable").with(` rowspacing="0.1em"`)
	for start := 0; start <= len(tokens); {
		stop := start
		for depth := 0; stop < len(tokens) && !(depth == 0 && tokens[stop].isCommand("\\")); stop++ {
			switch {
			case tokens[stop].is("{"):
				depth++
			case tokens[stop].is("}"):
				depth--
			}
		}
		body, err := p.inside(tokens[start:stop])
		if err != nil {
			return nil, err
		}
		table.kids = append(table.kids, node("mtr", node("mtd", body...)))
		start = stop + 1
	}
	return table, nil
}

func (p *parser) setLabel(t token) (*element, error) {
	name, err := p.text()
	if err != nil {
		return nil, err
	}
	p.label = strings.TrimSpace(name)
	return nil, nil
}

func (p *parser) setTag(t token) (*element, error) {
	p.skip("*")
	text, err := p.text()
	p.rowTag = text
	return nil, err
}

func (p *parser) noNumber(token) (*element, error) {
	p.noTag = true
	return nil, nil
}

// ref is \ref and \eqref inside a formula.
func (p *parser) ref(t token) (*element, error) {
	name, err := p.text()
	if err != nil {
		return nil, err
	}
	l, ok := p.numbers.Label(name)
	if !ok && (p.numbers == nil || !p.numbers.scanning) {
		return nil, p.errorAt(t, fmt.Sprintf("no equation has the label %s", name))
	}
	text := l.Tag
	if t.text == "eqref" {
		text = "(" + text + ")"
	}
	return &element{name: "mtext", text: text}, nil
}

// styleSwitches hold to the end of the group.
var styleSwitches = map[string]string{"displaystyle": ` displaystyle="true" scriptlevel="0"`, "textstyle": ` displaystyle="false" scriptlevel="0"`,
	"scriptstyle": ` displaystyle="false" scriptlevel="1"`, "scriptscriptstyle": ` displaystyle="false" scriptlevel="2"`}
