package manifest

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"wb/internal/identity"
	"wb/proof/fault"
	"wb/proof/jcs"
	"wb/proof/keys"
)

// ReleaseVersion is the version of the entries of a release log.
const ReleaseVersion = "workbooks-release/1"

// Release is one entry of the log of a site's releases.
type Release struct {
	Version        string `json:"version"`
	Sequence       int    `json:"sequence"` // its place, from 1
	ManifestSHA256 string `json:"manifest_sha256"`
}

// Releases is the log of a site's releases: an append-only Merkle tree with a
// signed checkpoint, laid out as C2SP's tlog-tiles says, so that stock readers
// of transparency logs (golang.org/x/mod/sumdb/note, …/tlog) read it. Its
// origin and the name of its key are the did:key of the site's identity.
type Releases struct {
	Origin string
	lines  [][]byte // canonical Releases
}

// tileWidth is how many hashes a full tile has.
const tileWidth = 256

// Append adds a release.
func (r *Releases) Append(manifest []byte) error {
	line, err := jcs.Marshal(Release{Version: ReleaseVersion, Sequence: len(r.lines) + 1, ManifestSHA256: SHA256(manifest)})
	if err != nil {
		return err
	}
	r.lines = append(r.lines, line)
	return nil
}

// Len is the number of releases.
func (r *Releases) Len() int { return len(r.lines) }

// RootAt is the tree's hash when it had n releases.
func (r *Releases) RootAt(n int) string {
	root := TreeHash(r.leaves()[:n])
	return base64.StdEncoding.EncodeToString(root[:])
}

func (r *Releases) leaves() [][sha256.Size]byte {
	out := make([][sha256.Size]byte, len(r.lines))
	for i, line := range r.lines {
		out[i] = LeafHash(line)
	}
	return out
}

// Last is the newest release.
func (r *Releases) Last() (Release, error) {
	var e Release
	if len(r.lines) == 0 {
		return e, fault.New(fault.LogEntry, "no release is logged")
	}
	for i, line := range r.lines {
		if err := jcs.Decode(line, &e, fault.LogEntry); err != nil {
			return e, fault.New(fault.LogEntry, "entry %d: %v", i+1, err)
		}
		if e.Version != ReleaseVersion || e.Sequence != i+1 {
			return e, fault.New(fault.LogEntry, "entry %d is of release %d, version %q", i+1, e.Sequence, e.Version)
		}
	}
	return e, nil
}

// Render gives the files of the log, by path below [LogPrefix].
func (r *Releases) Render(signer identity.Signer) (Files, error) {
	out := r.tiles()
	text := r.body(len(r.lines))
	public, err := keys.Public(signer.DID())
	if err != nil {
		return nil, err
	}
	sig := append(keyHash(r.Origin, public), signer.Sign([]byte(text))...)
	out["checkpoint"] = []byte(text + "\n— " + r.Origin + " " + base64.StdEncoding.EncodeToString(sig) + "\n")
	return out, nil
}

// body is the text of a checkpoint.
func (r *Releases) body(n int) string {
	return fmt.Sprintf("%s\n%d\n%s\n", r.Origin, n, r.RootAt(n))
}

// keyHash is the first four bytes that name a key in a signed note.
func keyHash(name string, public ed25519.PublicKey) []byte {
	sum := sha256.Sum256(slices.Concat([]byte(name+"\n\x01"), public))
	return sum[:4]
}

// VerifierKey is the key of a log as golang.org/x/mod/sumdb/note reads it.
func VerifierKey(origin string, public ed25519.PublicKey) string {
	return fmt.Sprintf("%s+%x+%s", origin, keyHash(origin, public), base64.StdEncoding.EncodeToString(append([]byte{1}, public...)))
}

// tiles lays out entries and hashes: tile/entries/N and tile/L/N, full ones and
// the one at the end of each level with its width in its name.
func (r *Releases) tiles() Files {
	out := Files{}
	for at := 0; at < len(r.lines); at += tileWidth {
		part := r.lines[at:min(at+tileWidth, len(r.lines))]
		var data []byte
		for _, line := range part {
			data = append(binary.BigEndian.AppendUint16(data, uint16(len(line))), line...)
		}
		out[tilePath("entries", at/tileWidth, len(part))] = data
	}
	hashes := r.leaves()
	for level := 0; len(hashes) > 0; level++ {
		var above [][sha256.Size]byte
		for at := 0; at < len(hashes); at += tileWidth {
			part := hashes[at:min(at+tileWidth, len(hashes))]
			var data []byte
			for _, h := range part {
				data = append(data, h[:]...)
			}
			out[tilePath(strconv.Itoa(level), at/tileWidth, len(part))] = data
			if len(part) == tileWidth {
				above = append(above, TreeHash(part))
			}
		}
		hashes = above
	}
	return out
}

