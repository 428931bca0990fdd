package target

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5"
	gitconfig "github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"

	"wb/internal/diag"
	"wb/proof/manifest"
	"wb/proof/releasedir"
	"wb/publish/target/client"
)

// Names of gh-pages.
const (
	defaultBranch = "gh-pages"
	defaultRemote = "origin"
	noJekyll      = ".nojekyll" // GitHub is to serve the files as they are
	domainFile    = "CNAME"

	// outgoing names the commit that is being pushed, until it is.
	outgoing = plumbing.ReferenceName("refs/wb/publish")
)

// ghPages deploys to a branch of a git repository: one commit a release, pushed
// to a remote. Objects and references are written, and nothing else: neither the
// user's work tree, nor the index, nor the branch that is checked out.
type ghPages struct {
	config Config
	branch plumbing.ReferenceName
	remote string
	keep   int

	repo *git.Repository // once opened
	tip  *object.Commit  // of the branch, after the remote was asked; nil when there is none
}

func newGHPages(config Config) (*ghPages, error) {
	p := &ghPages{config: config, remote: config.Remote, keep: config.Keep}
	if p.config.Repo == "" {
		p.config.Repo = "."
	}
	if p.remote == "" {
		p.remote = defaultRemote
	}
	branch := config.Branch
	if branch == "" {
		branch = defaultBranch
	}
	p.branch = plumbing.NewBranchReferenceName(branch)
	if err := p.branch.Validate(); err != nil {
		return nil, &ConfigError{fmt.Sprintf("%q cannot be the name of a branch", branch), "#+PUBLISH_BRANCH: gh-pages"}
	}
	if p.keep <= 0 {
		p.keep = releasedir.DefaultKeep
	}
	return p, nil
}

func (p *ghPages) Name() string { return GHPages + " " + p.remote + " " + p.branch.Short() }

// ConflictError says that a branch cannot be changed as it is.
type ConflictError struct{ Text, Advice string }

func (e *ConflictError) Error() string { return e.Text }

// Hint says what to do.
func (e *ConflictError) Hint() string { return e.Advice }

// ExitCode is that of a conflict.
func (e *ConflictError) ExitCode() int { return diag.ExitConflict }

// open finds the repository and the tip of the branch, as the remote has it.
func (p *ghPages) open(ctx context.Context) error {
	if p.repo != nil {
		return nil
	}
	repo, err := git.PlainOpenWithOptions(p.config.Repo, &git.PlainOpenOptions{DetectDotGit: true, EnableDotGitCommonDir: true})
	if errors.Is(err, git.ErrRepositoryNotExists) {
		return &ConfigError{p.config.Repo + " is not in a git repository", "git init, and git remote add origin URL"}
	}
	if err != nil {
		return err
	}
	if head, err := repo.Storer.Reference(plumbing.HEAD); err == nil && head.Target() == p.branch {
		return &ConflictError{p.branch.Short() + " is checked out in " + p.config.Repo, "switch to another branch; publishing never changes a work tree"}
	}
	theirs, err := p.fetch(ctx, repo)
	if err != nil {
		return err
	}
	ours, err := commitAt(repo, p.branch)
	if err != nil {
		return err
	}
	p.repo = repo
	p.tip, err = later(p.branch.Short(), ours, theirs)
	return err
}

// later is the one of two commits that comes after the other; nil comes first.
func later(branch string, ours, theirs *object.Commit) (*object.Commit, error) {
	switch {
	case ours == nil:
		return theirs, nil
	case theirs == nil:
		return ours, nil
	}
	if ahead, err := ours.IsAncestor(theirs); err != nil || ahead {
		return theirs, err
	}
	if ahead, err := theirs.IsAncestor(ours); err != nil || ahead {
		return ours, err
	}
	return nil, &ConflictError{"the branch " + branch + " diverged here and at the remote", "git branch -D " + branch + " takes the remote's"}
}

