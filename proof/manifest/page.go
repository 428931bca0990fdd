// Package manifest says what is signed and how it is written down: the
// manifest of a page, inside it; the manifest of a site or bundle, a file that
// lists all others; and the log of a site's releases.
//
// Manifests are canonical JSON (wb/publish/jcs) with exactly the fields their
// types have. A signature covers the canonical form of all fields but itself.
// This package writes and reads; whether what it reads is true is the question
// of wb/publish/verify.
package manifest

import (
	"bytes"
	"fmt"
	"time"

	"wb/internal/identity"
	"wb/internal/sha"
	"wb/proof/fault"
	"wb/proof/jcs"
	"wb/proof/keys"
)

// PageVersion is the version of page manifests.
const PageVersion = "workbooks-c2pa/1"

// Generator names this program in manifests.
const Generator = "wb"

// The element that holds a page's manifest: spelled so and in no other way.
const (
	ElementOpen  = `<script type="application/workbooks-c2pa+json" id="wb-c2pa-manifest">`
	ElementClose = "</script>\n"

	elementID = "wb-c2pa-manifest"
)

// Page is the manifest of one HTML page.
type Page struct {
	Version        string      `json:"version"`
	IssuerDID      string      `json:"issuer_did"`
	ClaimGenerator string      `json:"claim_generator"`
	IssuedAt       string      `json:"issued_at"`    // RFC 3339, UTC; the issuer's word
	AssetSHA256    string      `json:"asset_sha256"` // of the page without the manifest's element, hex
	Assertions     []Assertion `json:"assertions"`
	Signature      string      `json:"signature"` // Ed25519, base64
}

// Assertion is something the issuer says about a page or a site.
type Assertion struct {
	Label string         `json:"label"`
	Data  map[string]any `json:"data"`
}

// SiteLabel is the label of the assertion that binds a page to one release of
// a site: identity_did and sequence.
const SiteLabel = "workbooks.site"

// SiteAssertion binds a page to a release.
func SiteAssertion(identity string, sequence int) Assertion {
	return Assertion{Label: SiteLabel, Data: map[string]any{"identity_did": identity, "sequence": sequence}}
}

// Release is the release that a page says it belongs to.
func (p *Page) Release() (identity string, sequence int, ok bool) {
	for _, a := range p.Assertions {
		if a.Label == SiteLabel {
			identity, _ := a.Data["identity_did"].(string)
			n, isNumber := a.Data["sequence"].(float64)
			return identity, int(n), isNumber && n == float64(int(n))
		}
	}
	return "", 0, false
}

// Stamp is a time as manifests write it.
func Stamp(at time.Time) string { return at.UTC().Format(time.RFC3339) }

// SHA256 is a digest as manifests write it.
func SHA256(data []byte) string {
	return sha.Hex(data)
}

// signedForm is the canonical form of a manifest without its signature.
func signedForm(manifest any) ([]byte, error) {
	text, err := jcs.Marshal(manifest)
	if err != nil {
		return nil, err
	}
	v, err := jcs.Parse(text)
	if err != nil {
		return nil, err
	}
	delete(v.(map[string]any), "signature")
	return jcs.Append(nil, v)
}

// CheckSignature checks who signed a page's manifest, and nothing else.
func (p *Page) CheckSignature() error {
	message, err := signedForm(p)
	if err != nil {
		return err
	}
	return keys.Verify(p.IssuerDID, message, p.Signature)
}

// SignPage returns the page with a manifest right before its last </body>, or
// at its end when there is none. A manifest that was there is replaced.
func SignPage(html []byte, signer identity.Signer, at time.Time, assertions ...Assertion) ([]byte, error) {
	bare, err := Strip(html)
	if err != nil {
		return nil, err
	}
	if assertions == nil {
		assertions = []Assertion{}
	}
	p := Page{Version: PageVersion, IssuerDID: signer.DID(), ClaimGenerator: Generator, IssuedAt: Stamp(at),
		AssetSHA256: SHA256(bare), Assertions: assertions}
	message, err := signedForm(p)
	if err != nil {
		return nil, err
	}
	p.Signature = keys.Encode(signer.Sign(message))
	text, err := jcs.Marshal(p)
	if err != nil {
		return nil, err
	}
	return Insert(bare, escape(text)), nil
}

// Insert puts a manifest's text into a page that has none.
func Insert(bare, text []byte) []byte {
	at := lastBody(bare)
	out := make([]byte, 0, len(bare)+len(text)+len(ElementOpen)+len(ElementClose))
	out = append(out, bare[:at]...)
	out = append(out, ElementOpen...)
	out = append(out, text...)
	out = append(out, ElementClose...)
	return append(out, bare[at:]...)
}

