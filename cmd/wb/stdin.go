package main

import (
	"io"
	"os"
)

// stdinFlag names the text on standard input for verbs that take - as a
// workbook, as editors give what they have open.
type stdinFlag struct {
	StdinName string `help:"The file that the text on standard input (-) belongs to; it is not read or written." placeholder:"FILE"`
}

// read returns a workbook's text and the name its positions carry.
func (f stdinFlag) read(a *app, file string) (name string, src []byte, err error) {
	if file == "-" {
		name = f.StdinName
		if name == "" {
			name = "stdin.org"
		}
		src, err = io.ReadAll(a.std.In)
		return name, src, err
	}
	src, err = os.ReadFile(file)
	if os.IsNotExist(err) {
		return file, nil, missingFile(file)
	}
	return file, src, err
}
