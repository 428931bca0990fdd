package tangle

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"wb/internal/value"
)

// shelf is a Library for tests.
type shelf []*Chunk

func (s shelf) Headline(string) (string, bool) { return "", false }

func (s shelf) Named(id string) (*Chunk, bool) {
	for _, c := range s {
		if strings.EqualFold(c.Name, id) {
			return c, true
		}
	}
	return nil, false
}

func (s shelf) Referenced(id string) (found []*Chunk) {
	for _, c := range s {
		if c.Ref == id {
			found = append(found, c)
		}
	}
	return found
}

func TestExpand(t *testing.T) {
	blocks := shelf{
		{Name: "two", Body: "line1\nline2", Noweb: "no"},
		{Name: "nested", Body: "[\n  <<two>>\n]", Noweb: "yes"},
		{Name: "literal", Body: "<<two>>", Noweb: "no"},
		{Name: "v", Body: "1.2.3"},
		{Ref: "parts", Body: "a", Separator: "\n"},
		{Ref: "parts", Body: "b", Separator: " + "},
		{Ref: "parts", Body: "c", Separator: "\n"},
		{Name: "gap", Body: "x\n\ny"},
		{Name: "loop", Body: "<<pool>>", Noweb: "yes"},
		{Name: "pool", Body: "<<loop>>", Noweb: "yes"},
	}
	tests := []struct{ name, body, want string }{
		{"alone", "<<two>>", "line1\nline2"},
		{"case ignored", "<<TWO>>", "line1\nline2"},
		{"prefix repeats", "# <<two>> end", "# line1\n# line2 end"},
		{"prefix of a second reference starts after the first", "<<two>> <<two>>", "line1\nline2 line1\n line2"},
		{"prefix on blank lines", "\t<<gap>>", "\tx\n\t\n\ty"},
		{"nested", "f(<<nested>>)", "f([\nf(  line1\nf(  line2\nf(])"},
		{"not nested when the block says no", "<<literal>>", "<<two>>"},
		{"parts joined by each one's separator", "<<parts>>", "a\nb + c"},
		{"undefined is empty", "a <<nothing>> b", "a  b"},
		{"no references", "<< two >> <<two > > <<", "<< two >> <<two > > <<"},
		{"one-letter names swallow the line", `"<<v>>" "<<v>>-x"`, `"-x"`},
		{"one-letter name alone", "<<v>>", "1.2.3"},
		// The id at the first << is `<two`, which names nothing; the third > stays.
		{"three brackets", "<<<two>>>", ">"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e := &Expander{Library: blocks}
			got, err := e.Expand(context.Background(), &Chunk{Body: test.body})
			if err != nil || got != test.want {
				t.Errorf("expand %q\n got %q %v\nwant %q", test.body, got, err, test.want)
			}
		})
	}
	t.Run("cycle", func(t *testing.T) {
		e := &Expander{Library: blocks}
		_, err := e.Expand(context.Background(), &Chunk{Body: "<<loop>>"})
		if !errors.Is(err, ErrNowebCycle) || !strings.Contains(err.Error(), "loop → pool → loop") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("prefix no", func(t *testing.T) {
		e := &Expander{Library: blocks}
		got, err := e.Expand(context.Background(), &Chunk{Body: "  <<two>>", NoPrefix: true})
		if err != nil || got != "  line1\nline2" {
			t.Errorf("got %q %v", got, err)
		}
	})
}

func TestExpandCall(t *testing.T) {
	e := &Expander{Library: shelf{}}
	_, err := e.Expand(context.Background(), &Chunk{Body: "<<run(1)>>"})
	if !errors.Is(err, ErrNowebCall) {
		t.Errorf("without Call: %v", err)
	}
	e.Call = func(_ context.Context, call string) (value.Value, error) {
		return value.OfList(value.OfString(call), value.OfFloat(2)), nil
	}
	got, err := e.Expand(context.Background(), &Chunk{Body: "<<run(1)>>"})
	if want := `("run(1)" 2.0)`; err != nil || got != want {
		t.Errorf("got %q %v, want %q", got, err, want)
	}
}

// A reference that doubles itself must stop, not exhaust memory.
func TestExpandIsBounded(t *testing.T) {
	blocks := shelf{{Name: "b00", Body: strings.Repeat("x", 1024)}}
	for i := 1; i < 40; i++ {
		below := blocks[len(blocks)-1].Name
		name := "b" + string(rune('0'+i/10)) + string(rune('0'+i%10))
		blocks = append(blocks, &Chunk{Name: name, Noweb: "yes", Body: "<<" + below + ">><<" + below + ">>"})
	}
	e := &Expander{Library: blocks, MaxBytes: 1 << 20}
	_, err := e.Expand(context.Background(), &Chunk{Body: "<<b39>>"})
	if !errors.Is(err, ErrNowebTooBig) {
		t.Errorf("got %v", err)
	}
}

// Which homonym wins depends on what was looked up before, as in org-babel.
func TestExpandRemembers(t *testing.T) {
	blocks := shelf{
		{Name: "both", Body: "named"},
		{Ref: "both", Body: "referenced"},
		{Ref: "other", Body: "other"},
	}
	e := &Expander{Library: blocks}
	ctx := context.Background()
	first, _ := e.Expand(ctx, &Chunk{Body: "<<both>>"})
	if first != "named" {
		t.Errorf("before any :noweb-ref lookup: %q", first)
	}
	if _, err := e.Expand(ctx, &Chunk{Body: "<<other>>"}); err != nil {
		t.Fatal(err)
	}
	if again, _ := e.Expand(ctx, &Chunk{Body: "<<both>>"}); again != "referenced" {
		t.Errorf("after a :noweb-ref lookup: %q", again)
	}
}

func FuzzExpand(f *testing.F) {
	f.Add("a <<two>> b", "line1\nline2")
	f.Add("<<<two>>>", "<<two>>")
	f.Add("<<v>> <<two\n>>", "<<v>>")
	f.Add("é<<é>>\r\n<<two>>", "\r")
	f.Fuzz(func(t *testing.T, body, inner string) {
		blocks := shelf{
			{Name: "two", Body: inner, Noweb: "yes"},
			{Name: "v", Body: inner, Ref: "é", Noweb: "no"},
		}
		e := &Expander{Library: blocks, MaxBytes: 1 << 16}
		top := &Chunk{Body: body}
		got, err := e.Expand(context.Background(), top)
		if err != nil {
			if !errors.Is(err, ErrNowebCycle) && !errors.Is(err, ErrNowebTooBig) && !errors.Is(err, ErrNowebCall) {
				t.Fatalf("unexpected error %v", err)
			}
			return
		}
		var none Wrap
		if len(none.References(body)) == 0 && got != body {
			t.Fatalf("a body without references changed: %q → %q", body, got)
		}
		if stripped := none.Strip(body); len(stripped) > len(body) {
			t.Fatalf("strip grew %q to %q", body, stripped)
		}
	})
}

// A document names the marks of its references in its file-local variables, at
// its end or on its first line.
func TestNowebWrap(t *testing.T) {
	const blocks = "#+begin_src sh :noweb-ref part\necho part\n#+end_src\n#+begin_src sh :noweb yes :tangle a.sh\n%s\ncat <<part>>log\npart\n#+end_src\n"
	for reference, doc := range map[string]string{
		"<<<part>>>": blocks + "\n# Local Variables:\n# org-babel-noweb-wrap-start: \"<<<\"\n# org-babel-noweb-wrap-end: \">>>\"\n# End:\n",
		"«part»":     "# -*- mode: org; org-babel-noweb-wrap-start: \"«\"; org-babel-noweb-wrap-end: \"»\" -*-\n" + blocks,
	} {
		p := newProject(t, fmt.Sprintf(doc, reference))
		p.mustTangle()
		if got, want := p.read("a.sh"), "echo part\ncat <<part>>log\npart\n"; got != want {
			t.Errorf("%s: got %q, want %q", reference, got, want)
		}
	}
}
