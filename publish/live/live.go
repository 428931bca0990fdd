package live

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"wb/compile"
	"wb/internal/sha"
	"wb/internal/value"
	"wb/org"
	"wb/publish/page"
	"wb/sandbox"
	"wb/workbook"
)

// How many bytes of programs, compressed, a page holds at most, and how many may
// lie beside it, of which readers fetch what they run.
const (
	DefaultLimit = 4 << 20
	BesideLimit  = 32 << 20
)

// Mode is the choice of #+PUBLISH_LIVE:.
type Mode string

// The modes.
const (
	ModeYes Mode = "yes" // what fits under the limit
	ModeNo  Mode = "no"  // nothing
	ModeAll Mode = "all" // everything that runs in a browser, whatever its size
)

// ModeOf reads #+PUBLISH_LIVE:, "yes" when it is not there or unknown.
func ModeOf(src []byte) Mode {
	doc := org.Parse(src)
	if k, ok := doc.Setting("PUBLISH_LIVE"); ok {
		switch mode := Mode(strings.ToLower(strings.TrimSpace(k.Text))); mode {
		case ModeNo, ModeAll:
			return mode
		}
	}
	return ModeYes
}

// Config says what is shipped.
type Config struct {
	// Mode is no, yes or all; "" asks the document (see [ModeOf]).
	Mode Mode
	// Limit is in bytes of compressed programs; 0 is [DefaultLimit], and
	// [BesideLimit] with Href.
	Limit int
	// Href says where the module with a digest is served, for pages that are
	// part of a site: readers fetch it when they run what needs it. nil puts
	// modules into the page.
	Href func(digest string) string
	// Shared is work that pages share; nil shares none.
	Shared *Shared
}

// Shared keeps what several pages ship alike, such as the machine of a language,
// so that it is made once. It is safe for concurrent use.
type Shared struct {
	mu        sync.Mutex
	modules   map[string]*module              // by the digest of the plain module
	memories  map[*sandbox.Snapshot]*snapshot // each taken apart once
	libraries map[*compile.Library]*module
}

// NewShared has nothing yet.
func NewShared() *Shared {
	return &Shared{modules: map[string]*module{}, memories: map[*sandbox.Snapshot]*snapshot{}, libraries: map[*compile.Library]*module{}}
}

// snapshot is the frozen memory of a language's machine.
type snapshot struct {
	*module
	size    int
	globals map[string]string // the bits of each, in decimal
}

// module gives the metered form of a program.
func (s *Shared) module(wasm []byte) (*module, error) {
	key := sha.Hex(wasm)
	s.mu.Lock()
	defer s.mu.Unlock()
	if m := s.modules[key]; m != nil {
		return m, nil
	}
	metered, err := sandbox.Portable(wasm)
	if err != nil {
		return nil, &compile.NotPortable{Reason: "its program cannot be metered outside the sandbox"}
	}
	m, err := newModule(metered)
	if err == nil {
		s.modules[key] = m
	}
	return m, err
}

// memory gives the parts of a snapshot.
func (s *Shared) memory(frozen *sandbox.Snapshot) (*snapshot, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m := s.memories[frozen]; m != nil {
		return m, nil
	}
	memory, globals, err := frozen.Parts()
	if err != nil {
		return nil, err
	}
	m := &snapshot{size: len(memory), globals: map[string]string{}}
	for name, bits := range globals {
		m.globals[name] = strconv.FormatUint(bits, 10)
	}
	if m.module, err = newModule(bytes.TrimRight(memory, "\x00")); err == nil {
		s.memories[frozen] = m
	}
	return m, err
}

// library gives the files of a machine as one: the length of a table of contents
// (four bytes, little-endian), that table (JSON, pairs of name and size) and the
// contents.
func (s *Shared) library(lib *compile.Library) (*module, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m := s.libraries[lib]; m != nil {
		return m, nil
	}
	var table [][2]any
	var contents []byte
	for _, name := range slices.Sorted(maps.Keys(lib.Files)) {
		table = append(table, [2]any{name, len(lib.Files[name])})
		contents = append(contents, lib.Files[name]...)
	}
	head, err := json.Marshal(table)
	if err != nil {
		return nil, err
	}
	all := binary.LittleEndian.AppendUint32(nil, uint32(len(head)))
	m, err := newModule(slices.Concat(all, head, contents))
	if err == nil {
		s.libraries[lib] = m
	}
	return m, err
}

