package page

import (
	"context"
	"strings"

	"wb/internal/diag"
	"wb/org"
	"wb/workbook"
)

// prepared is a document as its readers are to see it, parsed.
type prepared struct {
	text  *text
	doc   *org.Document
	plan  *workbook.Plan // of what the author wrote, without includes
	found []diag.Finding
}

// prepare carries out includes, macros and :exports, in the order that ox has.
func prepare(ctx context.Context, file string, src []byte, from source, lisp Lisp) (*prepared, error) {
	written := &origin{name: file, src: clean(src)}
	p := &prepared{plan: workbook.NewPlan(file, []byte(written.src))}
	includes := &includer{source: from}
	t := includes.expand(newText(written), []string{baseName(file)})
	expander := &macros{file: file, all: true, lisp: lisp}
	t = expander.expand(ctx, t)
	plan := p.plan
	if t.data != written.src {
		plan = workbook.NewPlan(file, []byte(t.data))
	}
	edits := workbook.Exports(ctx, plan)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p.doc = plan.Document()
	if len(edits) > 0 || strings.Contains(t.data, "{{{results(") {
		t = (&macros{}).expand(ctx, t.edited(edits))
		p.doc = org.Parse([]byte(t.data))
	}
	p.text = t
	p.found = append(includes.found, expander.found...)
	return p, nil
}
