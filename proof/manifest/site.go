package manifest

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"wb/internal/identity"
	"wb/proof/fault"
	"wb/proof/jcs"
	"wb/proof/keys"
)

// SiteVersion is the version of the manifests of sites and bundles.
const SiteVersion = "workbooks-site/1"

// Where a site keeps what proves it.
const (
	SitePath  = ".well-known/wb-site.json"  // its manifest
	KeysPath  = ".well-known/wb-keys.jsonl" // the issuer's key log
	LogPrefix = ".well-known/wb-log/"       // the log of its releases
	DIDPath   = ".well-known/did.json"      // the did:web document

	// RevokedPath lists keys that are not to be believed, when there are any.
	RevokedPath = ".well-known/wb-revoked.json"
)

// Where a bundle keeps its own.
const (
	BundlePath     = "manifest.json"
	BundleKeysPath = "keys.jsonl"
)

// What a list of files is of.
const (
	KindSite   = "site"
	KindBundle = "bundle"
)

// Site is the manifest of a set of files: one release of a site, or a bundle.
type Site struct {
	Version        string      `json:"version"`
	Kind           string      `json:"kind"`         // site or bundle
	IdentityDID    string      `json:"identity_did"` // the first key of the issuer's log
	IssuerDID      string      `json:"issuer_did"`   // the key that signed
	ClaimGenerator string      `json:"claim_generator"`
	IssuedAt       string      `json:"issued_at"` // RFC 3339, UTC; the issuer's word
	Sequence       int         `json:"sequence"`  // 1 for the first release; 0 for a bundle
	Root           string      `json:"root"`      // Merkle tree hash of Files, hex
	Files          []File      `json:"files"`     // every file but the manifest and the log, sorted by path
	Assertions     []Assertion `json:"assertions"`
	Signature      string      `json:"signature"`
}

// File is one file of a site.
type File struct {
	Path   string `json:"path"`   // relative, with slashes
	Size   int    `json:"size"`   // bytes
	SHA256 string `json:"sha256"` // hex
}

// Files are the files of a site by path.
type Files map[string][]byte

// List describes files in the order manifests have them.
func (f Files) List() []File { return f.ListWith(nil) }

// ListWith is [Files.List] where some descriptions are known.
func (f Files) ListWith(known map[string]File) []File {
	out := make([]File, 0, len(f))
	for path, data := range f {
		if file, ok := known[path]; ok {
			out = append(out, file)
			continue
		}
		out = append(out, File{Path: path, Size: len(data), SHA256: SHA256(data)})
	}
	slices.SortFunc(out, func(a, b File) int { return jcs.CompareUTF16(a.Path, b.Path) })
	return out
}

// Root is the Merkle tree hash (RFC 6962) of a list of files, each by its
// canonical form.
func Root(files []File) (string, error) {
	leaves := make([][sha256.Size]byte, len(files))
	for i, f := range files {
		text, err := jcs.Marshal(f)
		if err != nil {
			return "", err
		}
		leaves[i] = LeafHash(text)
	}
	root := TreeHash(leaves)
	return hex.EncodeToString(root[:]), nil
}

// LeafHash is RFC 6962's hash of an entry.
func LeafHash(entry []byte) [sha256.Size]byte {
	return sha256.Sum256(append([]byte{0}, entry...))
}

// TreeHash is RFC 6962's hash of a tree with these leaves.
func TreeHash(leaves [][sha256.Size]byte) [sha256.Size]byte {
	switch len(leaves) {
	case 0:
		return sha256.Sum256(nil)
	case 1:
		return leaves[0]
	}
	half := 1
	for half*2 < len(leaves) {
		half *= 2
	}
	return nodeHash(TreeHash(leaves[:half]), TreeHash(leaves[half:]))
}

func nodeHash(left, right [sha256.Size]byte) [sha256.Size]byte {
	return sha256.Sum256(slices.Concat([]byte{1}, left[:], right[:]))
}

