package remote

import (
	"fmt"
	"maps"
	"slices"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/sha"
	"wb/internal/value"
	"wb/sandbox"
)

// Request is a program to be built and run, as data. Nothing in it says who
// wants it or which run it belongs to.
type Request struct {
	// Lang is the language's own name; Fingerprint is the lane's, with the
	// digests of its toolchains: a peer with another lane refuses.
	Lang, Fingerprint string
	Source            *compile.Source
	// The parts of the job that are data; see [compile.Job].
	Inputs  []value.Field
	Stdin   []byte
	Args    []string
	Dir     string
	Limits  sandbox.Limits
	Caps    sandbox.Caps
	Session string
	// Docked says that the caller answers calls of the dock, and Granted what
	// it has been granted there.
	Docked  bool
	Granted []string
	// Tree says that the caller answers questions about files. Without it the
	// program sees Files alone.
	Tree  bool
	Files []sandbox.Entry
	// Build asks for the artifact alone. Nothing is run.
	Build bool
}

// NewRequest is the request for a program. The job's tree of files is not read:
// the peer asks for what the program wants of it.
func NewRequest(p *compile.Program) *Request {
	r := &Request{
		Lang: p.Lane.Info().Name, Fingerprint: p.Lane.Fingerprint(), Source: p.Source,
		Inputs: p.Job.Inputs, Stdin: p.Job.Stdin, Args: p.Job.Args, Dir: p.Job.Dir,
		Limits: p.Job.Limits, Caps: p.Job.Caps, Session: p.Job.Session, Tree: p.Job.Files != nil,
	}
	if p.Job.Dock != nil {
		r.Docked, r.Granted = true, p.Job.Dock.Capabilities()
	}
	return r
}

// Key names the work: the SHA-256 of the request's encoding, in hex. What the
// caller answers while the program runs is not part of it; a reply made under
// the same key holds for a caller whose files say the same (see [Reply.Holds]),
// and never when the request is Docked with anything granted.
func (r *Request) Key() (string, error) {
	data, err := r.Encode()
	if err != nil {
		return "", err
	}
	return sha.Hex(data), nil
}

// wireRequest is the header of a request.
type wireRequest struct {
	Lang        text           `json:"lang"`
	Fingerprint text           `json:"fingerprint"`
	Source      *wireSource    `json:"source"`
	Inputs      []wireField    `json:"inputs,omitempty"`
	Stdin       int            `json:"stdin,omitempty"`
	Args        []text         `json:"args,omitempty"`
	Dir         text           `json:"dir,omitempty"`
	Limits      sandbox.Limits `json:"limits"`
	Caps        sandbox.Caps   `json:"caps"`
	Session     text           `json:"session,omitempty"`
	Docked      bool           `json:"docked,omitempty"`
	Granted     []text         `json:"granted,omitempty"`
	Tree        bool           `json:"tree,omitempty"`
	Files       []wireEntry    `json:"files,omitempty"`
	Build       bool           `json:"build,omitempty"`
}

type wireField struct {
	Name  text        `json:"name"`
	Value value.Value `json:"value"`
}

// wireSource is a [compile.Source].
type wireSource struct {
	Pos      diag.Position     `json:"pos"`
	Lines    []diag.Position   `json:"lines,omitempty"`
	Lang     text              `json:"lang"`
	Body     text              `json:"body"`
	Shape    compile.Shape     `json:"shape"`
	Func     text              `json:"func,omitempty"`
	Params   []text            `json:"params,omitempty"`
	Outs     []text            `json:"outs,omitempty"`
	Sig      *text             `json:"sig,omitempty"`
	Vars     []wireVar         `json:"vars,omitempty"`
	Args     []wireArg         `json:"args,omitempty"`
	Results  []text            `json:"results,omitempty"`
	Deps     []text            `json:"deps,omitempty"`
	Packages []compile.Package `json:"packages,omitempty"`
	Session  []*wireSource     `json:"session,omitempty"`
	Files    []wireFile        `json:"files,omitempty"`
	Dir      text              `json:"dir,omitempty"`
}

type wireVar struct {
	Name     text        `json:"name"`
	Value    value.Value `json:"value"`
	ColNames []text      `json:"colnames,omitempty"`
	RowNames []text      `json:"rownames,omitempty"`
}

type wireArg struct {
	Name   text   `json:"name"`
	Values []text `json:"values"`
}

type wireFile struct {
	Name text `json:"name"`
	Data int  `json:"data"`
}

