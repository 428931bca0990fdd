package elisp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"

	"wb/compile"
	"wb/compile/vm"
	"wb/sandbox"
	lisp "wb/tangle/elisp"
)

// request is a request to answer.el.
type request struct {
	Do      string // the function that answers
	Code    string
	Lang    string // org or calc, for wb--babel
	Results string // the words of :results, for wb--babel
	Vars    string // an association list, "" for none
	Lexical string // as eval takes it, "" for nil
	Dir     string
	Seed    *int64
	// Output returns what is printed; Text returns the value as text, Printed
	// in the form that can be read again; PP pretty-prints it; Plain gives
	// lists as they are, also where Org would print what is in them.
	Output, Text, Printed, PP, Plain bool
	Document                         *compile.Document
	// Point goes back to a place in the document of an earlier request.
	Point *int
	// Again stays in the world that an earlier request has made.
	Again bool
}

// form is the request as a property list.
func (r request) form() string {
	var b strings.Builder
	add := func(name, form string) {
		if form != "" {
			fmt.Fprintf(&b, " :%s %s", name, form)
		}
	}
	flag := func(name string, is bool) {
		if is {
			add(name, "t")
		}
	}
	fmt.Fprintf(&b, "(:do %s", r.Do)
	add("code", lisp.Print(lisp.String(r.Code)))
	text := func(name, s string) {
		if s != "" {
			add(name, lisp.Print(lisp.String(s)))
		}
	}
	text("lang", r.Lang)
	text("results", r.Results)
	add("vars", r.Vars)
	add("lexical", r.Lexical)
	if !r.Again {
		r.world(add)
	}
	flag("output", r.Output)
	flag("text", r.Text)
	flag("printed", r.Printed)
	flag("pp", r.PP)
	flag("plain", r.Plain)
	if d := r.Document; d != nil {
		add("document", fmt.Sprintf("(:name %s :file %s :text %s)", lisp.Print(lisp.String(d.Name)),
			lisp.Print(lisp.String(fileOf(d))), lisp.Print(lisp.String(d.Text))))
	}
	if r.Point != nil {
		add("point", fmt.Sprint(*r.Point))
	}
	b.WriteByte(')')
	return b.String()
}

// world is the directory, seed and environment of a request.
func (r *request) world(add func(name, form string)) {
	add("dir", lisp.Print(lisp.String(r.Dir)))
	if r.Seed != nil {
		add("seed", fmt.Sprint(*r.Seed>>2)) // a fixnum
	}
	words := make([]lisp.Value, len(environment))
	for i, word := range environment {
		words[i] = lisp.String(word)
	}
	add("environment", lisp.Print(lisp.List(words...)))
}

// fileOf is the path of the document in Emacs.
func fileOf(d *compile.Document) string { return cmp.Or(d.Path, path.Join("/", d.Name)) }

// pointAt is Emacs's number of a place in a document.
func pointAt(d *compile.Document, offset int) *int {
	n := 1 + utf8.RuneCountInString(d.Text[:min(max(offset, 0), len(d.Text))])
	return &n
}

// answer is the answer of answer.el.
type answer struct {
	value   lisp.Value
	failure *failure
}

// text is the value as Lisp.
func (a *answer) text() string { return lisp.Print(a.value) }

// failure is an error that the block did not catch.
type failure struct {
	message      string
	symbol       string // of the error
	line, column int    // in the code, from 1
}

// ask sends a request to a machine.
func ask(ctx context.Context, m *vm.Machine, r request) (*answer, error) {
	text := []byte(r.form())
	if _, err := m.Give(ctx, "wb_room", text); err != nil {
		return nil, err
	}
	status, err := m.Call(ctx, "wb_run", uint64(len(text)))
	if err != nil {
		return nil, err
	}
	said, err := reply(ctx, m.Instance)
	if err != nil {
		return nil, err
	}
	if status[0] != 0 {
		if m.MemoryRefused() {
			return nil, m.OutOfMemory()
		}
		return nil, fmt.Errorf("emacs: %s", said)
	}
	return readAnswer(string(said))
}

// readAnswer reads a property list.
func readAnswer(text string) (*answer, error) {
	list, err := lisp.Read(text)
	if err != nil {
		return nil, fmt.Errorf("emacs: answer: %w", err)
	}
	items, ok := lisp.Items(list)
	if !ok || len(items)%2 != 0 {
		return nil, fmt.Errorf("emacs: answer: %.80q is not a property list", text)
	}
	a := &answer{}
	f := &failure{line: 1, column: 1}
	for i := 0; i < len(items); i += 2 {
		switch v := items[i+1]; lisp.Princ(items[i]) {
		case ":value":
			a.value = v
		case ":error":
			a.failure, f.message = f, lisp.Princ(v)
		case ":symbol":
			f.symbol = lisp.Princ(v)
		case ":line":
			f.line = whole(v)
		case ":column":
			f.column = whole(v)
		}
	}
	return a, nil
}

func whole(v lisp.Value) int {
	n, _ := v.(lisp.Int)
	return int(n)
}

// reply reads what wb_boot or wb_run has left.
func reply(ctx context.Context, in *sandbox.Instance) ([]byte, error) {
	at, err := in.Call(ctx, "wb_answer")
	if err != nil {
		return nil, err
	}
	n, err := in.Call(ctx, "wb_answer_len")
	if err != nil {
		return nil, err
	}
	view, ok := in.Memory().Read(uint32(at[0]), uint32(n[0]))
	if !ok {
		return nil, errors.New("emacs: the answer lies outside memory")
	}
	return append([]byte(nil), view...), nil
}

// host are the functions that stand in for setjmp and longjmp; see
// [sandbox.ErrUnwind] and emacs/wb.h.
var host = []sandbox.HostModule{{Name: "wb", Funcs: []sandbox.HostFunc{
	{Name: "try", Params: []sandbox.ValueType{sandbox.I32}, Results: []sandbox.ValueType{sandbox.I32},
		Call: func(ctx context.Context, in *sandbox.Instance, stack []uint64) error {
			err := in.Func("wb_protected").Call(ctx, stack)
			stack[0] = 0
			if errors.Is(err, sandbox.ErrUnwind) {
				stack[0], err = 1, nil
			}
			return err
		}},
	{Name: "throw", Call: func(context.Context, *sandbox.Instance, []uint64) error { return sandbox.ErrUnwind }},
}}}