// Live is the part of a page that lets its readers run it.
type Live struct {
	config  Config
	items   map[string]*item
	order   []string
	modules map[string]*module // what is shipped, by digest
	images  map[string]image   // machines of languages, by name
	worker  string             // digest of the runtime's program
}

// item is a component: runnable, or left out for a reason.
type item struct {
	print  workbook.Offprint
	why    string
	form   string
	recipe recipe
}

// module is something shipped: a metered program or the memory of a machine.
type module struct {
	digest string // of the bytes
	packed []byte // gzip
}

// image is the machine of a language, as the runtime restores it.
type image struct {
	Memory    string            `json:"memory"` // digest
	Size      int               `json:"size"`
	Globals   map[string]string `json:"globals"`
	Landmarks any               `json:"landmarks,omitempty"`
	Dir       string            `json:"dir,omitempty"`     // of the library
	Library   string            `json:"library,omitempty"` // digest
}

// recipe is the runtime's input.
type recipe struct {
	Name    string              `json:"name"`
	Module  string              `json:"module"`
	Args    []string            `json:"args,omitempty"`
	Env     []string            `json:"env,omitempty"`
	Dir     string              `json:"dir,omitempty"`
	Stdin   []byte              `json:"stdin,omitempty"`
	Files   map[string][]byte   `json:"files,omitempty"`
	Limits  limits              `json:"limits"`
	Entry   compile.Entry       `json:"entry"`
	Sig     *signature          `json:"sig,omitempty"`
	Func    string              `json:"func,omitempty"`
	Listed  bool                `json:"listed,omitempty"`
	Placed  bool                `json:"placed,omitempty"`
	Fails   string              `json:"fails,omitempty"`
	JSON    bool                `json:"json,omitempty"`
	Machine string              `json:"machine,omitempty"`
	Beside  map[string]string   `json:"beside,omitempty"` // digests of further modules
	Image   string              `json:"image,omitempty"`
	Program any                 `json:"program,omitempty"`
	Layout  *layout             `json:"layout,omitempty"`
	Read    compile.Reading     `json:"read,omitempty"`
	Dedent  bool                `json:"dedent,omitempty"`
	Crash   *compile.CrashGuide `json:"crash,omitempty"`
	Feed    workbook.Feed       `json:"feed,omitempty"`
	Inputs  []input             `json:"inputs,omitempty"`
	Show    show                `json:"show"`
	Kept    kept                `json:"kept"`
}

// limits are those of the sandbox that do not depend on the reader's machine.
type limits struct {
	Fuel   int64 `json:"fuel"`
	Memory int64 `json:"memory"`
	Output int64 `json:"output"`
	Files  int64 `json:"files"`
}

type layout struct {
	In  uint32 `json:"in"`
	Out uint32 `json:"out"`
}

type signature struct {
	Name    string  `json:"name"`
	Params  []param `json:"params,omitempty"`
	Results []param `json:"results,omitempty"`
}

type param struct {
	Name string `json:"name"`
	Type typ    `json:"type"`
}

type typ struct {
	Kind   value.TypeKind `json:"kind"`
	Args   []typ          `json:"args,omitempty"`
	Fields []param        `json:"fields,omitempty"`
}

// input is something the reader may change; its value is in the exact form.
type input struct {
	Name  string `json:"name"`
	Type  *typ   `json:"type,omitempty"`
	Value string `json:"value"` // JSON
}

// show says how an outcome becomes what the page shows.
type show struct {
	Shape compile.Shape `json:"shape"`
	Words []string      `json:"words,omitempty"`
	Outs  []string      `json:"outs,omitempty"`
}

// kept holds the outputs that a re-run with equal inputs must reproduce.
type kept struct {
	Value  string `json:"value"` // SHA-256 of the value in the exact form
	Stdout string `json:"stdout"`
	Exit   int    `json:"exit"`
	Fuel   int64  `json:"fuel"`
}

