package deploy

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"wb/internal/diag"
	"wb/proof/manifest"
	"wb/proof/verify"
)

// Made says what the files of a release were made of, so that the next release keeps
// those that are made of the same: their signatures, and that nothing leaks.
type Made struct {
	DID   string              `json:"did"`   // the key that signed
	Rules string              `json:"rules"` // a digest of what was looked for in them
	Files map[string]MadeFile `json:"files"`
}

// MadeFile records the inputs of one file.
type MadeFile struct {
	From string `json:"from"`           // a digest of the file before it was signed
	Said string `json:"said,omitempty"` // a digest of what its manifest says besides
}

// made records the inputs of a job's release.
func (j Job) made(with Options) *Made {
	if j.Digests == nil {
		return nil
	}
	m := &Made{DID: with.Issuer.Signer.DID(), Rules: rulesOf(with), Files: map[string]MadeFile{}}
	for name, digest := range j.Digests {
		m.Files[name] = MadeFile{digest, j.saidOf(name)}
	}
	return m
}

func (j Job) saidOf(name string) string {
	said := j.Assertions[name]
	if said == nil {
		return ""
	}
	text, err := json.Marshal(said)
	if err != nil {
		return err.Error() // as no other assertions have it
	}
	return manifest.SHA256(text)
}

// rulesOf is a digest of what is looked for in files before they leave. Only who has
// the key can make it, so that it cannot be used to guess secrets.
func rulesOf(with Options) string {
	var rules []string
	for _, s := range with.Secrets {
		rules = append(rules, s.Name+" "+manifest.SHA256(s.Value))
	}
	slices.Sort(rules)
	return manifest.SHA256(with.Issuer.Signer.Sign(fmt.Appendf(nil, "wb leak rules %q %q", rules, with.AllowLeak)))
}

// StaleError says that the staged files are not what was said of them.
type StaleError struct{ Path string }

func (e *StaleError) Error() string { return e.Path + " has changed since it was built" }

// ExitCode is that of what has failed.
func (e *StaleError) ExitCode() int { return diag.ExitFailed }

// read gives the files of the job's site. Those that the last release has, made of the
// same by the same key, are taken as they are in the output directory; stay lists them,
// as the release does. It is nil where nothing is known of what the last one was made of.
func (j Job) read(out *Output, history manifest.Files, with Options) (files manifest.Files, stay map[string]manifest.File, err error) {
	if j.Digests == nil {
		files, err = verify.ReadDir(j.Stage)
		return files, nil, err
	}
	stay = j.staying(out, history, with)
	files = manifest.Files{}
	root, err := os.OpenRoot(j.Stage)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	for name, digest := range j.Digests {
		if _, stays := stay[name]; stays {
			files[name] = out.old[name]
			continue
		}
		data, err := root.ReadFile(filepath.FromSlash(name))
		if errors.Is(err, fs.ErrNotExist) || err == nil && manifest.SHA256(data) != digest {
			err = &StaleError{name}
		}
		if err != nil {
			return nil, nil, err
		}
		files[name] = data
	}
	return files, stay, nil
}

// staying are the files of the last release that are made of the same, and lie in the
// output directory with the digests that the release has.
func (j Job) staying(out *Output, history manifest.Files, with Options) map[string]manifest.File {
	if j.Before == nil || with.Issuer == nil || j.Before.DID != with.Issuer.Signer.DID() || history[manifest.SitePath] == nil {
		return nil
	}
	last, err := manifest.ReadSite(history[manifest.SitePath])
	if err != nil || last.IssuerDID != j.Before.DID {
		return nil // who signs says what is wrong with it
	}
	stay := map[string]manifest.File{}
	for _, f := range last.Files {
		was, known := j.Before.Files[f.Path]
		if digest, wanted := j.Digests[f.Path]; !known || !wanted || was.From != digest || was.Said != j.saidOf(f.Path) {
			continue
		}
		if data, there := out.old[f.Path]; there && len(data) == f.Size && manifest.SHA256(data) == f.SHA256 {
			stay[f.Path] = f
		}
	}
	return stay
}

// leaks looks through the files that no release had before under the same rules.
func (j Job) leaks(files manifest.Files, stay map[string]manifest.File, with Options) error {
	look := files
	if stay != nil && j.Before.Rules == rulesOf(with) {
		look = manifest.Files{}
		for name, data := range files {
			if _, stays := stay[name]; !stays {
				look[name] = data
			}
		}
	}
	if err := Leaks(look, with); err != nil {
		return err
	}
	for _, carried := range j.Carry {
		if err := Leaks(carried, with); err != nil {
			return err
		}
	}
	return nil
}
