package lsp

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`

// TestWire sends what no client should and looks at what comes back.
func TestWire(t *testing.T) {
	bye := frame(`{"jsonrpc":"2.0","id":99,"method":"shutdown"}`) + frame(`{"jsonrpc":"2.0","method":"exit"}`)
	for _, c := range []struct {
		name, input string
		codes       []int // error codes of the answers in order, 0 for a result
		fails       bool
	}{
		{"a session", frame(hello) + bye, []int{0, 0}, false},
		{"exit alone", frame(hello) + frame(`{"jsonrpc":"2.0","method":"exit"}`), []int{0}, true},
		{"the pipe breaks", frame(hello), []int{0}, true},
		{"nothing at all", "", nil, false},
		{"before initialize", frame(`{"jsonrpc":"2.0","id":1,"method":"textDocument/hover"}`) + frame(hello) + bye, []int{codeNotInitialized, 0, 0}, false},
		{"initialize twice", frame(hello) + frame(hello) + bye, []int{0, codeInvalidRequest, 0}, false},
		{"after shutdown", frame(hello) + frame(`{"jsonrpc":"2.0","id":5,"method":"shutdown"}`) + frame(`{"jsonrpc":"2.0","id":6,"method":"textDocument/hover"}`) +
			frame(`{"jsonrpc":"2.0","method":"exit"}`), []int{0, 0, codeInvalidRequest}, false},
		{"unknown request", frame(hello) + frame(`{"jsonrpc":"2.0","id":"x","method":"no/such"}`) + bye, []int{0, codeNoMethod, 0}, false},
		{"unknown notification", frame(hello) + frame(`{"jsonrpc":"2.0","method":"$/no/such"}`) + bye, []int{0, 0}, false},
		{"no JSON", frame(hello) + frame(`{"jsonrpc":`) + bye, []int{0, codeParse, 0}, false},
		{"a JSON list", frame(hello) + frame(`[1,2]`) + bye, []int{0, codeParse, 0}, false},
		{"neither method nor id", frame(hello) + frame(`{}`) + bye, []int{0, codeInvalidRequest, 0}, false},
		{"an answer nobody waits for", frame(hello) + frame(`{"jsonrpc":"2.0","id":7,"result":1}`) + bye, []int{0, 0}, false},
		{"wrong parameters", frame(hello) + frame(`{"jsonrpc":"2.0","id":3,"method":"initialize","params":[]}`) + bye, []int{0, codeInvalidRequest, 0}, false},
		{"binary", frame(hello) + frame("\x00\xff\xfe\x01\x02") + bye, []int{0, codeParse, 0}, false},
		{"garbage between messages", frame(hello) + "warning: something\r\n\x00\x01garbage\n" + bye, []int{0, 0}, false},
		{"odd headers", "content-length:  " + "75" + "\nContent-Type: x\n\n" + hello + bye, []int{0, 0}, false},
		{"a length that is not a number", "Content-Length: lots\r\n\r\n" + frame(hello) + bye, []int{0, 0}, false},
		{"cut short", frame(hello) + "Content-Length: 1000\r\n\r\n{}", []int{0}, true},
		{"cancelling nothing", frame(hello) + frame(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":12}}`) + bye, []int{0, 0}, false},
		{"changes to what is not open", frame(hello) + frame(`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"file:///x","version":2},"contentChanges":[{"text":"x"}]}}`) + bye, []int{0, 0}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			answers, err := raw(t, c.input)
			if (err != nil) != c.fails {
				t.Errorf("the server ended with %v", err)
			}
			var codes []int
			for _, a := range answers {
				code := 0
				if a.Error != nil {
					code = a.Error.Code
				}
				codes = append(codes, code)
			}
			if len(codes) != len(c.codes) {
				t.Fatalf("answers %v, want %v", codes, c.codes)
			}
			for i := range codes {
				if codes[i] != c.codes[i] {
					t.Errorf("answer %d is %+v, want code %d", i, answers[i], c.codes[i])
				}
			}
		})
	}
}

