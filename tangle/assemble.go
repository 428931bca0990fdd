package tangle

import (
	"strings"

	"wb/tangle/babel"
)

// assemble concatenates the parts of one file.
func (p *planner) assemble(target *destination) (File, error) {
	file := File{Path: target.path}
	var out strings.Builder
	var comments babel.Comments // of the editing mode in force
	hasComments, started, shebang := false, false, false
	language := ""
	for _, part := range target.parts {
		if name := part.block.Lang.Text; !started || name != language {
			language = name
			if mode, ok := babel.Mode(name); ok {
				comments, hasComments = babel.Comment(mode)
			}
			started = true
		}
		if part.hasMode && file.Mode == 0 { // the first block that sets one decides
			file.Mode = fileMode(part.mode)
		}
		file.Mkdir = file.Mkdir || part.makesDirs
		if part.padding && out.Len() > 0 {
			out.WriteByte('\n')
		}
		if part.shebang != "" && !shebang {
			out.WriteString(part.shebang)
			out.WriteByte('\n')
			shebang = true
		}
		comment := func(text string) error {
			if part.comments == "" || part.comments == "no" || strings.Trim(text, " \t\n\r") == "" {
				return nil
			}
			if !hasComments {
				return p.commentError(part.block)
			}
			out.WriteString(comments.Region(text))
			out.WriteByte('\n')
			return nil
		}
		linked := part.comments == "both" || part.comments == "link" || part.comments == "yes" || part.comments == "noweb"
		if err := comment(part.prose); err != nil {
			return file, err
		}
		if linked {
			if err := comment(part.data.open()); err != nil {
				return file, err
			}
		}
		file.Sections = append(file.Sections, p.section(part, out.Len()))
		out.WriteString(part.body)
		out.WriteByte('\n')
		if linked {
			if err := comment(part.data.end()); err != nil {
				return file, err
			}
		}
	}
	file.Content = []byte(out.String())
	return file, nil
}

func (p *planner) section(part part, start int) Section {
	b := part.block
	line, _ := p.doc.Position(b.Begin.Start)
	return Section{
		Name: b.Name().Text, Heading: b.heading.title, Number: b.number, Lang: b.Lang.Text,
		Line: line, Start: start, End: start + len(part.body), Verbatim: part.verbatim, marks: part.marks,
	}
}

func (p *planner) commentError(b *block) error {
	offset := b.Begin.Start
	if arg, ok := p.argsOf(b).Get(":comments"); ok {
		offset = arg.At.Start
	}
	err := p.at.errorf(offset, nil, "no comment syntax is known for %q", b.Lang.Text)
	err.Advice = "write :comments no on this block"
	return err
}
