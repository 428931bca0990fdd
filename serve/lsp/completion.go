package lsp

import (
	"context"
	"slices"
	"strings"

	"wb/internal/lazyregexp"
	"wb/org"
	"wb/tangle/babel"
	"wb/workbook"
)

// completion offers what may stand at the cursor.
func (s *Server) completion(ctx context.Context, p placeParams) (any, error) {
	pl, err := at(ctx, p)
	if err != nil {
		return nil, err
	}
	c := &completer{server: s, ctx: ctx, place: pl}
	line := pl.text.position(pl.offset).Line
	c.before = pl.text.source[pl.text.lines[line]:pl.offset]
	c.after = strings.TrimPrefix(pl.text.line(line), c.before)
	c.complete()
	if c.items == nil {
		c.items = []completionItem{}
	}
	return completionList{Items: c.items}, nil
}

// completer gathers what may stand at one place. start is where the word begins
// that a choice replaces.
type completer struct {
	place
	server        *Server
	ctx           context.Context
	before, after string // the line around the cursor
	start         int
	items         []completionItem
}

// contexts are the places where something may be completed, the first that
// matches counts. The last group of a shape is the word that is being typed.
var contexts = []struct {
	shape *lazyregexp.Regexp
	offer func(*completer, []string)
}{
	{lazyregexp.New(`(?i)^\s*#\+begin_src\s+(\S*)$`), (*completer).languages},
	{lazyregexp.New(`(?i)^\s*(?:,?#\+begin_src\s+(\S+)|#\+headers?:|#\+property:\s+header-args\S*|:header-args\S*:|#\+call:[^:]*\))(?:\s.*)?\s(:[\w-]*)$`), (*completer).arguments},
	{lazyregexp.New(`(?i)^\s*(?:,?#\+begin_src\s+\S+|#\+headers?:|#\+property:\s+header-args\S*|:header-args\S*:)\s+()$`), (*completer).arguments},
	{lazyregexp.New(`(?i)^\s*(?:,?#\+begin_src\s+(\S+)|#\+headers?:|#\+property:\s+header-args\S*|:header-args\S*:|#\+call:[^:]*\))(?:\s.*)?\s:([\w-]+)\+?\s+(?:[^:]*[\s,])?([^\s,:]*)$`), (*completer).values},
	{lazyregexp.New(`(?i)^\s*#\+property:\s+(\S*)$`), (*completer).properties},
	{lazyregexp.New(`(?i)^\s*#\+call:\s+([^\s()\[\]]*)$`), (*completer).callables},
	{lazyregexp.New(`(?i)(?:#\+call:\s+|call_)([^\s()\[\]]+)\((?:.*,)?\s*([\w-]*)$`), (*completer).parameters},
	{lazyregexp.New(`(?i)^#\+expect:\s+(\S*)$`), (*completer).outputs},
	{lazyregexp.New(`(?i)^\s*#\+startup:\s+(?:.*\s)?(\S*)$`), (*completer).startup},
	{lazyregexp.New(`^\s*(#\+?\w*)$`), (*completer).keywords},
	{lazyregexp.New(`^\*+\s+(\w*)$`), (*completer).todo},
	{lazyregexp.New(`^\*+\s.*\s:(?:[\w@#%]+:)*([\w@#%]*)$`), (*completer).tags},
	{lazyregexp.New(`\[\[(?:[^\]]*)?$`), (*completer).links},
	{lazyregexp.New(`\[fn:([\w-]*)$`), (*completer).footnotes},
	{lazyregexp.New(`\{\{\{([\w-]*)$`), (*completer).macros},
	{lazyregexp.New(`<<([^<>\s]*)$`), (*completer).noweb},
	{lazyregexp.New(`\bcall_([^\s()\[\]]*)$`), (*completer).callables},
	{lazyregexp.New(`\bsrc_(\w*)$`), (*completer).languages},
	{lazyregexp.New(`^\s*:([\w-]+):\s+(?:.*[\s,])?([^\s,]*)$`), (*completer).drawerValues},
	{lazyregexp.New(`^\s*:([\w+-]*)$`), (*completer).drawerKeys},
}

