package bundle

import (
	"bytes"
	"encoding/base64"

	"wb/proof/fault"
)

// The element that holds a bundle inside a page.
const (
	ElementOpen  = `<script type="application/workbooks-bundle+zip;base64" id="wb-bundle">`
	ElementClose = "</script>\n"
)

// Embed puts a bundle into a page, before its last </body> or at its end. The
// page must have none; sign it afterwards, which covers the bundle too.
func Embed(html, zip []byte) []byte {
	at := bytes.LastIndex(bytes.ToLower(html), []byte("</body"))
	if at < 0 {
		at = len(html)
	}
	var out bytes.Buffer
	out.Write(html[:at])
	out.WriteString(ElementOpen)
	out.WriteString(base64.StdEncoding.EncodeToString(zip))
	out.WriteString(ElementClose)
	out.Write(html[at:])
	return out.Bytes()
}

// Extract finds the bundle of a page. The error's code is bundle-missing when
// there is none.
func Extract(html []byte) ([]byte, error) {
	start := bytes.Index(html, []byte(ElementOpen))
	if start < 0 {
		return nil, fault.New(fault.BundleMissing, "the page holds no workbook")
	}
	text := html[start+len(ElementOpen):]
	if bytes.Contains(text, []byte(ElementOpen)) {
		return nil, fault.New(fault.BundleMalformed, "the page holds two bundles")
	}
	end := bytes.IndexByte(text, '<')
	if end < 0 || !bytes.HasPrefix(text[end:], []byte(ElementClose)) {
		return nil, fault.New(fault.BundleMalformed, "the bundle's element does not end")
	}
	encoded := string(text[:end])
	zip, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if err != nil || base64.StdEncoding.EncodeToString(zip) != encoded {
		return nil, fault.New(fault.BundleMalformed, "the bundle is not base64")
	}
	return zip, nil
}
