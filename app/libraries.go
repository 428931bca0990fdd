package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"wb/internal/identity"
	"wb/internal/value"
	"wb/org/oql"
	"wb/sandbox/dock/store"
	"wb/search/federate"
	"wb/workbook/library"
)

// LibraryFlags say which library, and whose.
type LibraryFlags struct {
	Library []string `help:"Directories with workspaces; by default those in WB_LIBRARY, or the current one." placeholder:"DIR"`
	TenantFlag
}

// open reads the library.
func (f *LibraryFlags) open(h *Home) (*library.Library, error) {
	if len(f.Library) == 0 {
		f.Library = libraryDirs()
	}
	l, err := openLibrary(f.Library, f.Tenant)
	if err != nil {
		return nil, err
	}
	for _, problem := range l.Problems {
		h.warn(problem)
	}
	return l, nil
}

func openLibrary(dirs []string, tenant string) (*library.Library, error) {
	key, err := identity.Load("", tenant)
	if err != nil {
		return nil, err
	}
	state, err := UserState()
	if err != nil {
		return nil, err
	}
	return library.Open(library.Config{Dirs: dirs, Key: key, Journals: filepath.Join(state.Dir(), "library")})
}

// libraryDirs are the directories of the user's library.
func libraryDirs() []string {
	if list := os.Getenv("WB_LIBRARY"); list != "" {
		return filepath.SplitList(list)
	}
	return []string{"."}
}

// LibraryTable is the user's library as queries see it.
func LibraryTable(context.Context) (federate.Source, error) {
	return openLibrary(libraryDirs(), identity.DefaultTenant)
}

// LibraryOut is the members of a library.
type LibraryOut struct {
	rows  []value.Value
	lines []string
}

// Data is the members as programs read them.
func (out *LibraryOut) Data() any { return out.rows }