// TestHugeMessage skips what is too long and answers what follows.
func TestHugeMessage(t *testing.T) {
	in := newFrameReader(io.MultiReader(
		strings.NewReader("Content-Length: 268435457\r\n\r\n"), io.LimitReader(zeros{}, maxMessage+1),
		strings.NewReader(frame("{}"))))
	if _, err := in.next(); !errors.Is(err, errMessageSize) {
		t.Fatalf("error is %v", err)
	}
	if data, err := in.next(); err != nil || string(data) != "{}" {
		t.Errorf("then came %q, %v", data, err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// FuzzFrames feeds any bytes; whole frames within must come out as they went in.
func FuzzFrames(f *testing.F) {
	f.Add([]byte("junk\r\n"), []byte(`{"jsonrpc":"2.0"}`))
	f.Add([]byte(""), []byte(""))
	f.Add([]byte("Content-Length: 3\r\nx\n"), []byte("\x00\n\n"))
	f.Add([]byte("Content-Length: -3\r\n\r\n"), []byte("ü"))
	f.Fuzz(func(t *testing.T, junk, body []byte) {
		in := newFrameReader(bytes.NewReader(junk))
		for i := 0; ; i++ {
			if _, err := in.next(); err != nil {
				break
			}
			if i > len(junk) {
				t.Fatal("more messages than bytes")
			}
		}
		var out bytes.Buffer
		if err := writeFrame(&out, body); err != nil {
			t.Fatal(err)
		}
		got, err := newFrameReader(&out).next()
		if err != nil || !bytes.Equal(got, body) {
			t.Fatalf("%q came back as %q, %v", body, got, err)
		}
	})
}

// FuzzPositions converts offsets to positions and back in every encoding.
func FuzzPositions(f *testing.F) {
	for _, s := range []string{"", "a\nb", "ä\r\n𝒳y\n", "\xff\xfe\n\x80", "a\r\r\n\n", "日本\u2028語"} {
		f.Add(s, 3, 1, 2)
	}
	f.Fuzz(func(t *testing.T, source string, offset, line, character int) {
		for _, enc := range []encoding{utf8Positions, utf16Positions, utf32Positions} {
			txt := newText(source, enc)
			at := txt.offset(position{line, character})
			if at < 0 || at > len(source) {
				t.Fatalf("%s: %d:%d is offset %d of %d", enc, line, character, at, len(source))
			}
			if again := txt.offset(txt.position(at)); again != at {
				t.Fatalf("%s: offset %d became %d", enc, at, again)
			}
			p := txt.position(offset)
			if p.Line < 0 || p.Character < 0 || p.Line >= len(txt.lines) {
				t.Fatalf("%s: offset %d is at %v", enc, offset, p)
			}
			if offset >= 0 && offset <= len(source) && utf8.ValidString(source) && (offset == len(source) || utf8.RuneStart(source[offset])) &&
				!strings.HasPrefix(source[offset:], "\n") {
				if back := txt.offset(p); back != offset {
					t.Fatalf("%s: offset %d came back as %d", enc, offset, back)
				}
			}
		}
	})
}

func TestPositions(t *testing.T) {
	source := "aä𝒳b\r\nc"
	for _, c := range []struct {
		enc    encoding
		at     position
		offset int
	}{
		{utf16Positions, position{0, 4}, 7}, {utf16Positions, position{0, 3}, 3}, {utf8Positions, position{0, 7}, 7}, {utf32Positions, position{0, 3}, 7},
		{utf16Positions, position{0, 99}, 8}, {utf16Positions, position{1, 1}, 11}, {utf16Positions, position{9, 9}, 11}, {utf16Positions, position{-1, 0}, 0},
	} {
		if got := newText(source, c.enc).offset(c.at); got != c.offset {
			t.Errorf("%s %v is offset %d, want %d", c.enc, c.at, got, c.offset)
		}
	}
	if enc := chooseEncoding([]string{"utf-16", "utf-8"}); enc != utf8Positions {
		t.Errorf("chose %s", enc)
	}
	if enc := chooseEncoding(nil); enc != utf16Positions {
		t.Errorf("chose %s", enc)
	}
}