// SignFiles makes and signs the manifest of files.
func SignFiles(kind, identity string, sequence int, files []File, signer identity.Signer, at time.Time, assertions ...Assertion) ([]byte, error) {
	if assertions == nil {
		assertions = []Assertion{}
	}
	root, err := Root(files)
	if err != nil {
		return nil, err
	}
	s := Site{Version: SiteVersion, Kind: kind, IdentityDID: identity, IssuerDID: signer.DID(), ClaimGenerator: Generator,
		IssuedAt: Stamp(at), Sequence: sequence, Root: root, Files: files, Assertions: assertions}
	return s.Sign(signer)
}

// Sign signs a manifest as it is and gives its text.
func (s Site) Sign(signer identity.Signer) ([]byte, error) {
	message, err := signedForm(s)
	if err != nil {
		return nil, err
	}
	s.Signature = keys.Encode(signer.Sign(message))
	return jcs.Marshal(s)
}

// CheckSignature checks who signed the manifest, and nothing else.
func (s *Site) CheckSignature() error {
	message, err := signedForm(s)
	if err != nil {
		return err
	}
	return keys.Verify(s.IssuerDID, message, s.Signature)
}

// ReadSite reads the manifest of a site or bundle.
func ReadSite(text []byte) (*Site, error) {
	v, err := jcs.Check(text)
	if err != nil {
		return nil, err
	}
	if err := checkVersion(v, SiteVersion); err != nil {
		return nil, err
	}
	var s Site
	if err := jcs.Assign(v, &s, fault.ManifestFields); err != nil {
		return nil, err
	}
	if s.Kind != KindSite && s.Kind != KindBundle {
		return nil, fault.New(fault.ManifestFields, "kind %q", s.Kind)
	}
	if s.Kind == KindSite && s.Sequence < 1 || s.Kind == KindBundle && s.Sequence != 0 {
		return nil, fault.New(fault.ManifestFields, "a %s with sequence %d", s.Kind, s.Sequence)
	}
	return &s, nil
}

// CheckList checks what a list of files says by itself: safe paths in order,
// none twice, and the root.
func (s *Site) CheckList() error {
	folded := map[string]string{}
	for i, f := range s.Files {
		if !SafePath(f.Path) || s.reserved(f.Path) {
			return &fault.Error{Code: fault.PathUnsafe, Path: f.Path, Text: "a path that a file must not have"}
		}
		if i > 0 && jcs.CompareUTF16(s.Files[i-1].Path, f.Path) >= 0 {
			return &fault.Error{Code: fault.FileOrder, Path: f.Path, Text: "out of order, or a second time"}
		}
		if other, twice := folded[string(lowerASCII([]byte(f.Path)))]; twice {
			return &fault.Error{Code: fault.PathCollision, Path: f.Path, Text: "differs from " + other + " by case alone"}
		}
		folded[string(lowerASCII([]byte(f.Path)))] = f.Path
	}
	root, err := Root(s.Files)
	if err != nil {
		return err
	}
	if root != s.Root {
		return fault.New(fault.RootMismatch, "the files' root is %s", root)
	}
	return nil
}

// reserved reports whether path is for what no manifest lists: itself, and
// what names it.
func (s *Site) reserved(path string) bool {
	if s.Kind == KindBundle {
		return path == BundlePath
	}
	return path == SitePath || strings.HasPrefix(path, LogPrefix)
}

// SafePath reports whether a path stays below the directory it is joined to,
// on every system, and names one file only.
func SafePath(path string) bool {
	if path == "" || len(path) > 1024 || strings.ContainsAny(path, "\\:*?\"<>|") {
		return false
	}
	for _, r := range path {
		if r < 0x20 || r == 0x7f {
			return false
		}
	}
	for part := range strings.SplitSeq(path, "/") {
		if part == "" || part == "." || part == ".." || strings.HasSuffix(part, ".") || strings.HasSuffix(part, " ") {
			return false
		}
	}
	return true
}

// IsPage reports whether a file of a site is a page, which carries a manifest
// of its own.
func IsPage(path string) bool {
	low := string(lowerASCII([]byte(path)))
	return strings.HasSuffix(low, ".html") || strings.HasSuffix(low, ".htm")
}