func (c *completer) complete() {
	inBody := c.inBody()
	for _, x := range contexts {
		m := x.shape.FindStringSubmatch(c.before)
		if m == nil {
			continue
		}
		c.start = c.offset - len(m[len(m)-1])
		if inBody {
			if strings.Contains(x.shape.String(), "<<") {
				c.noweb(m)
			}
			continue
		}
		x.offer(c, m)
		return
	}
}

// inBody reports whether the cursor is in the code of a block, which is its
// language's and not org's.
func (c *completer) inBody() bool {
	n := c.doc.At(max(0, c.offset-1))
	for ; n != nil; n = n.Parent() {
		if b, ok := n.Block(); ok && n.Kind() != org.KindQuoteBlock && n.Kind() != org.KindCenterBlock && n.Kind() != org.KindSpecialBlock {
			return b.Begin.End <= c.offset && c.offset <= b.EndLine.Start
		}
	}
	return false
}

// item offers one text. documentation may be empty.
func (c *completer) item(label string, kind int, detail, documentation string) {
	c.replace(label, label, kind, detail, documentation)
}

func (c *completer) replace(label, text string, kind int, detail, documentation string) {
	typed := c.text.source[c.start:c.offset]
	if !matches(typed, text) && !matches(typed, label) {
		return
	}
	i := completionItem{Label: label, Kind: kind, Detail: detail, FilterText: text,
		TextEdit: &textEdit{Range: c.text.rangeOf(org.Span{Start: c.start, End: c.offset}), NewText: text}}
	if documentation != "" {
		i.Documentation = &markup{"markdown", documentation}
	}
	c.items = append(c.items, i)
}

func (c *completer) languages([]string) {
	if c.server.config.Languages == nil {
		return
	}
	for _, lane := range c.server.config.Languages.All() {
		info := lane.Info()
		c.item(info.Name, completeModule, info.Summary, "")
		for _, alias := range info.Aliases {
			c.item(alias, completeModule, "the same as "+info.Name, "")
		}
	}
	for _, data := range []string{"json", "csv", "yaml", "text"} {
		c.item(data, completeModule, "a value, nothing to run", "")
	}
}

func (c *completer) arguments([]string) {
	for _, name := range babel.Names() {
		c.item(":"+name, completeProperty, argText(name), describeArg(name))
	}
}

// values are the completions for a header argument's value: usual ones, and names.
func (c *completer) values(m []string) {
	key := strings.ToLower(m[2])
	for _, v := range usualValues(key) {
		c.item(v, completeEnum, capabilityDetail(key, v), "")
	}
	typed := m[3]
	if name, _, ok := strings.Cut(typed, "="); ok && key == "var" {
		c.start += len(name) + 1
		c.names()
		return
	}
	if typed == "" {
		c.arguments(nil)
	}
	switch key {
	case "stdin", "post":
		c.names()
	case "in":
		c.ports()
	case "session":
		for s := range c.index().bySymbol {
			if _, name, ok := strings.Cut(s.key, "\x00"); ok && s.kind == symbolSession {
				c.item(name, completeRef, "session", "")
			}
		}
	case "noweb-ref":
		for _, name := range c.index().names(c.text.source, symbolChunk) {
			c.item(name, completeRef, "noweb-ref", "")
		}
	case "tangle", "file", "dir", "output-dir":
		c.argumentsOf(key)
	}
}

// argumentsOf offers the values an argument has elsewhere in the file.
func (c *completer) argumentsOf(key string) {
	seen := map[string]bool{}
	for _, b := range c.sourceBlocks() {
		if a, ok := c.doc.HeaderArgs(b.Node).Get(":" + key); ok && !seen[a.Value] && a.Value != "" && a.Value != "no" && a.Value != "yes" {
			seen[a.Value] = true
			c.item(a.Value, completeFile, "used above or below", "")
		}
	}
}

