package library

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"wb/internal/diag"
	"wb/internal/identity"
	"wb/internal/slug"
	"wb/org"
	"wb/org/orgfile"
)

// Manifest is the name of the file that describes a workspace.
const Manifest = "workspace.org"

// memberTag marks the headings that are members.
const memberTag = "member"

// Library is the workspaces of an identity.
type Library struct {
	Workspaces []*Workspace
	// Problems are manifests and members that cannot be used, with places.
	Problems []error
	config   Config
}

// Config says whose library it is and where.
type Config struct {
	// Dirs are searched for manifests, with what is below them.
	Dirs []string
	// Key signs what comes back; DIDs names who else is the identity's own.
	Key identity.Key
	// Journals is a directory that makes writing of several files all or
	// nothing; see package orgfile.
	Journals string
}

// Workspace is a directory with a manifest.
type Workspace struct {
	Name    string
	Title   string
	File    string // the manifest
	Dir     string
	Members []*Member
}

// Member is a workbook of a workspace.
type Member struct {
	Workspace *Workspace
	Name      string // the heading's slug
	Title     string
	Line      int
	Path      string // below the workspace, by slash
	Scope     Scope
	DID       string // whose it is, "" when the library's
	// What the last check-in wrote; zero when there was none.
	Provenance Provenance
}

// Scope is the access to a member: read or write.
type Scope string

// The scopes.
const (
	ScopeRead  Scope = "read"
	ScopeWrite Scope = "write"
)

// ID names a member in the library.
func (m *Member) ID() string { return m.Workspace.Name + "/" + m.Name }

// Open reads the workspaces below the directories of a configuration, sorted by
// name. What is wrong with a manifest is among the problems; the rest stands.
func Open(config Config) (*Library, error) {
	if _, err := orgfile.Recover(config.Journals); err != nil {
		return nil, fmt.Errorf("finishing an earlier check-in: %w", err)
	}
	l := &Library{config: config}
	seen := map[string]bool{}
	for _, dir := range config.Dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && path != dir && strings.HasPrefix(d.Name(), "."):
				return fs.SkipDir
			case d.Name() != Manifest || !d.Type().IsRegular():
				return nil
			}
			abs, err := filepath.Abs(path)
			if err != nil || seen[abs] {
				return err
			}
			seen[abs] = true
			return l.read(path)
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(l.Workspaces, func(a, b *Workspace) int {
		if c := strings.Compare(a.Name, b.Name); c != 0 {
			return c
		}
		return strings.Compare(a.File, b.File)
	})
	return l, nil
}

func (l *Library) read(path string) error {
	file, err := orgfile.Read(path)
	if err != nil {
		return err
	}
	w := &Workspace{File: path, Dir: filepath.Dir(path)}
	w.Name = slug.Of(filepath.Base(mustAbs(w.Dir)))
	if name, ok := file.Doc.Setting("WORKSPACE"); ok && slug.Of(name.Text) != "" {
		w.Name = slug.Of(name.Text)
	}
	if title, ok := file.Doc.Setting("TITLE"); ok {
		w.Title = title.Text
	}
	for _, other := range l.Workspaces {
		if other.Name == w.Name {
			l.problem(path, 1, "a second workspace %s, after %s", w.Name, other.File)
			return nil
		}
	}
	for h := range file.Doc.Headlines() {
		if !slices.Contains(h.LocalTags(), memberTag) {
			continue
		}
		if m, err := w.member(file.Doc, h); err != nil {
			line, _ := file.Doc.Position(h.Start())
			l.problem(path, line, "%v", err)
		} else {
			w.Members = append(w.Members, m)
		}
	}
	l.Workspaces = append(l.Workspaces, w)
	return nil
}

func (l *Library) problem(path string, line int, format string, args ...any) {
	l.Problems = append(l.Problems, fmt.Errorf("%s:%d:1: "+format, append([]any{path, line}, args...)...))
}

// member reads a heading.
func (w *Workspace) member(doc *org.Document, h org.Headline) (*Member, error) {
	m := &Member{Workspace: w, Title: h.Title.Text, Name: slug.Of(h.Title.Text), Scope: ScopeRead}
	m.Line, _ = doc.Position(h.Start())
	get := func(key string) string {
		v, _ := h.Property(key)
		return strings.TrimSpace(v)
	}
	switch scope := Scope(get("SCOPE")); scope {
	case "":
	case ScopeRead, ScopeWrite:
		m.Scope = scope
	default:
		return nil, fmt.Errorf("member %s: scope %q: expected read or write", m.Title, scope)
	}
	if m.Path = get("PATH"); m.Path == "" {
		return nil, fmt.Errorf("no :PATH: in the drawer of member %s", m.Title)
	}
	m.Path = strings.TrimSuffix(filepath.ToSlash(m.Path), "/")
	if m.Path == "." || !filepath.IsLocal(filepath.FromSlash(m.Path)) {
		return nil, fmt.Errorf("member %s: %s is not below its workspace", m.Title, m.Path)
	}
	if m.DID = get("DID"); m.DID != "" {
		if _, err := identity.PublicOf(m.DID); err != nil {
			return nil, fmt.Errorf("member %s: %w", m.Title, err)
		}
	}
	for _, other := range w.Members {
		if other.Name == m.Name {
			return nil, fmt.Errorf("a second member %s", m.Name)
		}
	}
	m.Provenance = Provenance{SHA256: get(propSHA256), Signer: get(propSigner), Signature: get(propSignature), Time: get(propTime)}
	return m, nil
}

func mustAbs(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	return abs
}

// Member finds a member by WORKSPACE/NAME, or by its name where that is enough.
func (l *Library) Member(name string) (*Member, error) {
	var found []*Member
	for _, m := range l.Members() {
		if m.ID() == name {
			return m, nil
		}
		if m.Name == name {
			found = append(found, m)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	if len(found) == 0 {
		return nil, diag.NotFoundf("wb library list", "there is no member %s", name)
	}
	var several []string
	for _, m := range found {
		several = append(several, m.ID())
	}
	return nil, diag.NotFoundf("wb library list", "%s is the name of %s", name, strings.Join(several, " and "))
}

// Members are those of all workspaces.
func (l *Library) Members() []*Member {
	var all []*Member
	for _, w := range l.Workspaces {
		all = append(all, w.Members...)
	}
	return all
}

// File is where a member lies: a file or a directory.
func (m *Member) File() string { return filepath.Join(m.Workspace.Dir, filepath.FromSlash(m.Path)) }

// Err is all that is wrong with the library, nil when nothing is.
func (l *Library) Err() error { return errors.Join(l.Problems...) }

// Provenance is where a member's content came from, as its drawer says.
type Provenance struct {
	SHA256    string // of its files, see [Files.Digest]
	Signer    string // a did:key
	Signature string // base64
	Time      string // an inactive timestamp
}

// The properties that a check-in writes.
const (
	propSHA256    = "SOURCE_SHA256"
	propSigner    = "SIGNED_BY"
	propSignature = "SIGNATURE"
	propTime      = "CHECKED_IN"
)
