package plan

import (
	"bytes"

	"wb/internal/value"
)

// parseJSON reads a JSON block; errors carry their place in it.
func parseJSON(body string) (value.Value, error) {
	v, err := value.ParseJSON([]byte(body))
	if e, ok := err.(*value.JSONError); ok {
		at, col := lineCol(body, int(e.Offset))
		return value.Nil(), &DataError{Line: at, Col: col, Msg: e.Message}
	}
	return v, err
}

// lineCol converts a byte offset within text to a line and column from 1.
func lineCol(text string, offset int) (line, col int) {
	before := text[:min(max(offset, 0), len(text))]
	line = 1 + bytes.Count([]byte(before), []byte{'\n'})
	return line, len(before) - bytes.LastIndexByte([]byte(before), '\n')
}
