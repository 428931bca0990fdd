package sites

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wb/internal/diag"
	"wb/proof/fault"
	"wb/proof/keys"
	"wb/proof/manifest"
	"wb/proof/releasedir"
	"wb/proof/verify"
	"wb/publish/leak"
)

// Limits of uploads that no quota changes.
const (
	maxManifest = 16 << 20
	maxLogFile  = 1 << 20 // of the log of releases
	maxOrder    = 64 << 10

	// idleTimeout is how long nothing may come of a file.
	idleTimeout = time.Minute
)

// Upload is the answer to a manifest: its digest, which names the upload, and the
// files to send.
type Upload struct {
	Upload  string   `json:"upload"`
	Release string   `json:"release"`
	Need    []string `json:"need"`
}

// refuse answers with what is wrong.
func (s *Server) refuse(w http.ResponseWriter, err error) {
	var f *fault.Error
	var busy *diag.BusyError
	var missing *diag.NotFoundError
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &f):
		fail(w, http.StatusUnprocessableEntity, string(f.Code), f.Path, f.Text)
	case errors.As(err, &busy):
		fail(w, http.StatusConflict, "busy", "", "another deployment is running")
	case errors.As(err, &missing):
		fail(w, http.StatusNotFound, "not_found", "", missing.Error())
	case errors.As(err, &large):
		fail(w, http.StatusRequestEntityTooLarge, "too_large", "", fmt.Sprintf("more than %d bytes", large.Limit))
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, os.ErrDeadlineExceeded):
		fail(w, http.StatusBadRequest, "cut_short", "", "the request ended early")
	default:
		s.config.Warn(err)
		fail(w, http.StatusInternalServerError, "internal", "", "the server failed; its log has the reason")
	}
}

// body reads a small body as a whole.
func body(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	return io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
}

// begin takes a manifest and says which files of it are missing here.
func (s *Server) begin(w http.ResponseWriter, r *http.Request, at *site) {
	text, err := body(w, r, maxManifest)
	if err != nil {
		s.refuse(w, err)
		return
	}
	m, err := acceptable(text)
	if err != nil {
		s.refuse(w, err)
		return
	}
	if problem := s.overQuota(r, m); problem != "" {
		fail(w, http.StatusRequestEntityTooLarge, "quota", "", problem)
		return
	}
	at.change.Lock()
	defer at.change.Unlock()
	out, err := at.prepare(text, m)
	if err != nil {
		s.refuse(w, err)
		return
	}
	answer(w, http.StatusOK, out)
}

// acceptable checks what a manifest says by itself, before anything is written.
func acceptable(text []byte) (*manifest.Site, error) {
	m, err := manifest.ReadSite(text)
	if err != nil {
		return nil, fault.In(manifest.SitePath, err)
	}
	if m.Kind != manifest.KindSite {
		return nil, fault.New(fault.BundleKind, "the manifest is that of a %s", m.Kind)
	}
	if err := m.CheckSignature(); err != nil {
		return nil, fault.In(manifest.SitePath, err)
	}
	for _, f := range m.Files {
		if leak.Kept(f.Path) {
			return nil, &fault.Error{Code: fault.PathUnsafe, Path: f.Path, Text: "hidden files and records of runs are not served"}
		}
	}
	return m, m.CheckList()
}

// overQuota says which bound a release would break, "" for none.
func (s *Server) overQuota(r *http.Request, m *manifest.Site) string {
	total := int64(0)
	for _, f := range m.Files {
		if f.Size < 0 {
			return "a file of negative size"
		}
		total += int64(f.Size)
	}
	quota := s.config.Quota
	tenant, _, _ := s.find(r)
	switch {
	case total > quota.Bytes:
		return fmt.Sprintf("the release has %d bytes; the limit is %d", total, quota.Bytes)
	case len(m.Files) > quota.Files:
		return fmt.Sprintf("the release has %d files; the limit is %d", len(m.Files), quota.Files)
	}
	sites, err := os.ReadDir(filepath.Join(s.config.Dir, tenant))
	if err != nil && !os.IsNotExist(err) {
		s.config.Warn(err)
	}
	known := slices.ContainsFunc(sites, func(e os.DirEntry) bool { return e.Name() == r.PathValue("site") })
	if !known && len(sites) >= quota.Sites {
		return fmt.Sprintf("the server has %d sites; the limit is %d", len(sites), quota.Sites)
	}
	return ""
}

