package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"wb/app"
	"wb/internal/diag"
	"wb/internal/identity"
	"wb/internal/value"
	"wb/org/oql"
	"wb/sandbox/dock/store"
	"wb/search/federate"
	"wb/workbook/library"
)

// libraryCmd keeps the workbooks of an identity in workspaces.
type libraryCmd struct {
	Library []string `help:"Directory with workspaces, or more of them; those that WB_LIBRARY names, or this one." placeholder:"DIR"`
	Tenant  string   `help:"Whose key signs, on a machine that serves several." default:"default" placeholder:"NAME"`

	List     libraryListCmd     `cmd:"" default:"1" help:"List the members, and whether they are what was signed for."`
	Query    libraryQueryCmd    `cmd:"" help:"Ask in OQL over the members' files, or a SELECT over their volumes."`
	Checkout libraryCheckoutCmd `cmd:"" help:"Copy a member into a directory, to work on it there."`
	Checkin  libraryCheckinCmd  `cmd:"" help:"Bring back what changed, signed; what changed on both sides is a conflict."`
}

func (c *libraryCmd) Help() string {
	return `Examples:
  wb library list --library ~/books
  wb library query --library ~/books 'todo:NEXT deadline:to=7'
  wb library query --library ~/books "SELECT path FROM vfs WHERE volume = 'memory'"
  wb library checkout reports/sales-analysis work/
  wb library checkin work/
  wb query 'from:library status:changed | select id, signer'

A workspace is a directory with a workspace.org, in which each heading tagged
:member: names a workbook or a directory with :PATH:, and with :SCOPE: write allows
checking in.`
}

// open reads the library.
func (c *libraryCmd) open(a *terminal) (*library.Library, error) {
	if len(c.Library) == 0 {
		c.Library = libraryDirs()
	}
	l, err := openLibrary(c.Library, c.Tenant)
	if err != nil {
		return nil, err
	}
	for _, problem := range l.Problems {
		a.note("wb: warning: %v", problem)
	}
	return l, nil
}

func openLibrary(dirs []string, tenant string) (*library.Library, error) {
	key, err := identity.Load("", tenant)
	if err != nil {
		return nil, err
	}
	state, err := userState()
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

// libraryTable is the library as queries see it.
func libraryTable(context.Context) (federate.Source, error) {
	return openLibrary(libraryDirs(), identity.DefaultTenant)
}

type libraryListCmd struct{}

func (c *libraryListCmd) Run(a *terminal, lib *libraryCmd) error {
	l, err := lib.open(a)
	if err != nil {
		return err
	}
	var rows []federate.Row
	for _, m := range l.Members() {
		row, err := l.Row(m)
		if err != nil {
			return err
		}
		rows = append(rows, row)
	}
	objects := make([]value.Value, len(rows))
	for i, row := range rows {
		objects[i] = value.OfObject(row...)
	}
	return a.answer("library", objects, func(w io.Writer) error {
		if len(rows) == 0 {
			_, err := fmt.Fprintln(w, "(empty library)")
			return err
		}
		tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, m := range l.Members() {
			status, files, err := l.Status(m)
			if err != nil {
				return err
			}
			digest := ""
			if files != nil {
				digest = files.Digest()[:12]
			}
			fmt.Fprintf(tab, "%s\t%s\t%s\t%s\t%s\t%s\n", m.ID(), m.Scope, status, digest, m.Provenance.Time, m.Title)
		}
		return tab.Flush()
	})
}

type libraryQueryCmd struct {
	Query []string `arg:"" help:"OQL over the headlines of all members, or a SELECT over vfs(volume, path, content, mtime) of each."`
}

func (c *libraryQueryCmd) Run(a *terminal, lib *libraryCmd) error {
	l, err := lib.open(a)
	if err != nil {
		return err
	}
	text := strings.Join(c.Query, " ")
	if word, _, _ := strings.Cut(strings.TrimSpace(text), " "); strings.EqualFold(word, "select") {
		return c.volumes(a, lib, l, text)
	}
	q, err := oql.Parse(text)
	if err != nil {
		return err
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
	answer, err := app.AskRows(a.ctx, a.home(), request, catalog)
	if err != nil {
		return err
	}
	return a.show("query", answer)
}

// memberRows are what a SELECT found in the volumes of one member.
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

func (c *libraryQueryCmd) volumes(a *terminal, lib *libraryCmd, l *library.Library, text string) error {
	found, skipped := []memberRows{}, []skippedMember{}
	for _, m := range l.Members() {
		dir := m.File()
		info, err := os.Stat(dir)
		if err != nil {
			skipped = append(skipped, skippedMember{m.ID(), "it is not there"})
			continue
		}
		if !info.IsDir() {
			dir = filepath.Dir(dir)
		}
		err = withProject(lib.Tenant, dir, func(s *store.Store) error {
			columns, rows, err := s.Query(a.ctx, text)
			if err == nil {
				found = append(found, memberRows{m.Name, m.Workspace.Name, columns, rows})
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", m.ID(), err)
		}
	}
	answer := map[string]any{"rows": found, "skipped": skipped}
	return a.answer("library", answer, func(w io.Writer) error { return diag.WriteJSON(w, answer) })
}

type libraryCheckoutCmd struct {
	Member string `arg:"" help:"WORKSPACE/NAME, or NAME where one member has it."`
	Dir    string `arg:"" help:"Directory that is empty or not there." type:"path"`
}

func (c *libraryCheckoutCmd) Run(a *terminal, lib *libraryCmd) error {
	l, err := lib.open(a)
	if err != nil {
		return err
	}
	m, err := l.Member(c.Member)
	if err != nil {
		return err
	}
	status, files, err := l.CheckOut(m, c.Dir)
	if err != nil {
		return err
	}
	if status == library.StatusChanged {
		a.note("wb: warning: %s was changed since %s signed it", m.ID(), m.Provenance.Signer)
	}
	if m.Scope != library.ScopeWrite {
		a.note("wb: %s may be read, changes cannot be checked in", m.ID())
	}
	return a.answer("library", map[string]any{"member": m.ID(), "dir": c.Dir, "files": files, "sha256": files.Digest(), "status": status}, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s: %d files → %s\n", m.ID(), len(files), c.Dir)
		return err
	})
}

type libraryCheckinCmd struct {
	Dir    string `arg:"" help:"Directory that was checked out." type:"existingdir"`
	Merged bool   `help:"What was in conflict has been merged."`
}

func (c *libraryCheckinCmd) Run(a *terminal, lib *libraryCmd) error {
	dirs := lib.Library
	if out, err := library.ReadCheckout(c.Dir); err == nil {
		dirs = []string{filepath.Dir(out.Manifest)} // it knows where it came from
	}
	l, err := openLibrary(dirs, lib.Tenant)
	if err != nil {
		return err
	}
	done, err := l.CheckIn(c.Dir, c.Merged)
	if err != nil {
		return err
	}
	return a.answer("library", done, func(w io.Writer) error {
		if done.Nothing() {
			_, err := fmt.Fprintf(w, "%s: nothing changed\n", done.Member)
			return err
		}
		for _, part := range []struct {
			did   string
			names []string
		}{{"added", done.Added}, {"changed", done.Changed}, {"removed", done.Removed}, {"taken over", done.Updated}} {
			if len(part.names) > 0 {
				fmt.Fprintf(w, "%s: %s %s\n", done.Member, part.did, strings.Join(part.names, ", "))
			}
		}
		_, err := fmt.Fprintf(w, "%s: %.12s signed by %s\n", done.Member, done.Provenance.SHA256, done.Provenance.Signer)
		return err
	})
}
