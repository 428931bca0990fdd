package app

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"wb/compile/toolchain"
	"wb/internal/whole"
	"wb/publish/site"
	"wb/publish/site/deploy"
	"wb/publish/site/worker"
)

// laidOut is a site as wb-publish laid it out: in a directory that goes when the
// release is made, or in one that stays for the next.
type laidOut struct {
	dir    string
	reply  *worker.Reply
	before *deploy.Made // the inputs of the last release, nil when unknown

	temporary string
	kept      string // the directory that stays, "" without
	inputs    string // what the site is made of now
}

// keptRelease is the saved state of a release besides the site: its inputs, and what
// wb-publish said. Nothing is laid out again while the inputs are the same.
type keptRelease struct {
	Inputs string        `json:"inputs"`
	Reply  *worker.Reply `json:"reply"`
	Dir    string        `json:"dir"`
	Made   *deploy.Made  `json:"made"`
	By     string        `json:"by"` // the program that looked for leaks
}

// releaseFile is where it lies in the directory.
const releaseFile = "release.json"

// layOut has wb-publish lay out a site. What it does for a site that is to be signed, it
// keeps in the user's cache, and does again only for what changed.
func (h *Home) layOut(ctx context.Context, r worker.Request, dir string, config site.Config, keep bool) (*laidOut, error) {
	var to worker.Listener
	var off func()
	to.Made, off = h.follow("making", "pages")
	defer off()
	var kept string
	if r.Do == worker.Site && keep {
		var err error
		if kept, err = keptDir(dir); err != nil { // it costs time, not the release
			h.notef("the build is not saved, so the next release builds everything again: %v", err)
		}
	}
	if kept == "" {
		stage, err := os.MkdirTemp("", "wb-publish-*")
		if err != nil {
			return nil, err
		}
		r.Out = stage
		reply, err := h.Work(ctx, r, to)
		return &laidOut{dir: stage, reply: reply, temporary: stage}, err
	}
	l := &laidOut{kept: kept}
	var err error
	if r.Machine, err = h.machine(ctx); err != nil {
		return nil, err
	}
	if l.inputs, err = site.Inputs(dir, config); err != nil {
		return nil, err
	}
	ask := r.Ask
	ask.Now = time.Time{}
	l.inputs = fmt.Sprintf("%s %s strict=%v %v", r.Machine, l.inputs, r.Strict, ask)
	var last keptRelease
	if text, err := os.ReadFile(filepath.Join(l.kept, releaseFile)); err == nil && json.Unmarshal(text, &last) == nil {
		if last.By == programState() {
			l.before = last.Made
		}
		if last.Inputs == l.inputs && last.Reply != nil && (last.Reply.Until.IsZero() || r.Ask.Now.Before(last.Reply.Until)) {
			l.dir, l.reply = last.Dir, last.Reply
			return l, nil
		}
	}
	r.Kept = l.kept
	if l.reply, err = h.Work(ctx, r, to); err != nil {
		return nil, err
	}
	l.dir = l.reply.Out
	return l, nil
}

// close removes what does not stay.
func (l *laidOut) close() {
	if l.temporary != "" {
		os.RemoveAll(l.temporary)
	}
}

// forget removes what would stay.
func (l *laidOut) forget() error { return os.RemoveAll(l.kept) }

// keep writes down what a release was made of.
func (l *laidOut) keep(made *deploy.Made) error {
	if l.kept == "" || made == nil {
		return nil
	}
	text, err := json.Marshal(keptRelease{l.inputs, l.reply, l.dir, made, programState()})
	if err != nil {
		return err
	}
	name := filepath.Join(l.kept, releaseFile)
	if old, err := os.ReadFile(name); err == nil && string(old) == string(text) {
		return nil
	}
	return whole.File{}.Write(name, text)
}

// keptDir is where the site of a directory stays between releases: a directory that can
// be written to.
func keptDir(dir string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	at, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	kept := filepath.Join(cache, "wb", "sites", fmt.Sprintf("%x", sha256.Sum256([]byte(at)))[:32])
	if err := os.MkdirAll(kept, 0o700); err != nil {
		return "", err
	}
	probe, err := os.CreateTemp(kept, "probe-*")
	if err != nil {
		return "", err
	}
	return kept, errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// machine names what pages depend on besides the directory of the site: the program
// that lays them out, and the toolchains that are installed.
func (h *Home) machine(ctx context.Context) (string, error) {
	path, err := worker.Find(ctx, h.notef)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	fmt.Fprintln(sum, stateOf(path))
	tools, err := toolchain.Open("")
	if err != nil {
		return "", err
	}
	entries, err := os.ReadDir(tools.Dir())
	if err != nil && !os.IsNotExist(err) {
		return "", err
	}
	for _, e := range entries {
		fmt.Fprintln(sum, stateOf(filepath.Join(tools.Dir(), e.Name())))
	}
	return fmt.Sprintf("%x", sum.Sum(nil)), nil
}

// programState names this program.
func programState() string {
	path, err := os.Executable()
	if err != nil {
		info, _ := debug.ReadBuildInfo()
		return fmt.Sprint(info)
	}
	return stateOf(path)
}

// stateOf names the state of a file.
func stateOf(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Sprint(path, err)
	}
	if info.Mode()&fs.ModeType != 0 {
		return path + " " + info.ModTime().String()
	}
	return fmt.Sprint(path, info.Size(), info.ModTime().UnixNano())
}