// LogPaths are the files of a log with n releases, below [LogPrefix].
func LogPaths(n int) []string {
	paths := []string{"checkpoint"}
	for at := 0; at < n; at += tileWidth {
		paths = append(paths, tilePath("entries", at/tileWidth, min(tileWidth, n-at)))
	}
	for level := 0; n > 0; level, n = level+1, n/tileWidth {
		for at := 0; at < n; at += tileWidth {
			paths = append(paths, tilePath(strconv.Itoa(level), at/tileWidth, min(tileWidth, n-at)))
		}
	}
	return paths
}

// tilePath is C2SP's name of a tile: groups of three digits, all but the last
// with an x before.
func tilePath(level string, n, width int) string {
	name := fmt.Sprintf("%03d", n%1000)
	for n /= 1000; n > 0; n /= 1000 {
		name = fmt.Sprintf("x%03d/%s", n%1000, name)
	}
	if width < tileWidth {
		name += ".p/" + strconv.Itoa(width)
	}
	return "tile/" + level + "/" + name
}

// ReadReleases reads a log from its files (paths below [LogPrefix]) and checks
// that they amount to its checkpoint, that origin is its name and that issuer
// signed it. Files that the log does not have are failures too.
func ReadReleases(files Files, origin, issuer string) (*Releases, error) {
	note, ok := files["checkpoint"]
	if !ok {
		return nil, fault.New(fault.LogMissing, "the site has no log of releases")
	}
	text, name, sig, size, err := parseCheckpoint(note)
	if err != nil {
		return nil, err
	}
	if got, _, _ := strings.Cut(text, "\n"); got != origin || name != origin {
		return nil, fault.New(fault.LogOrigin, "the log belongs to %s, but the site to %s", got, origin)
	}
	public, err := keys.Public(issuer)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(sig[:4], keyHash(origin, public)) || keys.VerifyRaw(public, []byte(text), sig[4:]) != nil {
		return nil, fault.New(fault.LogSignature, "the checkpoint is not signed by %s", issuer)
	}
	r := &Releases{Origin: origin}
	if err := r.readEntries(files, size); err != nil {
		return nil, err
	}
	if r.body(size) != text {
		return nil, fault.New(fault.LogTile, "the entries do not give the checkpoint's hash")
	}
	want := r.tiles()
	for _, path := range slices.Sorted(maps.Keys(want)) {
		if !bytes.Equal(files[path], want[path]) {
			return nil, &fault.Error{Code: fault.LogTile, Path: LogPrefix + path, Text: "does not hold the hashes of the entries"}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if _, ok := want[path]; !ok && path != "checkpoint" {
			return nil, &fault.Error{Code: fault.FileUnlisted, Path: LogPrefix + path, Text: "is no part of the log"}
		}
	}
	return r, nil
}

// maxReleases bounds what a checkpoint can make a reader do.
const maxReleases = 1 << 20

// parseCheckpoint takes a signed note with one signature apart; any other form
// is refused.
func parseCheckpoint(note []byte) (text, name string, sig []byte, size int, err error) {
	bad := fault.New(fault.LogCheckpoint, "not a checkpoint with one signature")
	head, tail, ok := strings.Cut(string(note), "\n\n")
	lines := strings.Split(head, "\n")
	if !ok || len(lines) != 3 {
		return "", "", nil, 0, bad
	}
	size, convErr := strconv.Atoi(lines[1])
	if convErr != nil || size < 0 || size > maxReleases || strconv.Itoa(size) != lines[1] {
		return "", "", nil, 0, bad
	}
	line, ok := strings.CutPrefix(tail, "— ")
	line, ended := strings.CutSuffix(line, "\n")
	name, encoded, ok2 := strings.Cut(line, " ")
	if !ok || !ended || !ok2 {
		return "", "", nil, 0, bad
	}
	sig, decodeErr := base64.StdEncoding.Strict().DecodeString(encoded)
	if decodeErr != nil || len(sig) != 4+ed25519.SignatureSize || base64.StdEncoding.EncodeToString(sig) != encoded {
		return "", "", nil, 0, bad
	}
	return head + "\n", name, sig, size, nil
}

func (r *Releases) readEntries(files Files, size int) error {
	for at := 0; at < size; at += tileWidth {
		path := tilePath("entries", at/tileWidth, min(tileWidth, size-at))
		data := files[path]
		for range min(tileWidth, size-at) {
			if len(data) < 2 || len(data) < 2+int(binary.BigEndian.Uint16(data)) {
				return &fault.Error{Code: fault.LogTile, Path: LogPrefix + path, Text: "lacks entries"}
			}
			n := int(binary.BigEndian.Uint16(data))
			r.lines, data = append(r.lines, data[2:2+n]), data[2+n:]
		}
	}
	return nil
}
