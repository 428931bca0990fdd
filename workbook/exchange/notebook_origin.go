package exchange

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"reflect"
	"strings"

	"wb/org"
)

// A notebook that was made of org notes in its metadata, below "wb", what leads back to the
// same bytes. Each note counts as long as the text it belongs to is unchanged: whoever
// edits a cell in Jupyter gets that cell translated, and the others as they were.

// docOrigin is the note of a whole notebook.
type docOrigin struct {
	Lang  string `json:"lang"`            // of the blocks that are cells
	Ends  string `json:"ends,omitempty"`  // how lines end, as in Markdown
	Below int    `json:"below,omitempty"` // blank lines at the end
}

// cellOrigin is the note of a cell.
type cellOrigin struct {
	Above int `json:"above,omitempty"` // blank lines above it
	// Args and Name are a block's header arguments and #+NAME.
	Args string `json:"args,omitempty"`
	Name string `json:"name,omitempty"`
	// Block is the source block, where it cannot be made of the rest.
	Block string `json:"block,omitempty"`
	// Result is what stands below the block, and Outputs the digest of what its
	// results became.
	Result  string `json:"result,omitempty"`
	Outputs string `json:"outputs,omitempty"`
}

// block writes a cell's code as org has it.
func (o *cellOrigin) block(lang, source string) string {
	if o.Block != "" {
		doc := org.ParseString(o.Block)
		for b := range doc.Blocks(org.KindSrcBlock) {
			if sourceOf(doc, b) == source {
				return o.Block
			}
		}
	}
	return codeBlock(lang, source, o.Args, o.Name)
}

// takeOrigin parts the note from a notebook's metadata.
func takeOrigin(meta json.RawMessage) (*docOrigin, json.RawMessage) {
	return takeMember[docOrigin](meta)
}

// takeMember parts the member "wb" from an object; nil where it has none.
func takeMember[T any](object json.RawMessage) (*T, json.RawMessage) {
	var all map[string]json.RawMessage
	if json.Unmarshal(object, &all) != nil || all["wb"] == nil {
		return nil, object
	}
	value := new(T)
	if json.Unmarshal(all["wb"], value) != nil {
		return nil, object
	}
	delete(all, "wb")
	rest, err := marshal(all)
	if err != nil {
		return nil, object
	}
	return value, rest
}

// withMember adds a member to an object.
func withMember(object json.RawMessage, name string, value any) json.RawMessage {
	all := map[string]any{}
	_ = json.Unmarshal(object, &all) // empty metadata is not an object
	all[name] = value
	text, err := marshal(all)
	if err != nil {
		return object
	}
	return text
}

func sameValue(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// outputsDigest identifies the outputs of a cell, however they are laid out.
func outputsDigest(outputs []json.RawMessage) string {
	h := sha256.New()
	for _, o := range outputs {
		h.Write([]byte(compactJSON(asLines(o), "null") + "\n"))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// asLines writes each text in an output as a list of its lines: notebooks may
// have either.
func asLines(raw json.RawMessage) json.RawMessage {
	var o output
	if json.Unmarshal(raw, &o) != nil {
		return raw
	}
	for kind, data := range o.Data {
		var text multiline
		if json.Unmarshal(data, &text) == nil {
			o.Data[kind], _ = marshal(text) // lines always marshal
		}
	}
	text, err := marshal(o) // writes o.Text as lines, too
	if err != nil {
		return raw
	}
	return text
}

// sourceOf is the code of a block.
func sourceOf(doc *org.Document, b org.Block) string {
	body := strings.TrimSuffix(org.Unescape(doc.Text(b.Body)), "\n")
	if !b.HasSwitch("-i") {
		body = org.Dedent(body)
	}
	return body
}

func compactJSON(raw json.RawMessage, fallback string) string {
	if len(raw) == 0 {
		return fallback
	}
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return fallback
	}
	text, err := marshal(v)
	if err != nil {
		return fallback
	}
	return string(text)
}
