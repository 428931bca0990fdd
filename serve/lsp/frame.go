package lsp

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Bounds of what a client may send.
const (
	maxMessage = 256 << 20 // bytes of one message
	maxHeader  = 4 << 10   // bytes of one header line
)

// errMessageSize is a message longer than maxMessage, which was skipped.
var errMessageSize = fmt.Errorf("message is longer than %d bytes", maxMessage)

// frameReader cuts a stream into messages: header lines, a blank line, and as
// many bytes as Content-Length says. Lines that are not headers are skipped, so
// that a stray print on the pipe costs one message at most.
type frameReader struct{ in *bufio.Reader }

func newFrameReader(r io.Reader) *frameReader { return &frameReader{bufio.NewReaderSize(r, 64<<10)} }

// next returns the next message. The error is io.EOF at the end of the stream,
// io.ErrUnexpectedEOF when it ends within a message, and errMessageSize for a
// message that was skipped.
func (f *frameReader) next() ([]byte, error) {
	length := -1
	for {
		line, err := f.line()
		if err != nil {
			if err == io.EOF && length >= 0 {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		name, val, isHeader := strings.Cut(line, ":")
		switch {
		case line == "" && length > maxMessage:
			if _, err := f.in.Discard(length); err != nil {
				return nil, unexpected(err)
			}
			return nil, errMessageSize
		case line == "" && length >= 0:
			return f.body(length)
		case isHeader && strings.EqualFold(strings.TrimSpace(name), "Content-Length"):
			if n, err := strconv.Atoi(strings.TrimSpace(val)); err == nil && n >= 0 {
				length = n
			}
		}
	}
}

// body reads a message's bytes. The buffer grows as they arrive, so that a
// length alone claims no memory.
func (f *frameReader) body(length int) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(f.in, int64(length)))
	if err == nil && len(data) < length {
		err = io.ErrUnexpectedEOF
	}
	return data, err
}

// line reads one header line without its end. The rest of a line that is too
// long is skipped.
func (f *frameReader) line() (string, error) {
	var line []byte
	for {
		part, err := f.in.ReadSlice('\n')
		if room := maxHeader - len(line); room > 0 {
			line = append(line, part[:min(room, len(part))]...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil:
			return "", err
		default:
			return strings.TrimRight(string(line), "\r\n"), nil
		}
	}
}

func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// writeFrame writes one message in a single write.
func writeFrame(w io.Writer, body []byte) error {
	frame := make([]byte, 0, len(body)+32)
	frame = fmt.Appendf(frame, "Content-Length: %d\r\n\r\n", len(body))
	_, err := w.Write(append(frame, body...))
	return err
}