// commitAt is the commit of a reference, nil when there is none.
func commitAt(repo *git.Repository, name plumbing.ReferenceName) (*object.Commit, error) {
	ref, err := repo.Reference(name, true)
	if errors.Is(err, plumbing.ErrReferenceNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return repo.CommitObject(ref.Hash())
}

// at is the remote: one of the repository's by its name, or a URL.
func (p *ghPages) at(repo *git.Repository) (remote *git.Remote, tracking plumbing.ReferenceName, err error) {
	remote, err = repo.Remote(p.remote)
	if err == nil {
		return remote, plumbing.NewRemoteReferenceName(p.remote, p.branch.Short()), nil
	}
	if !strings.ContainsAny(p.remote, ":/") {
		return nil, "", &ConfigError{"the repository has no remote " + p.remote, "git remote add " + p.remote + " URL"}
	}
	remote = git.NewRemote(repo.Storer, &gitconfig.RemoteConfig{Name: "wb", URLs: []string{p.remote}})
	return remote, plumbing.NewRemoteReferenceName("wb", p.branch.Short()), nil
}

// fetch brings the remote's branch here and gives its tip, nil when the remote
// has no such branch.
func (p *ghPages) fetch(ctx context.Context, repo *git.Repository) (*object.Commit, error) {
	remote, tracking, err := p.at(repo)
	if err != nil {
		return nil, err
	}
	auth, err := p.auth(ctx, remote)
	if err != nil {
		return nil, err
	}
	spec := gitconfig.RefSpec(fmt.Sprintf("+%s:%s", p.branch, tracking))
	err = remote.FetchContext(ctx, &git.FetchOptions{RemoteName: remote.Config().Name, RefSpecs: []gitconfig.RefSpec{spec}, Auth: auth, Tags: git.NoTags})
	switch {
	case err == nil, errors.Is(err, git.NoErrAlreadyUpToDate):
		return commitAt(repo, tracking)
	case errors.Is(err, transport.ErrEmptyRemoteRepository), errors.As(err, new(git.NoMatchingRefSpecError)):
		return nil, nil
	}
	return nil, fmt.Errorf("%s cannot be fetched: %w", p.remote, err)
}

// auth is how to log in to a remote over https: as its URL says, as git's
// credential helpers say, or with GITHUB_TOKEN at GitHub. Other ways, such as
// ssh, find the user's keys by themselves; nothing is shown over plain http.
func (p *ghPages) auth(ctx context.Context, remote *git.Remote) (transport.AuthMethod, error) {
	urls := remote.Config().URLs
	if len(urls) == 0 {
		return nil, &ConfigError{"the remote " + p.remote + " has no URL", "git remote set-url " + p.remote + " URL"}
	}
	u, err := url.Parse(urls[0])
	if err != nil || u.Scheme != "https" || u.User != nil {
		return nil, nil
	}
	if user, password := client.Credential(ctx, u.Scheme, u.Host, u.Path); password != "" {
		return &githttp.BasicAuth{Username: user, Password: password}, nil
	}
	for _, name := range []string{"GITHUB_TOKEN", "GH_TOKEN"} {
		if token := p.config.getenv()(name); token != "" && u.Host == "github.com" {
			return &githttp.BasicAuth{Username: "x-access-token", Password: token}, nil
		}
	}
	return nil, nil
}

// deploy implements place.
func (p *ghPages) deploy(ctx context.Context, s *site) (Release, error) {
	if err := p.open(ctx); err != nil {
		return Release{}, err
	}
	files := manifest.Files{noJekyll: nil}
	if p.config.Domain != "" {
		files[domainFile] = []byte(p.config.Domain + "\n")
	}
	maps.Copy(files, s.files)
	tree, err := writeTree(p.repo.Storer, files)
	if err != nil {
		return Release{}, err
	}
	release := s.release
	release.Current = true
	if p.tip != nil && p.tip.TreeHash == tree {
		release.Deployed = p.tip.Committer.When.UTC()
		return release, p.push(ctx, p.tip.Hash) // a push that failed before may be left to do
	}
	when, err := p.commit(ctx, tree, fmt.Sprintf("Release %d\n\n%s by %s\n", release.Sequence, release.ID, release.IssuerDID))
	release.Deployed = when
	return release, err
}

// commit puts a tree on the branch and pushes it.
func (p *ghPages) commit(ctx context.Context, tree plumbing.Hash, message string) (time.Time, error) {
	who, err := p.author()
	if err != nil {
		return time.Time{}, err
	}
	c := &object.Commit{Author: who, Committer: who, Message: message, TreeHash: tree}
	if p.tip != nil {
		c.ParentHashes = []plumbing.Hash{p.tip.Hash}
	}
	stored := p.repo.Storer.NewEncodedObject()
	if err := c.Encode(stored); err != nil {
		return time.Time{}, err
	}
	hash, err := p.repo.Storer.SetEncodedObject(stored)
	if err != nil {
		return time.Time{}, err
	}
	return who.When.UTC(), p.push(ctx, hash)
}

// author is who the user's git settings say.
func (p *ghPages) author() (object.Signature, error) {
	settings, err := p.repo.ConfigScoped(gitconfig.SystemScope)
	if err != nil {
		return object.Signature{}, err
	}
	who := object.Signature{Name: settings.User.Name, Email: settings.User.Email, When: time.Now()}
	if who.Name == "" {
		who.Name = "wb"
	}
	if who.Email == "" {
		who.Email = "wb@wb.invalid"
	}
	return who, nil
}

// push brings a commit to the remote's branch, which must not have moved, and
// then to the local one: after a push that failed everything is as it was.
func (p *ghPages) push(ctx context.Context, hash plumbing.Hash) error {
	remote, tracking, err := p.at(p.repo)
	if err != nil {
		return err
	}
	auth, err := p.auth(ctx, remote)
	if err != nil {
		return err
	}
	if err := p.repo.Storer.SetReference(plumbing.NewHashReference(outgoing, hash)); err != nil {
		return err
	}
	defer p.repo.Storer.RemoveReference(outgoing) //nolint:errcheck // a name more does no harm
	spec := gitconfig.RefSpec(fmt.Sprintf("%s:%s", outgoing, p.branch))
	err = remote.PushContext(ctx, &git.PushOptions{RemoteName: remote.Config().Name, RefSpecs: []gitconfig.RefSpec{spec}, Auth: auth})
	switch {
	case err == nil, errors.Is(err, git.NoErrAlreadyUpToDate):
	case errors.Is(err, git.ErrNonFastForwardUpdate), strings.Contains(err.Error(), "non-fast-forward"):
		return &ConflictError{"the remote's " + p.branch.Short() + " moved meanwhile", "deploy again"}
	default:
		return fmt.Errorf("%s cannot be pushed to: %w", p.remote, err)
	}
	if p.tip, err = p.repo.CommitObject(hash); err != nil {
		return err
	}
	return errors.Join(p.repo.Storer.SetReference(plumbing.NewHashReference(p.branch, hash)),
		p.repo.Storer.SetReference(plumbing.NewHashReference(tracking, hash)))
}

// kept is a release in the history of the branch.
type kept struct {
	Release
	tree *object.Tree
}

// history are the last releases of the branch, newest first. Rolling back adds a
// commit, so that a release may stand there more than once.
func (p *ghPages) history(ctx context.Context) ([]kept, error) {
	if err := p.open(ctx); err != nil {
		return nil, err
	}
	var out []kept
	for at := p.tip; at != nil; {
		tree, err := at.Tree()
		if err != nil {
			return nil, err
		}
		if r, ok := describeTree(tree); ok {
			i := slices.IndexFunc(out, func(k kept) bool { return k.ID == r.ID })
			if i < 0 {
				r.Current = at == p.tip
				out = append(out, kept{r, tree})
				i = len(out) - 1
			}
			out[i].Deployed = at.Committer.When.UTC() // when it was first deployed
		}
		if at.NumParents() == 0 {
			break
		}
		if at, err = at.Parent(0); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(out, func(a, b kept) int { return b.Sequence - a.Sequence })
	last := out[:min(len(out), p.keep)]
	for _, k := range out[len(last):] {
		if k.Current {
			last = append(last, k)
		}
	}
	return last, nil
}

// describeTree is the release that a tree holds, if any: users may have had
// other things on the branch before.
func describeTree(tree *object.Tree) (Release, bool) {
	f, err := tree.File(manifest.SitePath)
	if err != nil {
		return Release{}, false
	}
	text, err := f.Contents()
	if err != nil {
		return Release{}, false
	}
	info, _, err := releasedir.Describe([]byte(text))
	return info, err == nil
}

func (p *ghPages) List(ctx context.Context) ([]Release, error) {
	all, err := p.history(ctx)
	var out []Release
	for _, k := range all {
		out = append(out, k.Release)
	}
	return out, err
}

func (p *ghPages) newest(ctx context.Context) (manifest.Files, error) {
	all, err := p.history(ctx)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return readTree(all[0].tree)
}

func (p *ghPages) current(ctx context.Context) (manifest.Files, error) {
	if err := p.open(ctx); err != nil || p.tip == nil {
		return nil, err
	}
	tree, err := p.tip.Tree()
	if err != nil {
		return nil, err
	}
	return readTree(tree)
}

func (p *ghPages) rollback(ctx context.Context, to Release) error {
	all, err := p.history(ctx)
	if err != nil {
		return err
	}
	for _, k := range all {
		if k.ID == to.ID {
			_, err := p.commit(ctx, k.tree.Hash, fmt.Sprintf("Roll back to release %d\n\n%s\n", to.Sequence, to.ID))
			return err
		}
	}
	return releasedir.NotFound(to.ID)
}