// New lays out what the components of a workbook need in a browser. Nothing
// runs; the results must be known (see workbook.Offprints). Components that
// cannot be shipped are told apart by the page, see [Live.Component].
func New(ctx context.Context, book workbook.Book, config Config) (*Live, error) {
	if config.Mode == "" {
		config.Mode = ModeOf(book.Source)
	}
	switch {
	case config.Limit > 0:
	case config.Href != nil:
		config.Limit = BesideLimit
	default:
		config.Limit = DefaultLimit
	}
	if config.Shared == nil {
		config.Shared = NewShared()
	}
	l := &Live{config: config, items: map[string]*item{}, modules: map[string]*module{}, images: map[string]image{}}
	if config.Mode == ModeNo {
		return l, nil
	}
	prints, err := workbook.Offprints(ctx, book)
	if err != nil {
		return nil, err
	}
	left := config.Limit
	for _, o := range prints {
		it := &item{print: o, why: o.Why}
		l.items[o.Component.ID] = it
		l.order = append(l.order, o.Component.ID)
		if it.why != "" {
			continue
		}
		if err := l.add(it, &left); err != nil {
			return nil, fmt.Errorf("%s: %w", o.Component.Pos, err)
		}
	}
	return l, l.addWorker()
}

// addWorker ships the runtime's program, with what the machines of the components
// need of it.
func (l *Live) addWorker() error {
	if len(l.modules) == 0 {
		return nil
	}
	machines := map[string]bool{}
	for _, id := range l.Runs() {
		machines[l.items[id].recipe.Machine] = true
	}
	text, err := program(workerModules(slices.Sorted(maps.Keys(machines))))
	if err != nil {
		return err
	}
	m, err := newModule([]byte(text))
	if err != nil {
		return err
	}
	l.worker, l.modules[m.digest] = m.digest, m
	return nil
}

// add ships what a component needs, unless another brought it, and writes its
// recipe.
func (l *Live) add(it *item, left *int) error {
	r := it.print.Recipe
	needs, name := []*module{}, ""
	beside := map[string]string{}
	for title, wasm := range r.Programs() {
		m, err := l.config.Shared.module(wasm)
		if not, ok := errors.AsType[*compile.NotPortable](err); ok {
			it.why = not.Reason
			return nil
		}
		if err != nil {
			return err
		}
		needs, beside[title] = append(needs, m), m.digest
	}
	var machine image
	if r.Image != nil {
		frozen, err := l.config.Shared.memory(r.Image.Snapshot)
		if err != nil {
			return err
		}
		needs, name = append(needs, frozen.module), r.Machine
		machine = image{Memory: frozen.digest, Size: frozen.size, Globals: frozen.globals, Landmarks: r.Image.Landmarks}
		if lib := r.Image.Library; lib != nil {
			files, err := l.config.Shared.library(lib)
			if err != nil {
				return err
			}
			needs = append(needs, files)
			machine.Dir, machine.Library = lib.Dir, files.digest
		}
	}
	size := 0
	for _, m := range needs {
		if l.modules[m.digest] == nil {
			size += len(m.packed)
		}
	}
	if l.config.Mode != ModeAll && size > *left {
		holds := "this page may hold"
		if l.config.Href != nil {
			holds = "may lie beside this page"
		}
		it.why = fmt.Sprintf("its program takes %s, more than is left of the %s that %s; #+PUBLISH_LIVE: all ships it", megabytes(size), megabytes(l.config.Limit), holds)
		return nil
	}
	*left -= size
	for _, m := range needs {
		l.modules[m.digest] = m
	}
	if r.Image != nil {
		l.images[name] = machine
	}
	it.recipe = l.recipe(it, beside, name)
	it.form = l.panel(it)
	return nil
}

func newModule(data []byte) (*module, error) {
	packed, err := pack(data)
	return &module{digest: sha.Hex(data), packed: packed}, err
}

func pack(wasm []byte) ([]byte, error) {
	var out bytes.Buffer
	z := gzip.NewWriter(&out) // the best there is takes three times as long for the last percent
	if _, err := z.Write(wasm); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func megabytes(n int) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }

