package approval

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"wb/org"
	"wb/org/orgfile"
	"wb/sandbox"
)

// File is the face of requests that people edit.
const File = "approvals.org"

// heading is how a file of requests begins.
const heading = "#+TITLE: Approvals\n#+TODO: TODO | DONE DENIED\n\nTurn TODO into DONE to allow what an agent asks for, into DENIED to refuse it.\n"

// show appends a request to approvals.org of its directory.
func show(r Request) error {
	path := filepath.Join(r.Dir, File)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err == nil {
		_, err = f.WriteString(heading)
		err = errors.Join(err, f.Close())
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return edit(path, func(doc *org.Document) []org.Edit {
		if _, ok := find(doc, r.ID); ok {
			return nil
		}
		end := len(doc.Source())
		text := requestText(r)
		if end > 0 && !strings.HasSuffix(doc.Source(), "\n") {
			text = "\n" + text
		}
		return []org.Edit{{Start: end, End: end, New: text}}
	})
}

func requestText(r Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, "* TODO APPROVE %s by %s :approval:\n:PROPERTIES:\n:ID: %s\n:RUN: %s\n:TOOL: %s\n:WHY: %s\n:ASKED: %s\n:END:\n", r.Tool, line(r.Agent), r.ID, r.Run, r.Tool, line(r.Why), r.Asked.Local().Format("[2006-01-02 Mon 15:04]"))
	var args map[string]any
	if err := json.Unmarshal(r.Args, &args); err != nil || len(args) == 0 {
		return b.String()
	}
	pretty, _ := json.MarshalIndent(args, "", "  ")
	b.WriteString("#+begin_src json\n")
	for text := range strings.SplitSeq(string(sandbox.Neutralize(pretty)), "\n") {
		if t := strings.TrimLeft(text, " "); strings.HasPrefix(t, "*") || strings.HasPrefix(t, "#+") {
			text = "," + text
		}
		b.WriteString(text + "\n")
	}
	b.WriteString("#+end_src\n")
	return b.String()
}

// line is text that stays on a line and is not a tag, keyword or drawer.
func line(text string) string {
	return strings.Join(strings.Fields(string(sandbox.Neutralize([]byte(text)))), " ")
}

// edit changes a file, again when somebody else changed it meanwhile.
func edit(path string, change func(*org.Document) []org.Edit) error {
	for {
		file, err := orgfile.Read(path)
		if err != nil {
			return err
		}
		edits := change(file.Doc)
		if len(edits) == 0 {
			return nil
		}
		_, err = file.Apply(edits)
		var conflict *orgfile.ConflictError
		if !errors.As(err, &conflict) {
			return err
		}
	}
}

func find(doc *org.Document, id string) (org.Headline, bool) {
	for h := range doc.Headlines() {
		if got, _ := h.Property("ID"); got == id {
			return h, true
		}
	}
	return org.Headline{}, false
}

// words of a headline, and what they mean.
var words = map[Decision]string{Allowed: "DONE", Denied: "DENIED"}

// written reads a person's answer to a request; a file that is not there or
// cannot be read says nothing.
func written(r Request) Decision {
	src, err := os.ReadFile(filepath.Join(r.Dir, File))
	if err != nil {
		return Pending
	}
	h, ok := find(org.Parse(src), r.ID)
	if !ok {
		return Pending
	}
	for d, word := range words {
		if state(h) == word {
			return d
		}
	}
	return Pending
}

// state is the headline's word, whether the file's #+TODO: line is still there
// or not.
func state(h org.Headline) string {
	if h.Keyword.Text != "" {
		return h.Keyword.Text
	}
	word, _, _ := strings.Cut(h.Title.Text, " ")
	return word
}

// mark writes a decision into approvals.org, where the request is shown.
func mark(r Request) error {
	err := edit(filepath.Join(r.Dir, File), func(doc *org.Document) []org.Edit {
		h, ok := find(doc, r.ID)
		if !ok || h.Keyword.Text == words[r.Decision] || h.Keyword.Text == "" {
			return nil
		}
		return []org.Edit{{Start: h.Keyword.Start, End: h.Keyword.Start + len(h.Keyword.Text), New: words[r.Decision]}}
	})
	if errors.Is(err, fs.ErrNotExist) { // the store is what counts
		return nil
	}
	return err
}