// escape keeps text from ending the element or opening a comment in it.
func escape(text []byte) []byte { return bytes.ReplaceAll(text, []byte("<"), []byte(`\u003c`)) }

// Strip returns the page without its manifest; a page without one as it is.
// Anything but one well-placed element is an error: taking it out would leave
// something behind.
func Strip(html []byte) ([]byte, error) {
	start, end, _, err := locate(html)
	if fault.CodeOf(err) == fault.ManifestMissing {
		return html, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the page has a manifest that cannot be replaced: %w", err)
	}
	return append(bytes.Clone(html[:start]), html[end:]...), nil
}

// ReadPage finds and reads a page's manifest and returns it with the bytes that
// it covers.
func ReadPage(html []byte) (*Page, []byte, error) {
	start, end, text, err := locate(html)
	if err != nil {
		return nil, nil, err
	}
	v, err := jcs.Parse(text)
	if err != nil {
		return nil, nil, err
	}
	canonical, err := jcs.Append(nil, v)
	if err != nil {
		return nil, nil, err
	}
	if !bytes.Equal(escape(canonical), text) {
		return nil, nil, fault.New(fault.JSONNoncanonical, "the manifest is not in canonical form")
	}
	if err := checkVersion(v, PageVersion); err != nil {
		return nil, nil, err
	}
	var p Page
	if err := jcs.Assign(v, &p, fault.ManifestFields); err != nil {
		return nil, nil, err
	}
	return &p, append(bytes.Clone(html[:start]), html[end:]...), nil
}

// checkVersion comes before all other fields: another version has others.
func checkVersion(v any, want string) error {
	object, ok := v.(map[string]any)
	if !ok {
		return fault.New(fault.ManifestFields, "the manifest is not an object")
	}
	got, ok := object["version"].(string)
	if !ok {
		return fault.New(fault.ManifestFields, "the manifest has no version")
	}
	if got != want {
		return fault.New(fault.ManifestVersion, "version %q, this program reads %q", got, want)
	}
	return nil
}

// locate finds the element [start,end) and the text in it. The page minus the
// element has its last </body> at start, so that the element's place follows
// from the page and nothing can stand between.
func locate(html []byte) (start, end int, text []byte, err error) {
	tags := scriptTags(html, elementID)
	switch {
	case len(tags) == 0:
		return 0, 0, nil, fault.New(fault.ManifestMissing, "the page has no manifest")
	case len(tags) > 1:
		return 0, 0, nil, fault.New(fault.ManifestDuplicate, "the page has %d manifests", len(tags))
	}
	start, end = tags[0], lastBody(html)
	body := start + len(ElementOpen)
	if !bytes.HasPrefix(html[start:], []byte(ElementOpen)) {
		return 0, 0, nil, fault.New(fault.ManifestAltered, "the manifest's tag is not spelled %s", ElementOpen)
	}
	if end < body+len(ElementClose) || !bytes.HasSuffix(html[body:end], []byte(ElementClose)) {
		return 0, 0, nil, fault.New(fault.ManifestMisplaced, "the manifest is not directly before the last </body>")
	}
	text = html[body : end-len(ElementClose)]
	if bytes.IndexByte(text, '<') >= 0 {
		return 0, 0, nil, fault.New(fault.ManifestUnescaped, "a < in the manifest")
	}
	return start, end, text, nil
}

// scriptTags lists where script tags that mention id begin, in any case and
// with any attributes.
func scriptTags(html []byte, id string) []int {
	low := lowerASCII(html)
	var out []int
	for at := 0; ; {
		i := bytes.Index(low[at:], []byte("<script"))
		if i < 0 {
			return out
		}
		at += i
		end := bytes.IndexByte(low[at:], '>')
		if end < 0 {
			end = len(low) - at
		}
		if bytes.Contains(low[at:at+end], []byte(id)) {
			out = append(out, at)
		}
		at += len("<script")
		if end == len(low)-at+len("<script") {
			return out // no tag ends any more
		}
	}
}

// lastBody is where the last </body begins, the page's end when there is none.
func lastBody(html []byte) int {
	if i := bytes.LastIndex(lowerASCII(html), []byte("</body")); i >= 0 {
		return i
	}
	return len(html)
}

func lowerASCII(data []byte) []byte {
	out := bytes.Clone(data)
	for i, c := range out {
		if c >= 'A' && c <= 'Z' {
			out[i] = c + 'a' - 'A'
		}
	}
	return out
}