func capabilityDetail(key, v string) string {
	switch key {
	case "uses":
		return capabilityDocs[v]
	case "profile":
		return strings.Join(workbook.ProfileHolds(v), " ")
	}
	return ""
}

// names offers everything a reference may name.
func (c *completer) names() {
	for _, name := range c.index().names(c.text.source, symbolName) {
		c.item(name, completeVariable, c.detailOf(name), "")
	}
	for _, name := range c.index().names(c.text.source, symbolPort) {
		c.item(name, completeVariable, "output", "")
	}
}

func (c *completer) detailOf(name string) string {
	n, ok := c.doc.Named(name)
	if !ok {
		return ""
	}
	if b, ok := n.Block(); ok && b.IsSrc() {
		return b.Lang.Text + " block"
	}
	return n.Kind().String()
}

// ports offers what an :in: may take.
func (c *completer) ports() {
	c.names()
	for s := range c.index().bySymbol {
		if s.kind == symbolInput {
			c.item(s.key, completeVariable, "input of the workbook", "")
		}
	}
}

func (c *completer) outputs([]string) {
	c.names()
	c.item("lint", completeKeyword, "what lint must find", "")
}

func (c *completer) callables([]string) {
	for _, b := range c.sourceBlocks() {
		if name := b.Name().Text; name != "" {
			c.item(name, completeFunction, b.Lang.Text+" block", "")
		}
	}
}

// parameters are the variables of the block that a call names.
func (c *completer) parameters(m []string) {
	b, ok := c.doc.BlockNamed(m[1])
	if !ok {
		return
	}
	for _, v := range c.doc.HeaderArgs(b.Node).Vars() {
		c.replace(v.Name, v.Name+"=", completeVariable, ":var "+v.Value, "")
	}
}

func (c *completer) properties([]string) {
	c.item("header-args", completeProperty, "header arguments for all blocks", "")
	if c.server.config.Languages != nil {
		for _, lane := range c.server.config.Languages.All() {
			c.item("header-args:"+lane.Info().Name, completeProperty, "header arguments for blocks of this language", "")
		}
	}
	for _, k := range drawerKeys {
		c.item(k.name, completeProperty, k.text, "")
	}
}

func (c *completer) startup([]string) {
	for _, w := range []string{"overview", "content", "showall", "show2levels", "show3levels", "showeverything", "fold", "nofold", "indent", "noindent",
		"inlineimages", "align", "logdone", "hideblocks", "nohideblocks", "entitiespretty", "latexpreview"} {
		c.item(w, completeEnum, "", "")
	}
}

// blockSnippets are the blocks Org has.
var blockSnippets = []string{"src", "example", "quote", "verse", "center", "comment", "export"}

func (c *completer) keywords([]string) {
	for _, k := range fileKeywords {
		c.item("#+"+k.name+":", completeKeyword, k.text, "")
	}
	snippets := c.server.client.Capabilities.TextDocument.Completion.CompletionItem.SnippetSupport
	for _, name := range blockSnippets {
		begin, end := "#+begin_"+name, "\n#+end_"+name
		if !snippets {
			c.item(begin, completeKeyword, "a block", "")
			continue
		}
		n := len(c.items)
		head := ""
		if name == "src" || name == "export" {
			head = " ${1:lang}"
		}
		c.replace(begin, begin+head+"\n$0"+end, completeSnippet, "a block", "")
		if len(c.items) > n {
			c.items[n].Format, c.items[n].FilterText = 2, begin
		}
	}
}

func (c *completer) todo([]string) {
	for _, k := range c.doc.Todo().List {
		c.item(k.Name, completeKeyword, map[bool]string{true: "done", false: "not done"}[k.Done], "")
	}
	c.item("COMMENT", completeKeyword, "not run, tangled or exported", "")
}

