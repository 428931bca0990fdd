package org

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/tools/txtar"
)

// TestConfirmEmacs compares this package with Emacs itself, element by
// element and object by object, on the golden documents and on every org file
// below the directories in WB_ORG_CORPUS (colon-separated). It needs emacs and
// the lisp directory of Org 9.8 in WB_ORG_LISP.
func TestConfirmEmacs(t *testing.T) {
	lisp := os.Getenv("WB_ORG_LISP")
	if lisp == "" {
		t.Skip("set WB_ORG_LISP to the lisp directory of Org 9.8 to compare with Emacs")
	}
	if _, err := exec.LookPath("emacs"); err != nil {
		t.Skip("no emacs: apt-get install emacs-nox")
	}
	files := goldenDocuments(t)
	for _, dir := range filepath.SplitList(os.Getenv("WB_ORG_CORPUS")) {
		files = append(files, orgFiles(t, dir)...)
	}
	for len(files) > 0 {
		n := min(len(files), 100)
		confirm(t, lisp, files[:n])
		files = files[n:]
	}
}

// goldenDocuments writes the org files of the golden archives to files.
func goldenDocuments(t *testing.T) []string {
	archives, err := filepath.Glob("testdata/tree/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var files []string
	for _, archive := range archives {
		a, err := txtar.ParseFile(archive)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			if !strings.HasSuffix(f.Name, ".org") {
				continue
			}
			name := filepath.Join(dir, strings.TrimSuffix(filepath.Base(archive), ".txtar")+"-"+f.Name)
			if err := os.WriteFile(name, f.Data, 0o644); err != nil {
				t.Fatal(err)
			}
			files = append(files, name)
		}
	}
	return files
}

func confirm(t *testing.T, lisp string, files []string) {
	args := append([]string{"-Q", "--batch", "-L", lisp, "-l", "testdata/oracle.el"}, files...)
	cmd := exec.Command("emacs", args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("emacs: %v", err)
	}
	bad, lines := 0, 0
	for _, part := range strings.Split("\n"+string(out), "\nfile ")[1:] {
		name, want, _ := strings.Cut(part, "\n")
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !utf8.Valid(src) || bytes.Contains(src, []byte("\r\n")) {
			continue // the oracle reads bytes; see TestLineEndings for CRLF
		}
		got := dump(ParseString(string(src)))
		lines += len(got)
		bad += diffLines(t, name, string(src), got, strings.Split(strings.TrimRight(want, "\n"), "\n"))
	}
	t.Logf("%d files, %d lines, %d differ", len(files), lines, bad)
}

// diffLines reports lines that only one side has.
func diffLines(t *testing.T, name, src string, got, want []string) (bad int) {
	count := map[string]int{}
	for i, l := range want {
		want[i] = skipLeadingBlanks(src, l)
		count[want[i]]++
	}
	var ours, theirs []string
	for _, l := range got {
		if count[l]--; count[l] < 0 {
			ours = append(ours, l)
		}
	}
	for _, l := range want {
		if count[l] > 0 && l != "" {
			theirs = append(theirs, l)
		}
		count[l]--
	}
	bad = max(len(ours), len(theirs))
	if bad > 0 {
		t.Errorf("%s: %d differ\n  ours:   %s\n  theirs: %s", name, bad, sample(ours), sample(theirs))
	}
	return bad
}

// skipLeadingBlanks undoes a habit of Emacs, which takes blank lines at the
// start of a block for a paragraph or for the start of one.
func skipLeadingBlanks(src, line string) string {
	var start, end int
	if n, _ := fmt.Sscanf(line, "paragraph %d %d", &start, &end); n < 2 {
		return line
	}
	for start < end {
		l := lineAt(src, start)
		if !l.blank() {
			fields := strings.SplitN(line, " ", 3)
			return fmt.Sprintf("%s %d %s", fields[0], start, fields[2])
		}
		start = l.next
	}
	return ""
}

func sample(lines []string) string {
	if len(lines) > 4 {
		lines = lines[:4]
	}
	for i, l := range lines {
		if len(l) > 300 {
			lines[i] = l[:300] + "…"
		}
	}
	return strings.Join(lines, "\n          ")
}

