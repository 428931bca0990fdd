package live

import (
	"fmt"
	"html"
	"slices"
	"strings"

	"wb/internal/value"
	"wb/workbook"
)

// panel is the form with which a reader runs a component. It is hidden until
// the runtime shows it: without scripts there is nothing to run.
func (l *Live) panel(it *item) string {
	id := it.print.Component.ID
	slug := "live-" + workbook.Slug(id)
	var fields strings.Builder
	for i, in := range it.print.Inputs {
		fields.WriteString(field(fmt.Sprintf("%s-%d", slug, i), in))
	}
	note := ""
	if len(it.print.Inputs) == 0 {
		note = "<span class=\"live-note\">" + html.EscapeString(fixed(it.print)) + "</span>"
	}
	return fmt.Sprintf(`<section class="live" id="%s" data-live="%s" aria-label="Run %s in this browser" hidden>
<form>
%s<p class="live-bar"><button type="submit" class="live-run">Run</button><button type="button" class="live-stop" disabled>Stop</button><button type="reset" class="live-reset">Reset</button><span class="live-status" role="status"></span>%s</p>
</form>
<div class="live-out" hidden></div>
</section>
`, html.EscapeString(slug), html.EscapeString(id), html.EscapeString(id), fields.String(), note)
}

// fixed says why there is nothing to change.
func fixed(o workbook.Offprint) string {
	if len(o.Component.Args.Vars()) > 0 {
		return "Its variables are part of the program's text, so it runs as it was published."
	}
	return "It takes no inputs and runs as it was published."
}

// field is the form field for an input, by its type.
func field(id string, in workbook.OffprintInput) string {
	t := in.Type
	label := fmt.Sprintf("<label for=\"%s\">%s <span class=\"live-type\">%s</span></label>", id, html.EscapeString(in.Name), html.EscapeString(typeLabel(in, t)))
	kind := fieldKind(in, t)
	common := fmt.Sprintf("id=\"%s\" name=\"%s\" data-kind=\"%s\" spellcheck=\"false\" autocomplete=\"off\"", id, html.EscapeString(in.Name), kind)
	switch kind {
	case "bool":
		checked := ""
		if in.Value.Bool() {
			checked = " checked"
		}
		return fmt.Sprintf("<p class=\"live-field\">%s<input type=\"checkbox\" %s%s></p>\n", label, common, checked)
	case "number":
		return fmt.Sprintf("<p class=\"live-field\">%s<input type=\"text\" inputmode=\"decimal\" %s value=\"%s\"></p>\n", label, common, html.EscapeString(in.Value.String()))
	case "text":
		text := in.Value.Text()
		return fmt.Sprintf("<p class=\"live-field\">%s<textarea rows=\"%d\" %s>\n%s</textarea></p>\n", label, min(12, 1+strings.Count(text, "\n")+len(text)/70), common, html.EscapeString(text))
	case "table":
		return fmt.Sprintf("<div class=\"live-field\">%s<textarea rows=\"%d\" %s>\n%s</textarea></div>\n", label, min(12, 1+len(in.Value.Items())), common, html.EscapeString(tableText(in.Value)))
	}
	text := in.Value.String()
	return fmt.Sprintf("<p class=\"live-field\">%s<textarea rows=\"%d\" %s>\n%s</textarea></p>\n", label, min(8, 1+len(text)/60), common, html.EscapeString(text))
}

// typeLabel names the type of an input for readers.
func typeLabel(in workbook.OffprintInput, t *value.Type) string {
	if t != nil {
		return t.String()
	}
	switch fieldKind(in, nil) {
	case "number":
		return "number"
	case "text":
		return "text"
	case "bool":
		return "true or false"
	case "table":
		return "table"
	}
	return "JSON"
}

var numbers = []value.TypeKind{value.TypeS32, value.TypeS64, value.TypeU32, value.TypeU64, value.TypeF32, value.TypeF64}

// fieldKind is how a value is edited: bool, number, text, table or json.
func fieldKind(in workbook.OffprintInput, t *value.Type) string {
	switch {
	case t != nil && t.Kind == value.TypeBool, t == nil && in.Value.Kind() == value.Bool:
		return "bool"
	case t != nil && slices.Contains(numbers, t.Kind), t == nil && (in.Value.Kind() == value.Int || in.Value.Kind() == value.Float):
		return "number"
	case t != nil && t.Kind == value.TypeString, t == nil && in.Value.Kind() == value.String:
		return "text"
	case in.Value.IsTable() && plainTable(in.Value):
		return "table"
	}
	return "json"
}

// plainTable reports whether a table's cells can stand in rows: numbers and
// texts that are on one line and have no bar in them.
func plainTable(v value.Value) bool {
	for _, row := range v.Items() {
		for _, cell := range row.Items() {
			switch cell.Kind() {
			case value.Int, value.Float, value.Null, value.Bool:
			case value.String:
				if strings.ContainsAny(cell.Text(), "|\n\"") || strings.TrimSpace(cell.Text()) != cell.Text() || looksOther(cell.Text()) {
					return false
				}
			default:
				return false
			}
		}
	}
	return true
}

// looksOther reports whether a text would be read back as something else.
func looksOther(text string) bool {
	v, err := value.ParseJSON([]byte(text))
	return text == "" || err == nil && v.Kind() != value.String
}

// tableText writes a table as org does.
func tableText(v value.Value) string {
	var out strings.Builder
	for _, row := range v.Items() {
		if row.Kind() == value.HLine {
			out.WriteString("|---\n")
			continue
		}
		for _, cell := range row.Items() {
			text := cell.Text()
			if cell.Kind() != value.String {
				text = cell.String()
			}
			out.WriteString("| " + text + " ")
		}
		out.WriteString("|\n")
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// leftOut is the badge of a component that readers cannot run.
func leftOut(why string) string {
	return fmt.Sprintf("<p class=\"live-not\"><span class=\"badge\" title=\"%s\">runs in wb only<span class=\"vh\">: %s</span></span></p>\n", html.EscapeString(why), html.EscapeString(why))
}
