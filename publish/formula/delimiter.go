package formula

// delimiter reads what may follow \left, \right and \big; "" for a dot.
func (p *parser) delimiter(after token) (string, error) {
	t := p.next()
	if t.kind == command {
		if s, ok := tables().delimiters[t.text]; ok {
			return s, nil
		}
		return "", p.errorAt(after, "\\"+after.text+" needs a delimiter, not \\"+t.text)
	}
	switch t.text {
	case ".":
		return "", nil
	case "<":
		return "⟨", nil
	case ">":
		return "⟩", nil
	case "(", ")", "[", "]", "|", "/":
		return t.text, nil
	}
	return "", p.errorAt(after, "\\"+after.text+" needs a delimiter")
}

// fence is a delimiter that grows with what it encloses.
func fence(text, form string) *element {
	return mo(text).with(` fence="true" form="` + form + `" stretchy="true"`)
}

func fenced(open string, body *element, close string) *element {
	return node("mrow", fence(open, "prefix"), body, fence(close, "postfix"))
}

// left reads up to the matching \right.
func (p *parser) left(t token) (*element, error) {
	open, err := p.delimiter(t)
	if err != nil {
		return nil, err
	}
	var kids []*element
	if open != "" {
		kids = append(kids, fence(open, "prefix"))
	}
	for {
		body, err := p.list(func(t token) bool { return t.isCommand("right") || t.isCommand("middle") || t.kind == end })
		if err != nil {
			return nil, err
		}
		kids = append(kids, body...)
		by := p.next()
		if by.kind == end {
			return nil, p.errorAt(t, `\left has no \right`)
		}
		text, err := p.delimiter(by)
		if err != nil {
			return nil, err
		}
		if by.text == "right" {
			if text != "" {
				kids = append(kids, fence(text, "postfix"))
			}
			return node("mrow", kids...), nil
		}
		if text != "" {
			kids = append(kids, mo(text).with(` fence="true" form="infix" stretchy="true" lspace="0.2222em" rspace="0.2222em"`))
		}
	}
}

// delimiterSizes are \big and its kin, with and without l, r and m.
var delimiterSizes = map[string]string{"big": "1.2em", "Big": "1.8em", "bigg": "2.4em", "Bigg": "3em"}

func (p *parser) sized(t token, size string) (*element, error) {
	text, err := p.delimiter(t)
	if err != nil {
		return nil, err
	}
	if text == "" {
		return nil, nil
	}
	form := ""
	switch t.text[len(t.text)-1] {
	case 'l':
		form = ` form="prefix"`
	case 'r':
		form = ` form="postfix"`
	}
	return mo(text).with(form + ` stretchy="true" minsize="` + size + `" maxsize="` + size + `"`), nil
}