// dump prints a document in the form of testdata/oracle.el.
func dump(d *Document) []string {
	var lines []string
	for n := range d.All() {
		if line, ok := dumpNode(n); ok {
			lines = append(lines, line)
		}
		if root := d.Objects(n); root != nil {
			for o := range root.Walk() {
				if line, ok := dumpNode(o); ok {
					lines = append(lines, line)
				}
			}
		}
	}
	for n := range d.Nodes(KindSrcBlock, KindCall) {
		at := n.core().Start
		if r, ok := d.ResultOf(n); ok {
			lines = append(lines, fmt.Sprintf("result %d %d %d", at, r.Line.Start, r.Body.End))
		} else {
			lines = append(lines, fmt.Sprintf("result %d none", at))
		}
	}
	for n := range d.Nodes(KindSrcBlock) {
		b, _ := n.Block()
		lines = append(lines, dumpArgs(d, n), fmt.Sprintf("code %d %s", n.start, elispText(b.Code())))
	}
	for n := range d.AllObjects(KindInlineSrc) {
		s, _ := n.InlineSrc()
		lines = append(lines, dumpArgs(d, n), fmt.Sprintf("code %d %s", n.start, elispText(s.Code())))
	}
	for h := range d.Headlines() {
		tags := "nil"
		if list := d.Tags(h); len(list) > 0 {
			sort.Strings(list)
			tags = "(" + strings.Join(list, " ") + ")"
		}
		lines = append(lines, fmt.Sprintf("tags %d %s", h.start, tags))
	}
	return lines
}

func dumpArgs(d *Document, n *Node) string {
	var parts []string
	seen := map[string]bool{}
	for _, a := range d.HeaderArgs(n) {
		v := elispText(a.Text())
		if k, err := strconv.Atoi(a.Value); err == nil {
			v = elispText(strconv.Itoa(k))
		}
		if a.Value == "" {
			v = "-"
		}
		if a.Key == ":results" || a.Key == ":exports" {
			words := strings.Fields(a.Value)
			sort.Strings(words)
			v = strings.Join(words, ",")
		}
		if a.Key == ":var" && readVar(a).Name == "" {
			return fmt.Sprintf(`args %d :error="Variable \"%s\" must be assigned a default value"`, n.start, a.Value)
		}
		seen[a.Key] = true
		parts = append(parts, a.Key+"="+v)
	}
	for _, k := range []string{":results", ":exports"} {
		if !seen[k] {
			parts = append(parts, k+"=")
		}
	}
	sort.Strings(parts)
	return fmt.Sprintf("args %d %s", n.start, strings.Join(parts, " "))
}

func dumpNode(n *Node) (string, bool) {
	kind := n.kind.String()
	switch n.kind {
	case KindTableRow, KindTableRule:
		kind = "table-row"
	case KindTableEl:
		kind = "table"
	case KindDocument, KindObjects, KindMarkup, KindText, KindTableFormula, KindAffiliated, KindBlank,
		KindHeadlineLine, KindBlockBegin, KindBlockBody, KindBlockEnd, KindDrawerBegin, KindDrawerEnd,
		KindItemMarker, KindFootnoteMarker, KindCitationText:
		return "", false
	}
	line := fmt.Sprintf("%s %d %d", kind, n.start, n.end)
	if name := n.Name(); name.Present() {
		line += " name=" + elispText(name.Text)
	}
	for _, p := range dumpProps(n) {
		line += " " + p
	}
	return line, true
}

