package exchange

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Notebooks of format 3 (IPython, until 2015) keep cells in worksheets and call
// things by other names. See nbformat's v4/convert.py for the way upwards.

type oldNotebook struct {
	Metadata   json.RawMessage `json:"metadata"`
	Worksheets []struct {
		Cells []oldCell `json:"cells"`
	} `json:"worksheets"`
}

type oldCell struct {
	Kind      string          `json:"cell_type"`
	Collapsed *bool           `json:"collapsed"`
	Input     multiline       `json:"input"`
	Source    multiline       `json:"source"`
	Language  string          `json:"language"`
	Level     int             `json:"level"`
	Metadata  json.RawMessage `json:"metadata"`
	Prompt    json.RawMessage `json:"prompt_number"`
	Outputs   []oldOutput     `json:"outputs"`
}

// oldOutput has its data in members named after their type.
type oldOutput map[string]json.RawMessage

// oldTypes are the media types of an output's members.
var oldTypes = map[string]string{
	"text": "text/plain", "html": "text/html", "svg": "image/svg+xml", "png": "image/png", "jpeg": "image/jpeg",
	"latex": "text/latex", "json": "application/json", "javascript": "application/javascript", "pdf": "application/pdf",
}

// upgradeNotebook reads a notebook of format 3 as one of format 4.
func upgradeNotebook(data []byte) (*Notebook, error) {
	var old oldNotebook
	if err := json.Unmarshal(data, &old); err != nil {
		return nil, notNotebook(err)
	}
	nb := &Notebook{Metadata: old.Metadata, Format: 4}
	language := ""
	for _, sheet := range old.Worksheets {
		for _, cell := range sheet.Cells {
			language = cmp.Or(language, cell.Language)
			upgraded, err := cell.upgrade()
			if err != nil {
				return nil, err
			}
			nb.Cells = append(nb.Cells, upgraded)
		}
	}
	if len(nb.Metadata) == 0 {
		nb.Metadata = json.RawMessage("{}")
	}
	if language != "" {
		nb.Metadata = withMember(nb.Metadata, "language_info", map[string]string{"name": language})
	}
	return nb, nil
}

func (c oldCell) upgrade() (NotebookCell, error) {
	cell := NotebookCell{Kind: c.Kind, Metadata: c.Metadata, Source: c.Source}
	switch c.Kind {
	case "heading":
		cell.Kind = "markdown"
		title := strings.Join(strings.Fields(string(c.Source)), " ")
		cell.Source = multiline(strings.Repeat("#", min(max(c.Level, 1), 6)) + " " + title)
	case "html":
		cell.Kind = "markdown"
	case "code":
		cell.Source, cell.ExecutionCount = c.Input, c.Prompt
		if c.Collapsed != nil && *c.Collapsed {
			cell.Metadata = withMember(cell.Metadata, "collapsed", true)
		}
		for i, o := range c.Outputs {
			upgraded, err := o.upgrade()
			if err != nil {
				return cell, fmt.Errorf("output %d: %w", i+1, err)
			}
			cell.Outputs = append(cell.Outputs, upgraded)
		}
	}
	return cell, nil
}

func (o oldOutput) upgrade() (json.RawMessage, error) {
	var kind string
	if err := json.Unmarshal(o["output_type"], &kind); err != nil {
		return nil, err
	}
	switch kind {
	case "stream":
		name := o["stream"]
		if name == nil {
			name = json.RawMessage(`"stdout"`)
		}
		return marshal(map[string]any{"output_type": "stream", "name": name, "text": o["text"]})
	case "pyerr":
		return marshal(map[string]any{"output_type": "error", "ename": o["ename"], "evalue": o["evalue"], "traceback": o["traceback"]})
	}
	out := map[string]any{"output_type": "display_data", "metadata": map[string]any{}}
	if kind == "pyout" {
		out["output_type"], out["execution_count"] = "execute_result", o["prompt_number"]
	}
	bundle := map[string]json.RawMessage{}
	for _, member := range slices.Sorted(maps.Keys(oldTypes)) {
		if value, ok := o[member]; ok {
			bundle[oldTypes[member]] = value
		}
	}
	out["data"] = bundle
	if meta, ok := o["metadata"]; ok {
		out["metadata"] = meta
	}
	return marshal(out)
}
