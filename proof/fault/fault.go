// Package fault names the ways in which a signed page, site or bundle can fail
// to be what it says it is.
//
// Every kind of failure has one [Code]. Codes are part of the format: the
// verifier in Go and the one in JavaScript give the same code for the same
// bytes, programs decide by it, and a code is never reused for something else.
// The words around a code are for people and may change.
package fault

import (
	"errors"
	"fmt"

	"wb/internal/diag"
)

// Code is the stable name of a kind of failure.
type Code string

// JSON that was signed must have exactly one spelling.
const (
	JSONInvalid      Code = "json-invalid"       // not JSON
	JSONEncoding     Code = "json-encoding"      // not UTF-8, or half of a surrogate pair
	JSONDuplicateKey Code = "json-duplicate-key" // an object has a member twice
	JSONNumber       Code = "json-number"        // a number no double holds
	JSONDepth        Code = "json-depth"         // nested too deeply
	JSONNoncanonical Code = "json-noncanonical"  // another spelling than RFC 8785's
)

// Keys and signatures.
const (
	KeyMalformed          Code = "key-malformed"          // not an Ed25519 did:key
	KeyNoncanonical       Code = "key-noncanonical"       // a second spelling of a public key
	KeyWeak               Code = "key-weak"               // a point of small order, for which anybody can sign
	SignatureMalformed    Code = "signature-malformed"    // not 64 bytes in base64
	SignatureNoncanonical Code = "signature-noncanonical" // a second spelling of a signature
	SignatureWeak         Code = "signature-weak"         // its commitment is of small order
	SignatureInvalid      Code = "signature-invalid"      // the key did not make it
	IssuerUnexpected      Code = "issuer-unexpected"      // signed, but not by the expected key
)

// A did:web, which names keys by a host.
const (
	DIDMalformed   Code = "did-malformed"   // not a did:web
	DIDUnavailable Code = "did-unavailable" // its document could not be fetched
	DIDDocument    Code = "did-document"    // the fetched text is not its document, or names no key
)

// The log of an identity's keys.
const (
	KeylogMalformed Code = "keylog-malformed" // an entry lacks fields or has others
	KeylogChain     Code = "keylog-chain"     // an entry does not follow from the one before
	KeylogSignature Code = "keylog-signature" // an entry is not signed as it must be
	KeylogRollback  Code = "keylog-rollback"  // shorter than, or another than, the log known before
	KeyUnknown      Code = "key-unknown"      // the log does not have the issuer's key
	KeyRetired      Code = "key-retired"      // it was rotated away before this was signed
	KeyRevoked      Code = "key-revoked"      // it was revoked before this was signed
)

// The manifest in a page.
const (
	ManifestMissing   Code = "manifest-missing"   // it is not signed
	ManifestDuplicate Code = "manifest-duplicate" // it has several manifests
	ManifestAltered   Code = "manifest-altered"   // its element is not spelled as it must be
	ManifestMisplaced Code = "manifest-misplaced" // not right before the last </body>
	ManifestUnescaped Code = "manifest-unescaped" // a < inside, which could end the element
	ManifestVersion   Code = "manifest-version"   // of a version this program does not know
	ManifestFields    Code = "manifest-fields"    // a field is missing, unknown or of the wrong type
	AssetChanged      Code = "asset-changed"      // the page is not the one that was signed
	ProgramChanged    Code = "program-changed"    // the workbook's code differs from what was signed
)

// The manifest of a site, which lists every file.
const (
	SiteManifestMissing Code = "site-manifest-missing" // the site has no manifest
	PathUnsafe          Code = "path-unsafe"           // a path that could leave the directory
	PathCollision       Code = "path-collision"        // two paths that some systems take for one
	FileOrder           Code = "file-order"            // the list is not sorted, or has a path twice
	RootMismatch        Code = "root-mismatch"         // the list is not the one its root hash names
	FileMissing         Code = "file-missing"          // listed, but missing
	FileRenamed         Code = "file-renamed"          // present under another name
	FileUnlisted        Code = "file-unlisted"         // present, but not listed
	FileIrregular       Code = "file-irregular"        // a symbolic link or a device
	FileSize            Code = "file-size"             // longer or shorter than listed
	FileChanged         Code = "file-changed"          // other bytes than listed
	PageUnsigned        Code = "page-unsigned"         // a page of the site without a manifest of its own
	PageIssuer          Code = "page-issuer"           // a page that somebody else signed
	SnapshotMixed       Code = "snapshot-mixed"        // a page of another release than the list has, of a later one, or of none
	SequenceRollback    Code = "sequence-rollback"     // older than what was seen before
	SequenceFork        Code = "sequence-fork"         // another release with a number seen before
)

// The log of releases: a checkpoint and tiles, as transparency logs have them.
const (
	LogMissing    Code = "log-missing"    // no checkpoint
	LogCheckpoint Code = "log-checkpoint" // the checkpoint is not a signed note
	LogOrigin     Code = "log-origin"     // of another log than the site's
	LogSignature  Code = "log-signature"  // not signed by the issuer
	LogTile       Code = "log-tile"       // tiles or entries do not give the checkpoint's hash
	LogEntry      Code = "log-entry"      // the last release logged is not this one
	LogFork       Code = "log-fork"       // not a continuation of the log seen before
)

// Bundles: zip files in one strict form.
const (
	ZipMalformed          Code = "zip-malformed"           // not a zip file, or cut short
	ZipHidden             Code = "zip-hidden"              // bytes that belong to no file
	ZipMismatch           Code = "zip-mismatch"            // the directory and a file's own header disagree
	ZipMethod             Code = "zip-method"              // compressed or encrypted in a way bundles are not
	ZipPath               Code = "zip-path"                // a name that would leave the directory
	ZipDuplicate          Code = "zip-duplicate"           // a name twice
	ZipSize               Code = "zip-size"                // unpacks to another size than it says, or too large
	ZipChecksum           Code = "zip-checksum"            // a file's CRC is wrong
	BundleManifestMissing Code = "bundle-manifest-missing" // no manifest.json
	BundleKind            Code = "bundle-kind"             // a manifest of something else than a bundle
	BundleMissing         Code = "bundle-missing"          // a page without the bundle that was asked for
	BundleMalformed       Code = "bundle-malformed"        // the bundle in a page is not one element of base64
)

// Running it again.
const (
	RebuildNoSource  Code = "rebuild-no-source"  // nothing to run again
	RebuildDiffers   Code = "rebuild-differs"    // a run gives other bytes
	RebuildFailed    Code = "rebuild-failed"     // it does not run here
	StatementSubject Code = "statement-mismatch" // an assertion about a component is not about this source
)

// Error is a failure of one kind at one place. It carries exit code 5.
type Error struct {
	Code Code
	Path string // the file it is about, "" when it is about the whole
	Text string // what is wrong, for people
}

func (e *Error) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("%s: %s", e.Code, e.Text)
	}
	return fmt.Sprintf("%s: %s: %s", e.Path, e.Code, e.Text)
}

// ExitCode is that of a failed verification.
func (e *Error) ExitCode() int { return diag.ExitVerify }

// New makes an [Error] about the whole.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Text: fmt.Sprintf(format, args...)}
}

// In says which file err is about, unless it says so already; errors of other
// types come back as they are.
func In(path string, err error) error {
	var e *Error
	if !errors.As(err, &e) || e.Path != "" {
		return err
	}
	return &Error{Code: e.Code, Path: path, Text: e.Text}
}

// CodeOf is the code of err, "" when it has none.
func CodeOf(err error) Code {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Code
	}
	return ""
}