func (c *completer) tags([]string) {
	seen := map[string]bool{"workflow": true, "component": true, "agent": true, "ARCHIVE": true, "noexport": true}
	for h := range c.doc.Headlines() {
		for _, t := range h.LocalTags() {
			seen[t] = true
		}
	}
	for tag := range seen {
		c.item(tag, completeEnum, "tag", "")
	}
	slices.SortFunc(c.items, func(a, b completionItem) int { return strings.Compare(a.Label, b.Label) })
}

// links are the places of this file, and ids of all files.
func (c *completer) links([]string) {
	c.start = c.offset - len(c.before) + strings.LastIndex(c.before, "[[") + 2
	closing := "]]"
	if strings.HasPrefix(c.after, "]") {
		closing = ""
	}
	offer := func(target, detail string, kind int) { c.replace(target, target+closing, kind, detail, "") }
	for h := range c.doc.Headlines() {
		if h.Title.Text != "" && !strings.ContainsAny(h.Title.Text, "[]") {
			offer("*"+h.Title.Text, "headline", completeRef)
		}
	}
	for _, id := range c.index().names(c.text.source, symbolCustomID) {
		offer("#"+id, "custom id", completeRef)
	}
	for _, name := range c.index().names(c.text.source, symbolTarget, symbolName) {
		offer(name, "target", completeRef)
	}
	for _, label := range c.index().names(c.text.source, symbolLabel) {
		offer("("+label+")", "line of code", completeRef)
	}
	for _, snap := range c.server.workspace.mentioning(c.ctx, viewed(c.ctx), ":ID:") {
		c.ids(snap, offer)
	}
}

// ids offers the headlines of a file that have an :ID:.
func (c *completer) ids(snap *snapshot, offer func(target, detail string, kind int)) {
	for h := range org.ParseString(snap.text.source).Headlines() {
		if id, ok := h.Property("ID"); ok && id != "" {
			offer("id:"+id, h.Title.Text, completeRef)
		}
	}
}

func (c *completer) footnotes([]string) {
	for _, label := range c.index().names(c.text.source, symbolFootnote) {
		c.item(label, completeRef, "footnote", "")
	}
}

func (c *completer) macros([]string) {
	for _, name := range append(c.index().names(c.text.source, symbolMacro), "title", "author", "date", "input-file", "time", "property", "keyword", "n") {
		c.item(name, completeFunction, "macro", "")
	}
}

// noweb offers blocks that may be included.
func (c *completer) noweb([]string) {
	closing := ">>"
	if strings.HasPrefix(c.after, ">>") {
		closing = ""
	}
	for _, b := range c.sourceBlocks() {
		if name := b.Name().Text; name != "" {
			c.replace(name, name+closing, completeRef, b.Lang.Text+" block", "")
		}
	}
	for _, name := range c.index().names(c.text.source, symbolChunk) {
		c.replace(name, name+closing, completeRef, "noweb-ref", "")
	}
}

func (c *completer) drawerKeys([]string) {
	for _, k := range drawerKeys {
		c.replace(k.name, k.name+": ", completeProperty, k.text, "")
	}
	c.replace("PROPERTIES", "PROPERTIES:\n:END:", completeKeyword, "a property drawer", "")
	c.replace("LOGBOOK", "LOGBOOK:\n:END:", completeKeyword, "a drawer for clocks and notes", "")
}

// drawerValues are the completions for a property's value.
func (c *completer) drawerValues(m []string) {
	switch key := strings.ToLower(m[1]); key {
	case "in":
		c.ports()
	case "out":
		for s := range c.index().bySymbol {
			if s.kind == symbolInput {
				c.item(s.key, completeVariable, "wanted, and not produced yet", "")
			}
		}
	case "deps":
		for _, comp := range c.plan().Components {
			if comp.Kind != workbook.KindData {
				c.item(comp.ID, completeFunction, comp.Lang, "")
			}
		}
	case "uses", "profile", "exec":
		for _, v := range usualValues(key) {
			c.item(v, completeEnum, capabilityDetail(key, v), "")
		}
	case "blocker":
		for _, id := range c.index().names(c.text.source, symbolID) {
			c.item(id, completeRef, "id", "")
		}
	}
}
