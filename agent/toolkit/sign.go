package toolkit

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"wb/proof/fault"
	"wb/proof/keys"
	"wb/proof/sign"
)

// What can be wrong with a signature.
var (
	ErrNoSignature = errors.New("no_signature")
	errNoAuthor    = errors.New("no_author_did")
	errEncoding    = errors.New("bad_signature_encoding")
	errSignature   = errors.New("bad_signature")
	errSpelling    = errors.New("the manifest does not end with its signature, or has two")
	errContent     = errors.New("files were changed since it was signed")
)

// KeysFile is the key log of who signed, beside the manifest. It is one of the
// files that the digest covers.
const KeysFile = "keys.jsonl"

// A signed manifest ends with three lines: the digest of all other files, who
// signed, and the signature over the manifest with the first two.
const (
	contentKey   = "CONTENT_SHA256"
	authorKey    = "AUTHOR_DID"
	signatureKey = "SIGNATURE"
)

// Sign writes the key log of an issuer beside the manifest, and a signature into
// it.
func (t *Toolkit) Sign(by sign.Issuer) error {
	if err := by.Keys.Allows(by.Signer.DID(), keys.NoSequence); err != nil {
		return err
	}
	if err := sign.Replace(filepath.Join(t.Dir, KeysFile), by.Keys.Text(), 0o644); err != nil {
		return err
	}
	digest, err := t.contentDigest()
	if err != nil {
		return err
	}
	signed := body(t.Manifest) + fmt.Sprintf("\n#+%s: %s\n#+%s: %s", contentKey, digest, authorKey, by.Signer.DID())
	text := signed + fmt.Sprintf("\n#+%s: %s\n", signatureKey, keys.Encode(by.Signer.Sign([]byte(signed))))
	path := filepath.Join(t.Dir, "manifest.org")
	if err := sign.Replace(path, []byte(text), 0o644); err != nil {
		return err
	}
	t.Manifest = text
	return nil
}

// Signature says who signed a toolkit as it is.
type Signature struct {
	DID  string
	Keys []byte // the key log that came along; nil when none did, as in signatures of before
}

// Signature is that of a toolkit as it is, or why there is none. Whether the key
// may still sign is for [Judge] to say.
func (t *Toolkit) Signature() (*Signature, error) {
	did, err := t.signer()
	if err != nil {
		return nil, err
	}
	log, err := os.ReadFile(filepath.Join(t.Dir, KeysFile))
	if errors.Is(err, fs.ErrNotExist) {
		return &Signature{DID: did}, nil
	}
	return &Signature{did, log}, err
}

// signer is the key that signed the manifest and all other files.
func (t *Toolkit) signer() (string, error) {
	value := func(key string) string {
		for line := range strings.Lines(t.Manifest) {
			if v, ok := strings.CutPrefix(line, "#+"+key+":"); ok {
				return strings.TrimSpace(v)
			}
		}
		return ""
	}
	did, signature, content := value(authorKey), value(signatureKey), value(contentKey)
	switch {
	case signature == "":
		return "", ErrNoSignature
	case did == "":
		return "", errNoAuthor
	}
	signed := body(t.Manifest) + fmt.Sprintf("\n#+%s: %s\n#+%s: %s", contentKey, content, authorKey, did)
	if t.Manifest != signed+fmt.Sprintf("\n#+%s: %s\n", signatureKey, signature) {
		return "", errSpelling // something that the signature does not cover
	}
	switch err := keys.Verify(did, []byte(signed), signature); fault.CodeOf(err) {
	case "":
	case fault.SignatureMalformed:
		return "", errEncoding
	default:
		return "", fmt.Errorf("%w (%w)", errSignature, err)
	}
	digest, err := t.contentDigest()
	if err != nil {
		return "", err
	}
	if digest != content {
		return "", errContent
	}
	return did, nil
}

// body is the manifest without the lines of a signature.
func body(manifest string) string {
	var b strings.Builder
	for line := range strings.Lines(manifest) {
		if strings.HasPrefix(line, "#+"+contentKey+":") || strings.HasPrefix(line, "#+"+authorKey+":") || strings.HasPrefix(line, "#+"+signatureKey+":") {
			continue
		}
		b.WriteString(line)
	}
	return strings.TrimSpace(b.String())
}

// contentDigest is over the names and digests of all files but the manifest, in
// order of their names.
func (t *Toolkit) contentDigest() (string, error) {
	all := sha256.New()
	root := os.DirFS(t.Dir)
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir() || name == "manifest.org":
			return err
		case !d.Type().IsRegular():
			return fmt.Errorf("%s: only regular files can be signed", filepath.Join(t.Dir, name))
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		fmt.Fprintf(all, "%q %x\n", name, sha256.Sum256(text))
		return nil
	})
	return hex.EncodeToString(all.Sum(nil)), err
}