var libraryList = Verb[LibraryFlags, *LibraryOut]{
	Name: "library list", Help: "List the members, and whether each is as it was signed.", About: "Example:\n  wb library list", Usual: true,
	Do: func(_ context.Context, h *Home, in *LibraryFlags) (*LibraryOut, error) {
		l, err := in.open(h)
		if err != nil {
			return nil, err
		}
		out := &LibraryOut{rows: []value.Value{}}
		for _, m := range l.Members() {
			row, err := l.Row(m)
			if err != nil {
				return nil, err
			}
			status, files, err := l.Status(m)
			if err != nil {
				return nil, err
			}
			digest := ""
			if files != nil {
				digest = files.Digest()[:12]
			}
			out.rows = append(out.rows, value.OfObject(row...))
			out.lines = append(out.lines, fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%s\n", m.ID(), m.Scope, status, digest, m.Provenance.Time, m.Title))
		}
		return out, nil
	},
	Text: func(p *Page, out *LibraryOut) error {
		if len(out.lines) == 0 {
			p.Printf("(empty library)\n")
		}
		return p.Table(func(p *Page) { p.Printf("%s", strings.Join(out.lines, "")) })
	},
}

// LibraryQueryIn holds the arguments of wb library query.
type LibraryQueryIn struct {
	Query []string `arg:"" help:"OQL over the headlines of all members, or a SELECT over vfs(volume, path, content, mtime) of each."`
	LibraryFlags
}

// LibraryQueryOut holds the results: headlines, or rows of volumes.
type LibraryQueryOut struct {
	headlines *QueryOut
	volumes   *libraryVolumes
}

// Data returns the results as programs read them.
func (out *LibraryQueryOut) Data() any {
	if out.headlines != nil {
		return out.headlines.Data()
	}
	return out.volumes
}

// Exit is 1 when a table could not be read.
func (out *LibraryQueryOut) Exit() int {
	if out.headlines != nil {
		return out.headlines.Exit()
	}
	return 0
}

// libraryVolumes are the rows of members that have volumes, and the members that
// have none.
type libraryVolumes struct {
	Rows    []memberRows    `json:"rows"`
	Skipped []skippedMember `json:"skipped"`
}

// memberRows are the rows a SELECT found in the volumes of one member.
type memberRows struct {
	Member    string   `json:"member"`
	Workspace string   `json:"workspace"`
	Columns   []string `json:"columns"`
	Rows      [][]any  `json:"rows"`
}

// skippedMember is a member without volumes.
type skippedMember struct {
	Member string `json:"member"`
	Why    string `json:"why"`
}

var libraryQuery = Verb[LibraryQueryIn, *LibraryQueryOut]{
	Name: "library query", Help: "Ask in OQL over the members' files, or a SELECT over their volumes.",
	About: "Examples:\n  wb library query 'todo:TODO | select title'\n  wb library query --json 'SELECT count(*) AS n FROM vfs'",
	Do: func(ctx context.Context, h *Home, in *LibraryQueryIn) (out *LibraryQueryOut, err error) {
		l, err := in.open(h)
		if err != nil {
			return nil, err
		}
		out = &LibraryQueryOut{}
		query := strings.Join(in.Query, " ")
		if word, _, _ := strings.Cut(strings.TrimSpace(query), " "); strings.EqualFold(word, "select") {
			out.volumes, err = in.volumes(ctx, l, query)
		} else {
			out.headlines, err = in.headlines(ctx, h, l, query)
		}
		return out, err
	},
	Text: func(p *Page, out *LibraryQueryOut) error {
		if out.headlines != nil {
			return out.headlines.text(p)
		}
		return p.JSON(out.volumes)
	},
}

func (in *LibraryQueryIn) headlines(ctx context.Context, h *Home, l *library.Library, text string) (*QueryOut, error) {
	q, err := oql.Parse(text)
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, m := range l.Members() {
		if _, err := os.Stat(m.File()); err == nil {
			paths = append(paths, m.File())
		}
	}
	catalog := federate.Open(federate.Config{Dir: ".", Getenv: os.Getenv, Tables: map[string]func(context.Context) (federate.Source, error){
		library.TableName: func(context.Context) (federate.Source, error) { return l, nil }}})
	request := oql.Request{Paths: paths, Query: q, Options: oql.Options{Foreign: catalog}}
	if len(paths) == 0 {
		request.Options.Corpus = &oql.Corpus{}
	}
	out := &QueryOut{in: &QueryIn{}}
	return out, out.ask(ctx, h, request, catalog)
}

func (in *LibraryQueryIn) volumes(ctx context.Context, l *library.Library, text string) (*libraryVolumes, error) {
	out := &libraryVolumes{[]memberRows{}, []skippedMember{}}
	for _, m := range l.Members() {
		dir := m.File()
		info, err := os.Stat(dir)
		if err != nil {
			out.Skipped = append(out.Skipped, skippedMember{m.ID(), "it is not there"})
			continue
		}
		if !info.IsDir() {
			dir = filepath.Dir(dir)
		}
		err = in.project(dir, func(s *store.Store) error {
			columns, rows, err := s.Query(ctx, text)
			if err == nil {
				out.Rows = append(out.Rows, memberRows{m.Name, m.Workspace.Name, columns, rows})
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.ID(), err)
		}
	}
	return out, nil
}

// LibraryCheckoutIn holds the arguments of wb library checkout.
type LibraryCheckoutIn struct {
	Member string `arg:"" help:"WORKSPACE/NAME, or NAME if only one member has it."`
	Dir    string `arg:"" help:"A new or empty directory." type:"path"`
	LibraryFlags
}

// CheckedOut is a member that was copied into a directory.
type CheckedOut struct {
	Dir    string         `json:"dir"`
	Files  library.Files  `json:"files"`
	Member string         `json:"member"`
	SHA256 string         `json:"sha256"`
	Status library.Status `json:"status"`
}

var libraryCheckout = Verb[LibraryCheckoutIn, *CheckedOut]{
	Name: "library checkout", Help: "Copy a member into a directory, to work on it there.", Changes: true,
	About: "Example:\n  wb library checkout reports/sales-analysis work/\n\nA member that was changed since it was signed comes with a warning, one whose\nsignature is not its signer's is refused.",
	Do: func(_ context.Context, h *Home, in *LibraryCheckoutIn) (*CheckedOut, error) {
		l, err := in.open(h)
		if err != nil {
			return nil, err
		}
		m, err := l.Member(in.Member)
		if err != nil {
			return nil, err
		}
		status, files, err := l.CheckOut(m, in.Dir)
		if err != nil {
			return nil, err
		}
		if status == library.StatusChanged {
			h.notef("wb: warning: %s was changed since %s signed it", m.ID(), m.Provenance.Signer)
		}
		if m.Scope != library.ScopeWrite {
			h.notef("wb: %s is read-only: changes cannot be checked in", m.ID())
		}
		return &CheckedOut{in.Dir, files, m.ID(), files.Digest(), status}, nil
	},
	Text: func(p *Page, out *CheckedOut) error {
		p.Printf("%s: %d files → %s\n", out.Member, len(out.Files), out.Dir)
		return nil
	},
}

// LibraryCheckinIn holds the arguments of wb library checkin.
type LibraryCheckinIn struct {
	Dir    string `arg:"" help:"The directory that was checked out." type:"existingdir"`
	Merged bool   `help:"You have merged the conflicts."`
	LibraryFlags
}

var libraryCheckin = Verb[LibraryCheckinIn, *library.CheckedIn]{
	Name: "library checkin", Help: "Copy changes back and sign them; changes on both sides are a conflict.", Changes: true,
	About: "Examples:\n  wb library checkin work/\n  wb library checkin work/ --merged",
	Do: func(_ context.Context, h *Home, in *LibraryCheckinIn) (*library.CheckedIn, error) {
		if out, err := library.ReadCheckout(in.Dir); err == nil {
			in.Library = []string{filepath.Dir(out.Manifest)} // it knows where it came from
		}
		l, err := openLibrary(in.Library, in.Tenant)
		if err != nil {
			return nil, err
		}
		return l.CheckIn(in.Dir, in.Merged)
	},
	Text: func(p *Page, done *library.CheckedIn) error {
		if done.Nothing() {
			p.Printf("%s: nothing changed\n", done.Member)
			return nil
		}
		for _, part := range []struct {
			did   string
			names []string
		}{{"added", done.Added}, {"changed", done.Changed}, {"removed", done.Removed}, {"taken over", done.Updated}} {
			if len(part.names) > 0 {
				p.Printf("%s: %s %s\n", done.Member, part.did, strings.Join(part.names, ", "))
			}
		}
		p.Printf("%s: %.12s signed by %s\n", done.Member, done.Provenance.SHA256, done.Provenance.Signer)
		return nil
	},
}
