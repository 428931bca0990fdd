package app

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"time"

	"wb/agent/settings"
	"wb/internal/diag"
	"wb/sandbox/dock/replica"
	"wb/sandbox/dock/store"
	"wb/workbook/capability"
)

// volumeCopies are the volumes that the user wants copied, and their targets.
func volumeCopies() (capability.Copies, error) {
	user, err := settings.Load(os.Getenv)
	if err != nil || user.Volumes.Copy == "" {
		return capability.Copies{}, err
	}
	every, err := user.Volumes.Interval()
	return capability.Copies{Every: every, Open: func() (replica.Target, error) { return openCopies(user.Volumes) }}, err
}

func openCopies(v settings.Volumes) (replica.Target, error) {
	return replica.Open(replica.Config{To: v.Copy, Endpoint: v.Endpoint, Region: v.Region, KeyEnv: v.KeyEnv, SecretEnv: v.SecretEnv, Getenv: os.Getenv})
}

// copiesFlags say where copies lie.
type copiesFlags struct {
	At string `help:"Where copies lie, in the place of volumes.copy in wb.toml: a directory, or s3://BUCKET/PREFIX." placeholder:"TARGET"`
}

func (f copiesFlags) target() (replica.Target, error) {
	user, err := settings.Load(os.Getenv)
	if err != nil {
		return nil, err
	}
	if user.Volumes.Copy = cmp.Or(f.At, user.Volumes.Copy); user.Volumes.Copy == "" {
		return nil, diag.Usagef("name it with --at, or set copy in [volumes] of "+user.Path, "nothing says where copies of volumes lie")
	}
	return openCopies(user.Volumes)
}

// CopyOut is a copy of what a directory's components keep.
type CopyOut struct {
	Dir        string    `json:"dir"`
	Host       string    `json:"host"`
	Line       string    `json:"line"`
	Generation int       `json:"generation"`
	At         time.Time `json:"at"`
	Bytes      int64     `json:"bytes,omitempty"` // of its databases
}

func copyOut(g *replica.Generation) *CopyOut {
	return &CopyOut{g.Dir, g.Host, replica.Short(g.Line), g.Number, g.At, g.Bytes()}
}

// CopiesListIn is the input of wb volume list.
type CopiesListIn struct {
	All bool `help:"All generations, not only the newest of each."`
	copiesFlags
	TenantFlag
}

var copiesList = Verb[CopiesListIn, []CopyOut]{
	Name: "volume list", Help: "List the copies of volumes that lie elsewhere.", Usual: true,
	About: "Examples:\n  wb volume list\n  wb volume list --at s3://backup/wb --all",
	Do: func(ctx context.Context, h *Home, in *CopiesListIn) ([]CopyOut, error) {
		to, err := in.target()
		if err != nil {
			return nil, err
		}
		lines, err := replica.Lines(ctx, to, in.Tenant, "")
		h.warn(err)
		list := []CopyOut{}
		for _, g := range lines {
			if in.All {
				numbers, times, err := replica.History(ctx, to, g.Line)
				if err != nil {
					return nil, err
				}
				for i, n := range numbers[:len(numbers)-1] {
					old := *copyOut(g)
					old.Generation, old.At, old.Bytes = n, times[i].UTC(), 0
					list = append(list, old)
				}
			}
			list = append(list, *copyOut(g))
		}
		return list, nil
	},
	Text: func(p *Page, list []CopyOut) error {
		return p.Table(func(p *Page) {
			for _, c := range list {
				p.Printf("%s\t%s\t%s\t%d\t%s\n", c.Dir, c.Host, c.Line, c.Generation, c.At.Format("2006-01-02 15:04:05"))
			}
		})
	},
}

// CopiesMakeIn is the input of wb volume copy.
type CopiesMakeIn struct {
	projectFlags
	copiesFlags
}

var copiesMake = Verb[CopiesMakeIn, *CopyOut]{
	Name: "volume copy", Help: "Copy what components of a directory keep, unless the newest copy is the same.", Changes: true,
	About: `Examples:
  wb volume copy
  wb volume copy --at /mnt/backup

With copy in [volumes] of wb.toml, what components keep is copied while it
changes, and this verb is only for what was there before.

Copies are packed, not encrypted: who can read the target can read them. Keep
them on a disk or in a bucket that encrypts what lies there.`,
	Do: func(ctx context.Context, _ *Home, in *CopiesMakeIn) (out *CopyOut, err error) {
		to, err := in.target()
		if err != nil {
			return nil, err
		}
		return out, in.projectAt(in.Dir, func(s *store.Store, dir string) error {
			g, err := replica.Copy(ctx, to, replica.Source{Store: s, Tenant: in.Tenant, Dir: dir})
			if err == nil && g == nil {
				err = diag.NotFoundf("", "components of %s keep nothing yet", dir)
			}
			if err == nil {
				out = copyOut(g)
			}
			return err
		})
	},
	Text: func(p *Page, c *CopyOut) error {
		p.Printf("%s: generation %d of %s, %d bytes\n", c.Dir, c.Generation, c.Line, c.Bytes)
		return nil
	},
}

// CopiesRestoreIn is the input of wb volume restore.
type CopiesRestoreIn struct {
	Of         string `help:"The directory that was copied, where that is another one." placeholder:"DIR"`
	Line       string `help:"Which copy, where several machines made some; wb volume list names them." placeholder:"LINE"`
	Generation int    `help:"Which generation; the last by default." placeholder:"NUMBER"`
	Force      bool   `help:"Replace what is kept here."`
	projectFlags
	copiesFlags
}

var copiesRestore = Verb[CopiesRestoreIn, *CopyOut]{
	Name: "volume restore", Help: "Restore what components of a directory kept from a copy.", Changes: true,
	About: `Examples:
  wb volume restore
  wb volume restore --at s3://backup/wb --of /home/ann/project
  wb volume restore --generation 41 --force

Everything is checked before anything changes: each piece by its digest, and
each database by SQLite.`,
	Do: func(ctx context.Context, _ *Home, in *CopiesRestoreIn) (out *CopyOut, err error) {
		from, err := in.target()
		if err != nil {
			return nil, err
		}
		return out, in.projectAt(in.Dir, func(s *store.Store, dir string) error {
			if empty, err := s.Empty(ctx); err != nil {
				return err
			} else if !empty && !in.Force {
				return diag.Busyf("--force replaces it; wb volume copy keeps it first", "components of %s keep something already", dir)
			}
			of := dir
			if in.Of != "" {
				if of, err = filepath.Abs(in.Of); err != nil {
					return err
				}
			}
			g, err := replica.Find(ctx, from, replica.Choice{Tenant: in.Tenant, Dir: of, Line: in.Line, Generation: in.Generation})
			if err != nil {
				return err
			}
			out = copyOut(g)
			return replica.Restore(ctx, from, g, s)
		})
	},
	Text: func(p *Page, c *CopyOut) error {
		p.Printf("restored generation %d of %s, made %s on %s, %d bytes\n", c.Generation, c.Dir, c.At.Format("2006-01-02 15:04:05"), c.Host, c.Bytes)
		return nil
	},
}