// Encode is the request as bytes: always the same for the same request.
func (r *Request) Encode() ([]byte, error) {
	b := &blobs{}
	src, err := packSource(r.Source, b)
	if err != nil {
		return nil, err
	}
	head := wireRequest{Lang: text(r.Lang), Fingerprint: text(r.Fingerprint), Source: src, Stdin: b.add(r.Stdin), Args: texts(r.Args),
		Dir: text(r.Dir), Limits: r.Limits, Caps: r.Caps, Session: text(r.Session), Docked: r.Docked, Granted: texts(r.Granted),
		Tree: r.Tree, Files: packEntries(r.Files, b), Build: r.Build}
	for _, in := range r.Inputs {
		head.Inputs = append(head.Inputs, wireField{text(in.Name), in.Value})
	}
	return encode(kindRequest, head, b)
}

// DecodeRequest reads what Encode wrote.
func DecodeRequest(message []byte) (*Request, error) {
	var head wireRequest
	b, err := decode(kindRequest, message, &head)
	if err != nil {
		return nil, err
	}
	r := &Request{Lang: string(head.Lang), Fingerprint: string(head.Fingerprint), Args: plain(head.Args), Dir: string(head.Dir),
		Limits: head.Limits, Caps: head.Caps, Session: string(head.Session), Docked: head.Docked, Granted: plain(head.Granted), Tree: head.Tree, Build: head.Build}
	if head.Source == nil {
		return nil, &FormatError{"it has no source"}
	}
	if r.Source, err = head.Source.unpack(b); err != nil {
		return nil, err
	}
	if r.Stdin, err = b.get(head.Stdin); err != nil {
		return nil, err
	}
	if r.Files, err = unpackEntries(head.Files, b); err != nil {
		return nil, err
	}
	for _, in := range head.Inputs {
		r.Inputs = append(r.Inputs, value.Field{Name: string(in.Name), Value: in.Value})
	}
	return r, nil
}

func packSource(s *compile.Source, b *blobs) (*wireSource, error) {
	if s == nil {
		return nil, fmt.Errorf("remote: a request without a source")
	}
	w := &wireSource{Pos: s.Pos, Lines: s.Lines, Lang: text(s.Lang), Body: text(s.Body), Shape: s.Shape, Func: text(s.Func),
		Params: texts(s.Params), Outs: texts(s.Outs), Results: texts(s.Results), Deps: texts(s.Deps), Packages: s.Packages, Dir: text(s.Dir)}
	if s.Sig != nil {
		sig := text(s.Sig.Text)
		w.Sig = &sig
	}
	for _, v := range s.Vars {
		w.Vars = append(w.Vars, wireVar{text(v.Name), v.Value, texts(v.ColNames), texts(v.RowNames)})
	}
	for _, name := range slices.Sorted(maps.Keys(s.Args)) {
		w.Args = append(w.Args, wireArg{text(name), texts(s.Args[name])})
	}
	for _, earlier := range s.Session {
		one, err := packSource(earlier, b)
		if err != nil {
			return nil, err
		}
		w.Session = append(w.Session, one)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Files)) {
		w.Files = append(w.Files, wireFile{text(name), b.add(s.Files[name])})
	}
	return w, nil
}

func (w *wireSource) unpack(b *blobs) (*compile.Source, error) {
	s := &compile.Source{Pos: w.Pos, Lines: w.Lines, Lang: string(w.Lang), Body: string(w.Body), Shape: w.Shape, Func: string(w.Func),
		Params: plain(w.Params), Outs: plain(w.Outs), Results: plain(w.Results), Deps: plain(w.Deps), Packages: w.Packages, Dir: string(w.Dir)}
	if w.Sig != nil {
		sig, err := value.ParseSig(string(*w.Sig))
		if err != nil {
			return nil, &FormatError{err.Error()}
		}
		s.Sig = sig
	}
	for _, v := range w.Vars {
		s.Vars = append(s.Vars, compile.Var{Name: string(v.Name), Value: v.Value, ColNames: plain(v.ColNames), RowNames: plain(v.RowNames)})
	}
	s.Args = make(map[string][]string, len(w.Args))
	for _, a := range w.Args {
		s.Args[string(a.Name)] = plain(a.Values)
	}
	for _, earlier := range w.Session {
		one, err := earlier.unpack(b)
		if err != nil {
			return nil, err
		}
		s.Session = append(s.Session, one)
	}
	if w.Files != nil {
		s.Files = make(map[string][]byte, len(w.Files))
	}
	for _, f := range w.Files {
		data, err := b.get(f.Data)
		if err != nil {
			return nil, err
		}
		s.Files[string(f.Name)] = data
	}
	return s, nil
}