func dumpProps(n *Node) []string {
	text := func(tokens ...Token) (out []string) {
		for _, t := range tokens {
			if t.Present() && t.Text != "" {
				out = append(out, elispText(t.Text))
			} else {
				out = append(out, "-")
			}
		}
		return out
	}
	switch n.kind {
	case KindHeadline:
		h, _ := n.Headline()
		kind, tags, comment := "-", "-", "-"
		if h.Done {
			kind = "done"
		} else if h.Keyword.Present() {
			kind = "todo"
		}
		if h.TagList.Present() {
			tags = "(" + strings.Join(h.LocalTags(), " ") + ")"
		}
		if h.Comment {
			comment = "t"
		}
		return append(append([]string{strconv.Itoa(h.Level)}, text(h.Keyword)...), kind, elispText(h.Title.Text), tags, comment)
	case KindSrcBlock, KindExampleBlock, KindExportBlock, KindSpecialBlock, KindDynamicBlock:
		b, _ := n.Block()
		value := elispText(Unescape(b.doc.Text(b.Body)))
		switch n.kind {
		case KindSrcBlock:
			return append(text(b.Lang, b.Switches, b.Args), value)
		case KindSpecialBlock:
			return text(b.Type, b.Args)
		case KindDynamicBlock:
			return text(b.Lang, b.Args)
		}
		return []string{value}
	case KindInlineSrc:
		s, _ := n.InlineSrc()
		return append(text(s.Lang, cleanToken(s.Args)), elispText(s.Body.Text))
	case KindCall, KindInlineCall:
		return dumpCall(n)
	case KindKeyword:
		k, _ := n.Keyword()
		key := k.Key.Text
		if k.Option.Present() {
			key += "[" + k.Option.Text + "]"
		}
		return []string{elispText(strings.ToUpper(key)), elispText(k.Value.Text)}
	case KindProperty:
		p, _ := n.Property()
		key := p.Key.Text
		if p.Append {
			key += "+"
		}
		return []string{elispText(key), elispText(p.Value.Text)}
	case KindDrawer:
		d, _ := n.Drawer()
		return text(d.Label)
	case KindItem:
		item, _ := n.Item()
		box := map[string]string{"[ ]": "off", "[X]": "on", "[-]": "trans"}[item.Checkbox.Text]
		if box == "" {
			box = "-"
		}
		counter := item.Counter.Text
		if counter == "" {
			counter = "-"
		} else if isAlpha(counter[0]) {
			counter = strconv.Itoa(int(counter[0]&^0x20) - 64)
		}
		return []string{box, counter}
	case KindList:
		list, _ := n.List()
		if list.Ordered {
			return []string{"ordered"}
		} else if list.Tagged {
			return []string{"descriptive"}
		}
		return []string{"unordered"}
	case KindFootnote:
		f, _ := n.Footnote()
		return text(f.Label)
	case KindFootnoteRef:
		f, _ := n.FootnoteRef()
		if f.Inline {
			return append(text(f.Label), "inline")
		}
		return append(text(f.Label), "standard")
	case KindClock:
		c, _ := n.Clock()
		return text(c.Duration)
	case KindTimestamp:
		return dumpTimestamp(n)
	case KindLink:
		l, _ := n.Link()
		path := elispText(l.Path)
		if l.Type == "file" {
			path = "-"
		}
		return []string{[]string{"bracket", "angle", "plain", "plain"}[l.Form], elispText(l.Type), path}
	case KindMacro:
		m, _ := n.Macro()
		return []string{elispText(strings.ToLower(m.Key.Text))}
	case KindEntity:
		e, _ := n.Entity()
		return []string{elispText(e.Name)}
	case KindCitationRef:
		return text(readCitationRef(n).Key)
	case KindExportSnippet:
		s, _ := n.ExportSnippet()
		return []string{elispText(s.Backend.Text), elispText(s.Value.Text)}
	case KindTableRow:
		return []string{"standard"}
	case KindTableRule:
		return []string{"rule"}
	}
	return nil
}

func dumpCall(n *Node) []string {
	c, _ := n.Call()
	part := func(s string) string {
		if s = strings.TrimSpace(s); s == "" {
			return "-"
		}
		return elispText(joinLines(s))
	}
	args := "-"
	if k := len(c.Arguments); k > 0 {
		args = n.doc.Text(Span{c.Arguments[0].Start, c.Arguments[k-1].End})
	}
	if args = strings.TrimSpace(args); args != "-" {
		args = elispText(args)
	}
	return []string{elispText(c.Target.Text), part(c.Inside.Text), args, part(c.EndArgs.Text)}
}

func dumpTimestamp(n *Node) []string {
	ts, _ := n.Timestamp()
	if ts.Diary != "" {
		return strings.Fields("diary" + strings.Repeat(" -", 16))
	}
	kind := "inactive"
	if ts.Active {
		kind = "active"
	}
	if ts.Range {
		kind += "-range"
	}
	out := []string{kind}
	for _, m := range []Moment{ts.From, ts.To} {
		out = append(out, strconv.Itoa(m.Year), strconv.Itoa(m.Month), strconv.Itoa(m.Day))
		if m.HasTime {
			out = append(out, strconv.Itoa(m.Hour), strconv.Itoa(m.Minute))
		} else {
			out = append(out, "-", "-")
		}
	}
	units := map[byte]string{'h': "hour", 'd': "day", 'w': "week", 'm': "month", 'y': "year"}
	for i, s := range []Shift{ts.Repeat, ts.Warn} {
		if s.Mark == "" {
			out = append(out, "-", "-", "-")
			continue
		}
		marks := []map[string]string{{"+": "cumulate", "++": "catch-up", ".+": "restart"}, {"-": "all", "--": "first"}}[i]
		out = append(out, marks[s.Mark], strconv.Itoa(s.Count), units[s.Unit])
	}
	return out
}

func cleanToken(t Token) Token {
	t.Text = joinLines(strings.TrimSpace(t.Text))
	return t
}

// elispText prints a string as Emacs's prin1 does with print-escape-newlines.
func elispText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\f", `\f`).Replace(s) + `"`
}

// orgFiles lists the org files below a directory.
func orgFiles(t testing.TB, dir string) []string {
	var files []string
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && strings.HasSuffix(path, ".org") {
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
