package exchange

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"wb/internal/diag"
)

// Notebook is a Jupyter notebook of format 4
// (https://nbformat.readthedocs.io/en/latest/format_description.html). What
// this package does not look at is kept as JSON.
type Notebook struct {
	Cells    []NotebookCell  `json:"cells"`
	Metadata json.RawMessage `json:"metadata"`
	Format   int             `json:"nbformat"`
	Minor    int             `json:"nbformat_minor"`
}

// NotebookCell is a piece of Markdown, of code with its outputs, or of raw
// text.
type NotebookCell struct {
	Attachments    json.RawMessage   `json:"attachments,omitempty"`
	Kind           string            `json:"cell_type"` // markdown, code or raw
	ExecutionCount json.RawMessage   `json:"execution_count,omitempty"`
	ID             string            `json:"id,omitempty"`
	Metadata       json.RawMessage   `json:"metadata"`
	Outputs        []json.RawMessage `json:"outputs,omitempty"`
	Source         multiline         `json:"source"`
}

// multiline is text that notebooks keep as a list of lines.
type multiline string

func (m *multiline) UnmarshalJSON(data []byte) error {
	var lines []string
	if err := json.Unmarshal(data, &lines); err == nil {
		*m = multiline(strings.Join(lines, ""))
		return nil
	}
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	*m = multiline(text)
	return nil
}

func (m multiline) MarshalJSON() ([]byte, error) {
	lines := strings.SplitAfter(string(m), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if lines == nil {
		lines = []string{}
	}
	return marshal(lines)
}

// marshal is json.Marshal that leaves <, > and & as they are.
func marshal(v any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}

// notNotebook says that a file's text is not the JSON of a notebook.
func notNotebook(err error) error {
	return diag.Failedf("a notebook is JSON, as Jupyter saves it; open and save it there, or name a Markdown file .md", "no notebook: %w", err)
}

// parseNotebook reads a notebook of format 3 or 4.
func parseNotebook(data []byte) (*Notebook, error) {
	var nb Notebook
	if err := json.Unmarshal(data, &nb); err != nil {
		return nil, notNotebook(err)
	}
	if nb.Format == 3 {
		return upgradeNotebook(data)
	}
	if nb.Format < 3 {
		return nil, fmt.Errorf("notebook format %d is not supported: open it in Jupyter and save it again", nb.Format)
	}
	return &nb, nil
}

// bytes prints a notebook as Jupyter does: indented by one, a line end last.
func (nb *Notebook) bytes() ([]byte, error) {
	type codeCell struct { // code cells always have outputs and a count
		NotebookCell
		ExecutionCount json.RawMessage   `json:"execution_count"`
		Outputs        []json.RawMessage `json:"outputs"`
	}
	cells := make([]any, len(nb.Cells))
	for i, c := range nb.Cells {
		if len(c.Metadata) == 0 {
			c.Metadata = json.RawMessage("{}")
		}
		cells[i] = c
		if c.Kind != "code" {
			continue
		}
		code := codeCell{c, c.ExecutionCount, c.Outputs}
		if code.ExecutionCount == nil {
			code.ExecutionCount = json.RawMessage("null")
		}
		if code.Outputs == nil {
			code.Outputs = []json.RawMessage{}
		}
		cells[i] = code
	}
	compact, err := marshal(map[string]any{"cells": cells, "metadata": nb.Metadata, "nbformat": nb.Format, "nbformat_minor": nb.Minor})
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, compact, "", " "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// metadataOf describes the usual kernel of a language.
func metadataOf(lang string) json.RawMessage {
	names := map[string]string{"python": "Python 3", "bash": "Bash", "sh": "Bash", "js": "JavaScript", "R": "R", "julia": "Julia"}
	kernels := map[string]string{"python": "python3", "sh": "bash", "js": "javascript", "R": "ir"}
	kernel, display := lang, lang
	if k := kernels[lang]; k != "" {
		kernel = k
	}
	if d := names[lang]; d != "" {
		display = d
	}
	meta, _ := marshal(map[string]any{ // strings always marshal
		"kernelspec":    map[string]string{"display_name": display, "language": lang, "name": kernel},
		"language_info": map[string]string{"name": lang},
	})
	return meta
}
