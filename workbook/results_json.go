package workbook

import (
	"bytes"
	"encoding/json"

	"wb/internal/value"
)

// objectWidth is the longest object that is printed on one line.
const objectWidth = 72

// objectText prints an object as JSON: on one line when it is short, indented
// otherwise.
func objectText(v value.Value) string {
	compact := v.AppendJSON(nil)
	if len(compact) <= objectWidth {
		return string(compact)
	}
	var out bytes.Buffer
	if json.Indent(&out, compact, "", "  ") != nil {
		return string(compact)
	}
	return out.String()
}

// parseJSON reads a JSON block; errors carry their place in it.
func parseJSON(body string) (value.Value, error) {
	v, err := value.ParseJSON([]byte(body))
	if e, ok := err.(*value.JSONError); ok {
		at, col := lineCol(body, int(e.Offset))
		return value.Nil(), &dataError{Line: at, Col: col, Msg: e.Message}
	}
	return v, err
}

// lineCol converts a byte offset within text to a line and column from 1.
func lineCol(text string, offset int) (line, col int) {
	before := text[:min(max(offset, 0), len(text))]
	line = 1 + bytes.Count([]byte(before), []byte{'\n'})
	return line, len(before) - bytes.LastIndexByte([]byte(before), '\n')
}