// prepare makes the stage of an upload, with what earlier releases have of it. A
// site has one upload at a time: the newest manifest wins.
func (at *site) prepare(text []byte, m *manifest.Site) (*Upload, error) {
	unlock, err := at.dir.Lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	newest, err := at.newest()
	if err != nil {
		return nil, err
	}
	if newest != nil && newest.IdentityDID != m.IdentityDID {
		return nil, fault.New(fault.IssuerUnexpected, "the site belongs to %s, but the published one to %s", m.IdentityDID, newest.IdentityDID)
	}
	if newest != nil && m.Sequence < newest.Sequence {
		return nil, fault.New(fault.SequenceRollback, "release %d; release %d was seen before", m.Sequence, newest.Sequence)
	}
	out := &Upload{Upload: manifest.SHA256(text), Release: releasedir.ID(m.Sequence, text), Need: []string{}}
	if err := at.dir.Clean(out.Upload); err != nil {
		return nil, err
	}
	stage, err := at.dir.Stage(out.Upload)
	if err != nil {
		return nil, err
	}
	defer stage.Close()
	own := manifest.File{Path: manifest.SitePath, Size: len(text), SHA256: out.Upload}
	if !stage.Has(own) {
		if err := stage.Add(own, bytes.NewReader(text)); err != nil {
			return nil, err
		}
	}
	missing := m.Files
	current, err := at.dir.Current()
	if err != nil {
		return nil, err
	}
	for _, id := range []string{current, newest.id()} {
		if id == "" {
			continue
		}
		if missing, err = stage.Reuse(id, missing); err != nil {
			return nil, err
		}
	}
	for _, f := range missing {
		if !stage.Has(f) {
			out.Need = append(out.Need, f.Path)
		}
	}
	for _, path := range manifest.LogPaths(m.Sequence) {
		out.Need = append(out.Need, manifest.LogPrefix+path)
	}
	return out, nil
}