func (l *Live) recipe(it *item, digests map[string]string, image string) recipe {
	o := it.print
	r := o.Recipe
	program := digests[r.Name]
	delete(digests, r.Name)
	lim := r.Limits
	out := recipe{
		Name: r.Name, Module: program, Beside: digests, Machine: r.Machine, Image: image, Program: r.Program, Args: r.Args, Env: r.Env, Dir: r.Dir, Stdin: r.Stdin, Files: o.Files,
		Limits: limits{Fuel: lim.Fuel, Memory: lim.Memory, Output: lim.Output, Files: lim.Files},
		Entry:  r.Entry, Sig: signatureOf(r.Sig), Func: r.Func, Listed: r.Listed, Placed: r.Placed, Fails: r.Fails, JSON: r.JSON, Read: r.Read, Dedent: r.Dedent, Crash: r.Crash, Feed: o.Feed,
		Show: show{Shape: o.Shape, Words: o.Words, Outs: o.Outs},
		Kept: kept{Value: o.Kept.Value.Digest(), Stdout: sha.Hex(o.Kept.Stdout), Exit: o.Kept.Exit, Fuel: o.Kept.Fuel},
	}
	if r.Entry == compile.EntryKernel {
		out.Layout = &layout{r.Layout.In, r.Layout.Out}
	}
	for _, in := range o.Inputs {
		text, err := in.Value.MarshalJSON()
		if err != nil { // values always marshal
			text = []byte("null")
		}
		one := input{Name: in.Name, Value: string(text)}
		if in.Type != nil {
			t := typeOf(*in.Type)
			one.Type = &t
		}
		out.Inputs = append(out.Inputs, one)
	}
	return out
}

func signatureOf(s *value.Sig) *signature {
	if s == nil {
		return nil
	}
	return &signature{Name: s.Name, Params: paramsOf(s.Params), Results: paramsOf(s.Results)}
}

func paramsOf(list []value.Param) []param {
	var out []param
	for _, p := range list {
		out = append(out, param{p.Name, typeOf(p.Type)})
	}
	return out
}

func typeOf(t value.Type) typ {
	out := typ{Kind: t.Kind, Fields: paramsOf(t.Fields)}
	for _, a := range t.Args {
		out.Args = append(out.Args, typeOf(a))
	}
	return out
}

// Left are the components that are not shipped, with the reasons.
func (l *Live) Left() map[string]string {
	out := map[string]string{}
	for id, it := range l.items {
		if it.why != "" {
			out[id] = it.why
		}
	}
	return out
}

// Runs are the ids of the components that readers can run, in document order.
func (l *Live) Runs() []string {
	return slices.DeleteFunc(slices.Clone(l.order), func(id string) bool { return l.items[id].why != "" })
}

// Assets are the modules by digest, gzipped, for sites that serve them as files.
func (l *Live) Assets() map[string][]byte {
	out := map[string][]byte{}
	for digest, m := range l.modules {
		out[digest] = m.packed
	}
	return out
}

// Component is the panel of a component, for page.Options.Live.
func (l *Live) Component(id string) (string, bool) {
	it := l.items[id]
	switch {
	case it == nil:
		return "", false
	case it.why != "":
		return leftOut(it.why), true
	}
	return it.form, true
}

// Foot is the end of a page with panels: the recipes, the modules
// unless they are files, and the runtime. It is "" when nothing can be run.
func (l *Live) Foot() (page.Foot, error) {
	var foot page.Foot
	if len(l.modules) == 0 {
		return foot, nil
	}
	recipes, hrefs, sizes := map[string]recipe{}, map[string]string{}, map[string]int{}
	for _, id := range l.Runs() {
		recipes[id] = l.items[id].recipe
	}
	var out strings.Builder
	for _, digest := range slices.Sorted(maps.Keys(l.modules)) {
		if l.config.Href != nil {
			hrefs[digest], sizes[digest] = l.config.Href(digest), len(l.modules[digest].packed)
			continue
		}
		fmt.Fprintf(&out, "<script type=\"application/gzip\" id=\"wb-live-%s\">%s</script>\n", digest, base64.StdEncoding.EncodeToString(l.modules[digest].packed))
	}
	data, err := json.Marshal(map[string]any{"components": recipes, "images": l.images, "modules": hrefs, "sizes": sizes, "worker": l.worker}) // escapes <, > and &
	if err != nil {
		return foot, err
	}
	if foot.Script, err = program(pageModules); err != nil {
		return foot, err
	}
	fmt.Fprintf(&out, "<script type=\"application/json\" id=\"wb-live\">%s</script>\n", data)
	foot.HTML = out.String()
	return foot, nil
}