// put takes one file of an upload.
func (s *Server) put(w http.ResponseWriter, r *http.Request, at *site) {
	name, upload := r.PathValue("path"), r.URL.Query().Get("upload")
	stage, m, err := at.upload(upload)
	if err != nil {
		s.refuse(w, err)
		return
	}
	if stage == nil {
		fail(w, http.StatusConflict, "no_upload", name, "unknown upload; POST the manifest to .wb/releases first")
		return
	}
	defer stage.Close()
	i := slices.IndexFunc(m.Files, func(f manifest.File) bool { return f.Path == name })
	slow := &patient{body: r.Body, control: http.NewResponseController(w)}
	switch {
	case i >= 0:
		err = stage.Add(m.Files[i], slow)
	case strings.HasPrefix(name, manifest.LogPrefix) && slices.Contains(manifest.LogPaths(m.Sequence), strings.TrimPrefix(name, manifest.LogPrefix)):
		var text []byte
		if text, err = body(w, r, maxLogFile); err == nil {
			err = stage.Add(manifest.File{Path: name, Size: len(text), SHA256: manifest.SHA256(text)}, bytes.NewReader(text))
		}
	default:
		err = &fault.Error{Code: fault.FileUnlisted, Path: name, Text: "is not in the manifest"}
	}
	if err != nil {
		s.refuse(w, err)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// patient reads a body as long as something comes.
type patient struct {
	body    io.Reader
	control *http.ResponseController
}

func (p *patient) Read(b []byte) (int, error) {
	_ = p.control.SetReadDeadline(time.Now().Add(idleTimeout)) // where the connection has none, none is needed
	return p.body.Read(b)
}

// upload is the stage of that name with its manifest, nil when there is none.
func (at *site) upload(name string) (*releasedir.Stage, *manifest.Site, error) {
	if len(name) != 64 || strings.Trim(name, "0123456789abcdef") != "" || !at.dir.HasStage(name) {
		return nil, nil, nil
	}
	stage, err := at.dir.Stage(name)
	if err != nil {
		return nil, nil, err
	}
	text, err := stage.ReadFile(manifest.SitePath)
	if err != nil {
		return nil, nil, errors.Join(err, stage.Close())
	}
	m, err := manifest.ReadSite(text)
	if err != nil {
		return nil, nil, errors.Join(err, stage.Close())
	}
	return stage, m, nil
}

// publish verifies an upload as readers would and shows it.
func (s *Server) publish(w http.ResponseWriter, r *http.Request, at *site) {
	at.change.Lock()
	defer at.change.Unlock()
	stage, _, err := at.upload(r.URL.Query().Get("upload"))
	if err != nil {
		s.refuse(w, err)
		return
	}
	if stage == nil {
		fail(w, http.StatusConflict, "no_upload", "", "unknown upload; POST the manifest to .wb/releases first")
		return
	}
	defer stage.Close()
	info, err := at.show(stage)
	if err != nil {
		s.refuse(w, err)
		return
	}
	answer(w, http.StatusOK, info)
}

// show makes an upload the current release, when it is valid.
func (at *site) show(stage *releasedir.Stage) (releasedir.Info, error) {
	unlock, err := at.dir.Lock()
	if err != nil {
		return releasedir.Info{}, err
	}
	defer unlock()
	files, err := stage.Read()
	if err != nil {
		return releasedir.Info{}, err
	}
	newest, err := at.newest()
	if err != nil {
		return releasedir.Info{}, err
	}
	var before manifest.Files
	if newest != nil {
		if before, err = verify.ReadDir(at.dir.ReleasePath(newest.ID)); err != nil {
			return releasedir.Info{}, err
		}
	}
	if err := verify.Next(files, before, false).Err(); err != nil {
		return releasedir.Info{}, err
	}
	info, _, err := releasedir.Describe(files[manifest.SitePath])
	if err != nil {
		return info, err
	}
	if err := errors.Join(stage.Commit(info.ID), at.dir.Switch(info.ID), at.dir.Prune()); err != nil {
		return info, err
	}
	if info, err = at.dir.Info(info.ID); err != nil {
		return info, err
	}
	info.Current = true
	return info, nil
}

// known is a release that is kept, or none.
type known struct{ releasedir.Info }

func (k *known) id() string {
	if k == nil {
		return ""
	}
	return k.ID
}

// newest is the release with the highest number, nil when there is none.
func (at *site) newest() (*known, error) {
	all, err := at.dir.List()
	if err != nil || len(all) == 0 {
		return nil, err
	}
	return &known{all[0]}, nil
}

// list gives the releases that are kept.
func (s *Server) list(w http.ResponseWriter, _ *http.Request, at *site) {
	all, err := at.dir.List()
	if err != nil {
		s.refuse(w, err)
		return
	}
	if all == nil {
		all = []releasedir.Info{}
	}
	answer(w, http.StatusOK, all)
}

// rollback carries out a signed order to show an older release.
func (s *Server) rollback(w http.ResponseWriter, r *http.Request, at *site) {
	text, err := body(w, r, maxOrder)
	if err != nil {
		s.refuse(w, err)
		return
	}
	at.change.Lock()
	defer at.change.Unlock()
	info, err := at.obey(text)
	if err != nil {
		s.refuse(w, err)
		return
	}
	answer(w, http.StatusOK, info)
}

// obey carries out an order when the site's own key, by the newest key log that
// is here, gave it for what is shown now.
func (at *site) obey(text []byte) (releasedir.Info, error) {
	order, err := manifest.ReadOrder(text)
	if err != nil {
		return releasedir.Info{}, err
	}
	unlock, err := at.dir.Lock()
	if err != nil {
		return releasedir.Info{}, err
	}
	defer unlock()
	newest, err := at.newest()
	if err != nil {
		return releasedir.Info{}, err
	}
	if newest == nil {
		return releasedir.Info{}, releasedir.NotFound(order.Release)
	}
	current, err := at.dir.Current()
	if err != nil {
		return releasedir.Info{}, err
	}
	log, err := os.ReadFile(filepath.Join(at.dir.ReleasePath(newest.ID), filepath.FromSlash(manifest.KeysPath)))
	if err != nil {
		return releasedir.Info{}, err
	}
	held, err := keys.ParseLog(log)
	switch {
	case err != nil:
		return releasedir.Info{}, err
	case order.IdentityDID != held.Identity():
		return releasedir.Info{}, fault.New(fault.IssuerUnexpected, "the order is signed by %s, but the site belongs to %s", order.IdentityDID, held.Identity())
	case order.Site != at.address:
		return releasedir.Info{}, fault.New(fault.IssuerUnexpected, "the order is for %s", order.Site)
	case order.Replaces != current:
		return releasedir.Info{}, fault.New(fault.SequenceFork, "the order replaces %s, but the server shows %s", order.Replaces, current)
	}
	if err := held.Allows(order.IssuerDID, newest.Sequence); err != nil {
		return releasedir.Info{}, err
	}
	info, err := at.dir.Find(order.Release)
	if err != nil {
		return info, err
	}
	info.Current = true
	return info, at.dir.Switch(info.ID)
}
