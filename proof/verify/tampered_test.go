package verify_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"testing"

	"wb/internal/identity"
	"wb/proof/bundle"
	"wb/proof/fault"
	"wb/proof/jcs"
	"wb/proof/keys"
	"wb/proof/manifest"
	"wb/proof/sign"
	"wb/proof/verify"
)

// tampered is one thing to verify and the code it must fail with, "" for none.
type tampered struct {
	name  string
	want  fault.Code
	page  []byte
	site  manifest.Files
	zip   []byte
	file  []byte // with its signature beside it
	sig   []byte
	opts  verify.Options
	label string // set by the table: what kind it is
}

func (w *world) pages() []tampered {
	cut := func(page []byte) (before, element, after []byte) {
		start := bytes.Index(page, []byte(manifest.ElementOpen))
		end := bytes.LastIndex(page, []byte("</body"))
		return page[:start], page[start:end], page[end:]
	}
	before, element, after := cut(w.page)
	point := func(text string) []byte { b, _ := hex.DecodeString(text); return b }
	weak := identity.DIDOf(point("01" + strings.Repeat("00", 31)))
	second := identity.DIDOf(point("ee" + strings.Repeat("ff", 30) + "7f"))
	sig := func(change func([]byte)) func(map[string]any) {
		return func(v map[string]any) {
			raw := w.key.Sign(must(jcs.Marshal(v))(w.t))
			change(raw)
			v["signature"] = keys.Encode(raw)
		}
	}
	member := func(name string, value any) func(map[string]any) {
		return func(v map[string]any) { v[name] = value }
	}
	revoked := must(w.log.Revoke(w.key, w.key.DID(), 2, "stolen", noon))(w.t)
	rotated := must(w.log.Rotate(w.key, w.other, 2, noon))(w.t)
	elsewhere := must(keys.NewLog(w.other, noon))(w.t)
	edit := func(old, new string) []byte { return replace(old, new)(bytes.Clone(w.page)) }
	return []tampered{
		{name: "as it was signed", page: w.page},
		{name: "with a bundle", page: w.bundled},
		{name: "signed twice", page: must(manifest.SignPage(w.page, w.key, noon))(w.t)},
		{name: "no body element", page: must(manifest.SignPage([]byte("<p>x"), w.key, noon))(w.t)},
		{name: "upper-case body", page: must(manifest.SignPage([]byte("<BODY>x</BODY>"), w.key, noon))(w.t)},
		{name: "rotated key, signed before", page: w.page, opts: verify.Options{Keys: rotated.Text()}},
		{name: "wanted key", page: w.page, opts: verify.Options{Want: w.key.DID()}},

		{name: "edited text", want: fault.AssetChanged, page: edit("The answer", "The reply")},
		{name: "swapped result", want: fault.AssetChanged, page: edit("42", "43")},
		{name: "added space", want: fault.AssetChanged, page: edit("<p>", "<p> ")},
		{name: "added script in head", want: fault.AssetChanged, page: edit("</head>", "<script>alert(1)</script></head>")},
		{name: "text behind the end", want: fault.AssetChanged, page: append(bytes.Clone(w.page), "<!-- more -->"...)},
		{name: "cut at the end", want: fault.AssetChanged, page: bytes.TrimSuffix(w.page, []byte("</html>\n"))},
		{name: "line ends of another system", want: fault.AssetChanged, page: edit("<body>\n<p>", "<body>\r\n<p>")},
		{name: "a nul byte", want: fault.AssetChanged, page: edit("<p>", "<p>\x00")},
		{name: "byte order mark", want: fault.AssetChanged, page: append([]byte("\xef\xbb\xbf"), w.page...)},
		{name: "case of a tag", want: fault.AssetChanged, page: edit("<p>", "<P>")},
		{name: "changed bundle", want: fault.AssetChanged, page: replace("id=\"wb-bundle\">UEs", "id=\"wb-bundle\">UEt")(bytes.Clone(w.bundled))},

		{name: "not signed", want: fault.ManifestMissing, page: []byte(plainPage)},
		{name: "manifest taken out", want: fault.ManifestMissing, page: slices.Concat(before, after)},
		{name: "empty", want: fault.ManifestMissing, page: []byte{}},
		{name: "two manifests", want: fault.ManifestDuplicate, page: slices.Concat(before, element, element, after)},
		{name: "a second manifest in other case", want: fault.ManifestDuplicate, page: slices.Concat(before, []byte("<SCRIPT ID='WB-C2PA-MANIFEST'></SCRIPT>"), element, after)},
		{name: "a second one without end", want: fault.ManifestDuplicate, page: append(bytes.Clone(w.page), "<script id=wb-c2pa-manifest"...)},
		{name: "attribute added", want: fault.ManifestAltered, page: edit(`id="wb-c2pa-manifest">`, `id="wb-c2pa-manifest" src="evil.js">`)},
		{name: "executable type", want: fault.ManifestAltered, page: edit(`type="application/workbooks-c2pa+json"`, `type="module"`)},
		{name: "moved to the head", want: fault.ManifestMisplaced, page: slices.Concat(bytes.Replace(before, []byte("</head>"), append(bytes.Clone(element), "</head>"...), 1), after)},
		{name: "hidden between element and body", want: fault.ManifestMisplaced, page: slices.Concat(before, element, []byte("<p>hidden</p>"), after)},
		{name: "hidden space", want: fault.ManifestMisplaced, page: slices.Concat(before, element, []byte(" "), after)},
		{name: "a later body", want: fault.ManifestMisplaced, page: append(bytes.Clone(w.page), "<p>more</body>"...)},
		{name: "element not closed", want: fault.ManifestMisplaced, page: slices.Concat(before, bytes.TrimSuffix(element, []byte("</script>\n")), after)},
		{name: "hidden script in the range", want: fault.ManifestUnescaped, page: slices.Concat(before, element, []byte("<script>alert(1)</script>\n"), after)},
		{name: "</script> in an assertion", want: fault.ManifestUnescaped, page: repage(w.page, func(s string) string { return strings.Replace(s, `\u003c`, "<", 1) })},
		{name: "comment in the range", want: fault.ManifestUnescaped, page: repage(w.page, func(s string) string { return s + "<!--" })},

		{name: "no JSON", want: fault.JSONInvalid, page: repage(w.page, func(s string) string { return s[1:] })},
		{name: "text behind the JSON", want: fault.JSONInvalid, page: repage(w.page, func(s string) string { return s + "hidden" })},
		{name: "empty manifest", want: fault.JSONInvalid, page: repage(w.page, func(string) string { return "" })},
		{name: "not UTF-8", want: fault.JSONEncoding, page: repage(w.page, func(s string) string { return strings.Replace(s, "wb", "\xff", 1) })},
		{name: "half a surrogate pair", want: fault.JSONEncoding, page: repage(w.page, func(s string) string { return strings.Replace(s, `"wb"`, `"\ud800"`, 1) })},
		{name: "member twice", want: fault.JSONDuplicateKey, page: repage(w.page, func(s string) string { return `{"asset_sha256":"x",` + s[1:] })},
		{name: "member twice, escaped", want: fault.JSONDuplicateKey, page: repage(w.page, func(s string) string { return `{"\u0061ssertions":[],` + s[1:] })},
		{name: "number too large", want: fault.JSONNumber, page: repage(w.page, func(s string) string { return `{"a":1e999,` + s[1:] })},
		{name: "deep", want: fault.JSONDepth, page: repage(w.page, func(string) string { return strings.Repeat("[", 99) + strings.Repeat("]", 99) })},
		{name: "space in the JSON", want: fault.JSONNoncanonical, page: repage(w.page, func(s string) string { return s + " " })},
		{name: "escaped letter", want: fault.JSONNoncanonical, page: repage(w.page, func(s string) string { return strings.Replace(s, `"wb"`, `"\u0077b"`, 1) })},
		{name: "other order of members", want: fault.JSONNoncanonical, page: repage(w.page, func(s string) string {
			at := strings.LastIndex(s, `,"version"`)
			return "{" + s[at+1:len(s)-1] + "," + s[1:at] + "}"
		})},
		{name: "upper-case escape", want: fault.JSONNoncanonical, page: repage(w.page, func(s string) string { return strings.Replace(s, `\u003c`, `\u003C`, 1) })},

		{name: "another version", want: fault.ManifestVersion, page: w.claims(member("version", "workbooks-c2pa/2"))},
		{name: "no version", want: fault.ManifestFields, page: w.claims(func(v map[string]any) { delete(v, "version") })},
		{name: "unknown field", want: fault.ManifestFields, page: w.claims(member("note", "trust me"))},
		{name: "missing field", want: fault.ManifestFields, page: w.claims(func(v map[string]any) { delete(v, "issued_at") })},
		{name: "wrong type", want: fault.ManifestFields, page: w.claims(member("assertions", "none"))},
		{name: "assertion with more", want: fault.ManifestFields, page: w.claims(member("assertions", []any{map[string]any{"label": "a", "data": map[string]any{}, "x": 1}}))},
		{name: "manifest is a list", want: fault.ManifestFields, page: repage(w.page, func(s string) string { return "[]" })},

		{name: "edited manifest", want: fault.SignatureInvalid, page: repage(w.page, func(s string) string { return strings.Replace(s, "2026", "2025", 1) })},
		{name: "added assertion", want: fault.SignatureInvalid, page: repage(w.page, func(s string) string {
			return strings.Replace(s, `"assertions":[`, `"assertions":[{"data":{},"label":"x"},`, 1)
		})},
		{name: "other issuer's name", want: fault.SignatureInvalid, page: repage(w.page, func(s string) string { return strings.Replace(s, w.key.DID(), w.other.DID(), 1) })},
		{name: "edited text and digest", want: fault.SignatureInvalid, page: repage(edit("42", "43"), func(s string) string {
			return strings.Replace(s, manifest.SHA256([]byte(plainPage)), manifest.SHA256([]byte(strings.Replace(plainPage, "42", "43", 1))), 1)
		})},
		{name: "signature of another page", want: fault.SignatureInvalid, page: w.claims(member("signature", keys.Encode(w.key.Sign([]byte("else")))))},
		{name: "signature cut short", want: fault.SignatureMalformed, page: w.claims(member("signature", keys.Encode(make([]byte, 63))))},
		{name: "no signature", want: fault.SignatureMalformed, page: w.claims(member("signature", ""))},
		{name: "signature with loose bits", want: fault.SignatureMalformed, page: w.claims(member("signature", strings.Repeat("A", 85)+"B=="))},
		{name: "scalar plus order", want: fault.SignatureNoncanonical, page: w.claims(sig(func(s []byte) { addOrder(s[32:]) }))},
		{name: "commitment beyond the field", want: fault.SignatureNoncanonical, page: w.claims(sig(func(s []byte) { copy(s, point("f0"+strings.Repeat("ff", 30)+"7f")) }))},
		{name: "weak commitment", want: fault.SignatureWeak, page: w.claims(sig(func(s []byte) { clear(s[:32]) }))},
		{name: "weak key signs anything", want: fault.KeyWeak, page: w.claims(func(v map[string]any) {
			v["issuer_did"] = weak
			v["signature"] = keys.Encode(append(point("01"+strings.Repeat("00", 31)), make([]byte, 32)...))
		})},
		{name: "second spelling of a key", want: fault.KeyNoncanonical, page: w.claims(member("issuer_did", second))},
		{name: "no did:key", want: fault.KeyMalformed, page: w.claims(member("issuer_did", "did:web:example.org"))},
		{name: "did of another curve", want: fault.KeyMalformed, page: w.claims(member("issuer_did", "did:key:zQ3shokFTS3brHcDQrn82RUDfCZESWL1ZdCEJwekUDPQiYBme"))},

		{name: "revoked key", want: fault.KeyRevoked, page: w.page, opts: verify.Options{Keys: revoked.Text()}},
		{name: "revoked by a log heard of", want: fault.KeyRevoked, page: w.page, opts: verify.Options{Heard: revoked.Text()}},
		{name: "heard of somebody else", page: w.page, opts: verify.Options{Heard: elsewhere.Text()}},
		{name: "key of somebody else", want: fault.KeyUnknown, page: w.page, opts: verify.Options{Keys: elsewhere.Text()}},
		{name: "not who was wanted", want: fault.IssuerUnexpected, page: w.page, opts: verify.Options{Want: w.other.DID()}},

		{name: "two bundles", want: fault.BundleMalformed, page: must(manifest.SignPage(bundle.Embed(bundle.Embed([]byte(plainPage), w.zip), w.zip), w.key, noon))(w.t)},
		{name: "bundle not in base64", want: fault.BundleMalformed, page: w.badBase64()},
		{name: "bundle by somebody else", want: fault.IssuerUnexpected, page: w.pageWith(must(sign.Bundle(w.bundleFiles(), sign.Issuer{Signer: w.other, Keys: elsewhere}, noon))(w.t))},
		{name: "bundle of another source", want: fault.StatementSubject, page: w.pageWith(must(sign.Bundle(manifest.Files{"source.org": []byte("other")}, w.issuer(), noon))(w.t))},
	}
}

func addOrder(s []byte) {
	order, _ := hex.DecodeString("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010")
	carry := 0
	for i := range s {
		sum := int(s[i]) + int(order[i]) + carry
		s[i], carry = byte(sum), sum>>8
	}
}

func (w *world) sites() []tampered {
	known := verify.Site(w.second, verify.Options{}).Remember
	if known == nil {
		w.t.Fatal("the honest site is not valid")
	}
	without := func(path string) manifest.Files {
		out := maps.Clone(w.second)
		delete(out, path)
		return out
	}
	with := func(path string, data []byte) manifest.Files {
		return swap(w.second, path, func([]byte) []byte { return data })
	}
	renamed := without("style.css")
	renamed["styles.css"] = w.second["style.css"]
	mixed := with("index.html", w.first["index.html"])
	rotated := must(w.log.Rotate(w.key, w.other, 2, noon))(w.t)
	later := must(w.log.Revoke(w.key, w.key.DID(), 3, "stolen", noon))(w.t)
	revoked := must(w.log.Revoke(w.key, w.key.DID(), 1, "stolen", noon))(w.t)
	list := func(change func(*manifest.Site)) manifest.Files { return w.resite(w.second, w.key, change) }
	text := func(old, new string) manifest.Files { return swap(w.second, manifest.SitePath, replace(old, new)) }
	log := func(change func(manifest.Files)) manifest.Files {
		out := maps.Clone(w.second)
		change(out)
		return out
	}
	addFile := func(path string) func(*manifest.Site) {
		return func(s *manifest.Site) {
			s.Files = append(s.Files, manifest.File{Path: path, SHA256: manifest.SHA256(nil)})
			slices.SortFunc(s.Files, func(a, b manifest.File) int { return jcs.CompareUTF16(a.Path, b.Path) })
		}
	}
	tile := manifest.LogPrefix + "tile/0/000.p/2"
	entries := manifest.LogPrefix + "tile/entries/000.p/2"
	checkpoint := manifest.LogPrefix + "checkpoint"
	logged := func(signer identity.Signer, change func(*manifest.Releases)) manifest.Files {
		r := &manifest.Releases{Origin: w.key.DID()}
		change(r)
		return w.withLog(w.second, must(r.Render(signer))(w.t))
	}
	append2 := func(first, second []byte) func(*manifest.Releases) {
		return func(r *manifest.Releases) { _ = r.Append(first); _ = r.Append(second) }
	}
	unsigned := w.relist(with("index.html", []byte(plainPage)), w.key)
	foreign := w.relist(with("index.html", must(manifest.SignPage([]byte(plainPage), w.other, noon, manifest.SiteAssertion(w.key.DID(), 2)))(w.t)), w.key)
	loose := w.relist(with("index.html", w.page), w.key)
	older := w.relist(with("index.html", w.first["index.html"]), w.key)
	ahead := func(sequence int) manifest.Files {
		said := manifest.SiteAssertion(w.key.DID(), sequence)
		return w.relist(with("index.html", must(manifest.SignPage([]byte(plainPage), w.key, noon, said))(w.t)), w.key)
	}
	edited := w.relist(with("index.html", replace("42", "43")(bytes.Clone(w.second["index.html"]))), w.key)
	keylog := func(text []byte) manifest.Files { return w.relist(with(manifest.KeysPath, text), w.key) }
	return []tampered{
		{name: "first release", site: w.first},
		{name: "second release", site: w.second},
		{name: "seen before", site: w.second, opts: verify.Options{Known: known, Keys: w.log.Text(), Want: w.key.DID()}},
		{name: "newer than seen", site: w.second, opts: verify.Options{Known: verify.Site(w.first, verify.Options{}).Remember}},

		{name: "edited page", want: fault.FileChanged, site: swap(w.second, "index.html", replace("42", "43"))},
		{name: "edited style", want: fault.FileChanged, site: swap(w.second, "style.css", replace("white", "WHITE"))},
		{name: "edited data", want: fault.FileChanged, site: swap(w.second, "data/t.csv", replace("1,2", "1,3"))},
		{name: "longer file", want: fault.FileSize, site: swap(w.second, "style.css", func(d []byte) []byte { return append(d, ' ') })},
		{name: "emptied file", want: fault.FileSize, site: with("style.css", nil)},
		{name: "removed file", want: fault.FileMissing, site: without("data/t.csv")},
		{name: "removed page", want: fault.FileMissing, site: without("about/index.html")},
		{name: "added file", want: fault.FileUnlisted, site: with("evil.js", []byte("alert(1)"))},
		{name: "added hidden file", want: fault.FileUnlisted, site: with(".htaccess", []byte("x"))},
		{name: "added to .well-known", want: fault.FileUnlisted, site: with(".well-known/security.txt", []byte("x"))},
		{name: "renamed file", want: fault.FileRenamed, site: renamed},
		{name: "swapped files", want: fault.FileChanged, site: log(func(f manifest.Files) {
			f["style.css"] = []byte("body{color:black}")
		})},
		{name: "page of the release before", want: fault.SnapshotMixed, site: mixed},
		{name: "page that has not changed since the release before", site: older}, // as its issuer says, who listed it
		{name: "page of a release to come, listed", want: fault.SnapshotMixed, site: ahead(3)},
		{name: "page of release zero, listed", want: fault.SnapshotMixed, site: ahead(0)},
		{name: "page of no site, listed", want: fault.SnapshotMixed, site: loose},
		{name: "page without a manifest, listed", want: fault.PageUnsigned, site: unsigned},
		{name: "page by somebody else, listed", want: fault.PageIssuer, site: foreign},
		{name: "edited page, listed", want: fault.AssetChanged, site: edited},

		{name: "no manifest", want: fault.SiteManifestMissing, site: without(manifest.SitePath)},
		{name: "nothing at all", want: fault.SiteManifestMissing, site: manifest.Files{}},
		{name: "manifest of the release before", want: fault.SnapshotMixed, site: with(manifest.SitePath, w.first[manifest.SitePath])},
		{name: "edited list", want: fault.SignatureInvalid, site: text(manifest.SHA256(w.second["style.css"]), manifest.SHA256(nil))},
		{name: "edited sequence", want: fault.SignatureInvalid, site: text(`"sequence":2`, `"sequence":9`)},
		{name: "manifest with a newline", want: fault.JSONNoncanonical, site: swap(w.second, manifest.SitePath, func(d []byte) []byte { return append(d, '\n') })},
		{name: "number in another spelling", want: fault.JSONNoncanonical, site: text(`"sequence":2`, `"sequence":2.0`)},
		{name: "member twice", want: fault.JSONDuplicateKey, site: text(`"sequence":2`, `"sequence":2,"sequence":2`)},
		{name: "sequence no number", want: fault.ManifestFields, site: text(`"sequence":2`, `"sequence":"2"`)},
		{name: "half a release", want: fault.ManifestFields, site: text(`"sequence":2`, `"sequence":2.5`)},
		{name: "release zero", want: fault.ManifestFields, site: text(`"sequence":2`, `"sequence":0`)},
		{name: "manifest of another version", want: fault.ManifestVersion, site: text("workbooks-site/1", "workbooks-site/9")},
		{name: "manifest of a bundle", want: fault.BundleKind, site: w.withLog(with(manifest.SitePath, w.remanifest(w.second[manifest.SitePath], w.key, func(s *manifest.Site) { s.Kind, s.Sequence = manifest.KindBundle, 0 })), nil)},
		{name: "path upwards", want: fault.PathUnsafe, site: list(addFile("../evil"))},
		{name: "absolute path", want: fault.PathUnsafe, site: list(addFile("/etc/passwd"))},
		{name: "path of a drive", want: fault.PathUnsafe, site: list(addFile("C:evil"))},
		{name: "backslash", want: fault.PathUnsafe, site: list(addFile(`a\b`))},
		{name: "path of the log", want: fault.PathUnsafe, site: list(addFile(manifest.LogPrefix + "x"))},
		{name: "path of the manifest", want: fault.PathUnsafe, site: list(addFile(manifest.SitePath))},
		{name: "paths that differ by case", want: fault.PathCollision, site: list(addFile("Style.css"))},
		{name: "path twice", want: fault.FileOrder, site: list(addFile("style.css"))},
		{name: "list out of order", want: fault.FileOrder, site: list(func(s *manifest.Site) { slices.Reverse(s.Files) })},
		{name: "root of another list", want: fault.RootMismatch, site: list(func(s *manifest.Site) { s.Root = manifest.SHA256(nil) })},

		{name: "signed by nobody we know", want: fault.KeyUnknown, site: w.resite(w.second, w.other, func(*manifest.Site) {})},
		{name: "key rotated away", want: fault.KeyRetired, site: keylog(rotated.Text())},
		{name: "key revoked", want: fault.KeyRevoked, site: keylog(revoked.Text())},
		{name: "key log of somebody else", want: fault.KeyUnknown, site: keylog(must(keys.NewLog(w.other, noon))(w.t).Text())},
		{name: "key log cut", want: fault.KeylogMalformed, site: keylog(bytes.TrimSuffix(w.log.Text(), []byte("\n")))},
		{name: "key log empty", want: fault.KeylogMalformed, site: keylog(nil)},
		{name: "key log with a changed entry", want: fault.KeylogSignature, site: keylog(replace("2026", "2025")(w.log.Text()))},
		{name: "key log without its first entry", want: fault.KeylogChain, site: keylog(rotated.Text()[len(w.log.Text()):])},
		{name: "key log not listed", want: fault.FileUnlisted, site: list(func(s *manifest.Site) {
			s.Files = slices.DeleteFunc(s.Files, func(f manifest.File) bool { return f.Path == manifest.KeysPath })
			s.Root = must(manifest.Root(s.Files))(w.t)
		})},
		{name: "revoked by the log known", want: fault.KeyRevoked, site: w.second, opts: verify.Options{Keys: revoked.Text()}},
		{name: "revoked by a log heard of", want: fault.KeyRevoked, site: w.second, opts: verify.Options{Heard: revoked.Text()}},
		{name: "revoked by a log seen before", want: fault.KeyRevoked, site: w.second, opts: verify.Options{Known: &verify.Known{Keys: string(revoked.Text())}}},
		{name: "revoked later than this release", site: w.second, opts: verify.Options{Heard: later.Text()}},
		{name: "heard of somebody else", site: w.second, opts: verify.Options{Heard: must(keys.NewLog(w.other, noon))(w.t).Text()}},
		{name: "key log without a revocation to come", want: fault.KeylogRollback, site: w.second, opts: verify.Options{Keys: later.Text()}},
		{name: "key log without a rotation seen", want: fault.KeylogRollback, site: w.second, opts: verify.Options{Known: &verify.Known{Keys: string(rotated.Text())}}},
		{name: "somebody else wanted", want: fault.IssuerUnexpected, site: w.second, opts: verify.Options{Want: w.other.DID()}},

		{name: "older than seen", want: fault.SequenceRollback, site: w.first, opts: verify.Options{Known: known}},
		{name: "another release of that number", want: fault.SequenceFork, site: list(func(s *manifest.Site) { s.IssuedAt = "2027-01-01T00:00:00Z" }), opts: verify.Options{Known: known}},
		{name: "history rewritten", want: fault.LogFork, site: logged(w.key, append2([]byte("x"), w.second[manifest.SitePath])), opts: verify.Options{Known: known}},
		{name: "no log", want: fault.LogMissing, site: w.withLog(w.second, nil)},
		{name: "log of the release before", want: fault.LogEntry, site: logged(w.key, func(r *manifest.Releases) { _ = r.Append(w.first[manifest.SitePath]) })},
		{name: "log of another manifest", want: fault.LogEntry, site: logged(w.key, append2([]byte("x"), []byte("y")))},
		{name: "log empty", want: fault.LogEntry, site: logged(w.key, func(*manifest.Releases) {})},
		{name: "log of somebody else", want: fault.LogOrigin, site: w.relog(w.second, w.key, w.other.DID())},
		{name: "checkpoint by somebody else", want: fault.LogSignature, site: logged(w.other, append2(w.first[manifest.SitePath], w.second[manifest.SitePath]))},
		{name: "checkpoint edited", want: fault.LogSignature, site: swap(w.second, checkpoint, replace("\n2\n", "\n1\n"))},
		{name: "checkpoint without signature", want: fault.LogCheckpoint, site: swap(w.second, checkpoint, func(d []byte) []byte { return d[:bytes.Index(d, []byte("\n\n"))+1] })},
		{name: "checkpoint with two", want: fault.LogCheckpoint, site: swap(w.second, checkpoint, func(d []byte) []byte { return append(d, d[bytes.Index(d, []byte("\n\n"))+2:]...) })},
		{name: "tile edited", want: fault.LogTile, site: swap(w.second, tile, func(d []byte) []byte { d[0] ^= 1; return d })},
		{name: "tile missing", want: fault.LogTile, site: without(tile)},
		{name: "entries edited", want: fault.LogTile, site: swap(w.second, entries, replace(`"sequence":1`, `"sequence":3`))},
		{name: "entries cut", want: fault.LogTile, site: swap(w.second, entries, func(d []byte) []byte { return d[:9] })},
		{name: "file in the log", want: fault.FileUnlisted, site: with(manifest.LogPrefix+"evil.html", []byte("x"))},
	}
}

func (w *world) bundles() []tampered {
	files := must(bundle.Unpack(w.zip))(w.t)
	pack := func(change func(manifest.Files)) []byte {
		out := maps.Clone(files)
		change(out)
		return must(bundle.Pack(out))(w.t)
	}
	le := binary.LittleEndian
	central := bytes.Index(w.zip, []byte("PK\x01\x02"))
	poke := func(change func(zip []byte)) []byte { z := bytes.Clone(w.zip); change(z); return z }
	name := func(old, new string) []byte { // in the zip's headers, not in the manifest
		z := bytes.Clone(w.zip)
		for at := 0; ; at++ {
			i := bytes.Index(z[at:], []byte(old))
			if i < 0 {
				return z
			}
			if at += i; z[at-1] != '"' {
				copy(z[at:], new)
			}
		}
	}
	remade := func(change func(*manifest.Site)) []byte {
		return pack(func(f manifest.Files) {
			f[manifest.BundlePath] = w.remanifest(f[manifest.BundlePath], w.key, change)
		})
	}
	revoked := must(w.log.Revoke(w.key, w.key.DID(), 1, "stolen", noon))(w.t)
	body := bytes.Index(w.zip, []byte("#+TITLE"))
	return []tampered{
		{name: "as it was signed", zip: w.zip},
		{name: "empty", want: fault.ZipMalformed, zip: []byte{}},
		{name: "no zip", want: fault.ZipMalformed, zip: []byte("<html>")},
		{name: "cut short", want: fault.ZipMalformed, zip: w.zip[:len(w.zip)-1]},
		{name: "zip slip", want: fault.ZipPath, zip: name("artifacts/a.wasm", "../artifact.wasm")},
		{name: "zip slip by backslash", want: fault.ZipPath, zip: name("artifacts/a.wasm", `..\artifact.wasm`)},
		{name: "absolute name", want: fault.ZipPath, zip: name("artifacts/a.wasm", "/rtifacts/a.wasm")},
		{name: "directory entry", want: fault.ZipPath, zip: name("artifacts/a.wasm", "artifacts/a.was/")},
		{name: "nul in a name", want: fault.ZipPath, zip: name("artifacts/a.wasm", "artifacts/a\x00wasm")},
		{name: "name twice", want: fault.ZipDuplicate, zip: name("workbook.html", "Manifest.json")},
		{name: "bytes in front", want: fault.ZipMalformed, zip: append([]byte("#!/bin/sh\n"), w.zip...)},
		{name: "bytes behind", want: fault.ZipHidden, zip: append(bytes.Clone(w.zip), "hidden"...)},
		{name: "bytes before the directory", want: fault.ZipHidden, zip: func() []byte {
			z := slices.Concat(w.zip[:central], []byte("hidden"), w.zip[central:])
			le.PutUint32(z[len(z)-6:], uint32(central+6))
			return z
		}()},
		{name: "file not in the directory", want: fault.ZipHidden, zip: func() []byte {
			z := poke(func([]byte) {})
			next := central + 46 + int(le.Uint16(z[central+28:])) // the first entry leaves
			z = slices.Concat(z[:central], z[next:])
			end := len(z) - 22
			le.PutUint16(z[end+8:], le.Uint16(z[end+8:])-1)
			le.PutUint16(z[end+10:], le.Uint16(z[end+10:])-1)
			le.PutUint32(z[end+12:], uint32(end-central))
			return z
		}()},
		{name: "other name in the file's header", want: fault.ZipMismatch, zip: poke(func(z []byte) { copy(z[30:], "MANIFEST.json") })},
		{name: "other size in the file's header", want: fault.ZipMismatch, zip: poke(func(z []byte) { z[18]++ })},
		{name: "compressed", want: fault.ZipMethod, zip: poke(func(z []byte) { z[central+10] = 8 })},
		{name: "encrypted", want: fault.ZipMethod, zip: poke(func(z []byte) { z[central+8] |= 1 })},
		{name: "symbolic link", want: fault.FileIrregular, zip: poke(func(z []byte) { le.PutUint32(z[central+38:], 0o120777<<16) })},
		{name: "two sizes", want: fault.ZipSize, zip: poke(func(z []byte) { z[central+24]++; z[22]++ })},
		{name: "edited source", want: fault.ZipChecksum, zip: poke(func(z []byte) { z[body] = '%' })},
		{name: "edited source, checksum too", want: fault.FileChanged, zip: pack(func(f manifest.Files) { f["source.org"] = []byte("#+TITLE: y\n") })},
		{name: "longer source", want: fault.FileSize, zip: pack(func(f manifest.Files) { f["source.org"] = []byte("#+TITLE: long\n") })},
		{name: "added file", want: fault.FileUnlisted, zip: pack(func(f manifest.Files) { f["b"] = nil })},
		{name: "removed file", want: fault.FileMissing, zip: pack(func(f manifest.Files) { delete(f, "artifacts/a.wasm") })},
		{name: "renamed file", want: fault.FileRenamed, zip: pack(func(f manifest.Files) { f["b.wasm"] = f["artifacts/a.wasm"]; delete(f, "artifacts/a.wasm") })},
		{name: "no manifest", want: fault.BundleManifestMissing, zip: pack(func(f manifest.Files) { delete(f, manifest.BundlePath) })},
		{name: "manifest of a site", want: fault.BundleKind, zip: remade(func(s *manifest.Site) { s.Kind, s.Sequence = manifest.KindSite, 1 })},
		{name: "listed path upwards", want: fault.PathUnsafe, zip: remade(func(s *manifest.Site) { s.Files[0].Path = "../x" })},
		{name: "edited manifest", want: fault.SignatureInvalid, zip: pack(func(f manifest.Files) {
			f[manifest.BundlePath] = replace("2026", "2025")(bytes.Clone(f[manifest.BundlePath]))
		})},
		{name: "no key log", want: fault.KeylogMalformed, zip: pack(func(f manifest.Files) {
			delete(f, manifest.BundleKeysPath)
			f[manifest.BundlePath] = w.remanifest(f[manifest.BundlePath], w.key, func(s *manifest.Site) {
				s.Files = slices.DeleteFunc(s.Files, func(e manifest.File) bool { return e.Path == manifest.BundleKeysPath })
				s.Root = must(manifest.Root(s.Files))(w.t)
			})
		})},
		{name: "unsigned page", want: fault.PageUnsigned, zip: must(sign.Bundle(manifest.Files{"workbook.html": []byte(plainPage)}, w.issuer(), noon))(w.t)},
		{name: "page by somebody else", want: fault.PageIssuer, zip: must(sign.Bundle(manifest.Files{"workbook.html": must(manifest.SignPage([]byte(plainPage), w.other, noon))(w.t)}, w.issuer(), noon))(w.t)},
		{name: "key revoked since", want: fault.KeyRevoked, zip: w.zip, opts: verify.Options{Keys: revoked.Text()}},
		{name: "revoked by a log heard of", want: fault.KeyRevoked, zip: w.zip, opts: verify.Options{Heard: revoked.Text()}},
		{name: "source of another workbook", want: fault.StatementSubject, zip: must(sign.Bundle(w.bundleFiles(), w.issuer(), noon, manifest.Assertion{Label: verify.SourceLabel, Data: map[string]any{"path": "source.org", "sha256": "00"}}))(w.t)},
	}
}

// detached are files with their signatures beside them.
func (w *world) detached() []tampered {
	org := []byte("#+TITLE: x\n#+begin_src js\n1 + 1\n#+end_src\n")
	sign := func(by sign.Issuer, said ...manifest.Assertion) []byte {
		return must(manifest.SignDetached(org, by.Signer, by.Keys, noon, said...))(w.t)
	}
	good := sign(w.issuer(), manifest.ProgramAssertion("00"))
	// again signs a changed manifest, as only the issuer could.
	again := func(signer identity.Signer, change func(map[string]any)) []byte {
		v := must(jcs.Parse(bytes.TrimSuffix(good, []byte("\n"))))(w.t).(map[string]any)
		delete(v, "signature")
		change(v)
		if _, ok := v["signature"]; !ok {
			v["signature"] = keys.Encode(signer.Sign(must(jcs.Marshal(v))(w.t)))
		}
		return append(must(jcs.Marshal(v))(w.t), '\n')
	}
	member := func(name string, value any) []byte {
		return again(w.key, func(v map[string]any) { v[name] = value })
	}
	rotated := must(w.log.Rotate(w.key, w.other, 1, noon))(w.t)
	revoked := must(w.log.Revoke(w.key, w.key.DID(), 0, "stolen", noon))(w.t)
	theirs := must(keys.NewLog(w.other, noon))(w.t)
	edit := func(old, new string) []byte { return replace(old, new)(bytes.Clone(good)) }
	out := []tampered{
		{name: "as it was signed", sig: good},
		{name: "an old key's, rotated since", sig: good, opts: verify.Options{Keys: rotated.Text()}},
		{name: "the new key's, wanted by its identity", sig: sign(signIssuer(w.other, rotated)), opts: verify.Options{Want: w.key.DID()}},
		{name: "edited file", want: fault.AssetChanged, file: replace("1 + 1", "1 + 2")(bytes.Clone(org)), sig: good},
		{name: "file with more", want: fault.AssetChanged, file: append(bytes.Clone(org), '\n'), sig: good},
		{name: "empty file", want: fault.AssetChanged, file: []byte{}, sig: good},
		{name: "another size", want: fault.AssetChanged, sig: member("size", 1.0)},
		{name: "another digest", want: fault.AssetChanged, sig: member("sha256", strings.Repeat("0", 64))},
		{name: "no signature file's text", want: fault.ManifestMissing, sig: []byte{}},
		{name: "not JSON", want: fault.JSONInvalid, sig: []byte("-----BEGIN PGP SIGNATURE-----\n")},
		{name: "no line end", want: fault.JSONNoncanonical, sig: bytes.TrimSuffix(good, []byte("\n"))},
		{name: "two line ends", want: fault.JSONNoncanonical, sig: append(bytes.Clone(good), '\n')},
		{name: "a space", want: fault.JSONNoncanonical, sig: edit(`,"size"`, `, "size"`)},
		{name: "a member twice", want: fault.JSONDuplicateKey, sig: edit(`{"assertions"`, `{"size":1,"assertions"`)},
		{name: "another version", want: fault.ManifestVersion, sig: member("version", "workbooks-detached/2")},
		{name: "a page's manifest", want: fault.ManifestVersion, sig: member("version", manifest.PageVersion)},
		{name: "unknown field", want: fault.ManifestFields, sig: member("note", "trust me")},
		{name: "missing field", want: fault.ManifestFields, sig: again(w.key, func(v map[string]any) { delete(v, "size") })},
		{name: "size as text", want: fault.ManifestFields, sig: member("size", "1")},
		{name: "edited time", want: fault.SignatureInvalid, sig: edit("2026-01-02T12:00:00Z\",\"issuer", "2025-01-02T12:00:00Z\",\"issuer")},
		{name: "edited program", want: fault.SignatureInvalid, sig: edit(`"sha256":"00"`, `"sha256":"01"`)},
		{name: "another issuer's name", want: fault.SignatureInvalid, sig: edit(`"issuer_did":"`+w.key.DID(), `"issuer_did":"`+w.other.DID())},
		{name: "a signature of something else", want: fault.SignatureInvalid, sig: member("signature", keys.Encode(w.key.Sign([]byte("else"))))},
		{name: "no signature", want: fault.SignatureMalformed, sig: member("signature", "")},
		{name: "no key log", want: fault.KeylogMalformed, sig: member("keys", "")},
		{name: "a cut key log", want: fault.KeylogMalformed, sig: member("keys", strings.TrimSuffix(string(w.log.Text()), "\n"))},
		{name: "another's key log", want: fault.KeyUnknown, sig: member("keys", string(theirs.Text()))},
		{name: "signed by a stranger", want: fault.KeyUnknown, sig: again(w.other, func(v map[string]any) { v["issuer_did"] = w.other.DID() })},
		{name: "revoked in its own log", want: fault.KeyRevoked, sig: sign(signIssuer(w.key, revoked))},
		{name: "revoked since", want: fault.KeyRevoked, sig: good, opts: verify.Options{Keys: revoked.Text()}},
		{name: "revoked by a log heard of", want: fault.KeyRevoked, sig: good, opts: verify.Options{Heard: revoked.Text()}},
		{name: "heard of somebody else", sig: good, opts: verify.Options{Heard: theirs.Text()}},
		{name: "not a continuation of the log known", want: fault.KeylogRollback, sig: good, opts: verify.Options{Keys: theirs.Text()}},
		{name: "another key wanted", want: fault.IssuerUnexpected, sig: good, opts: verify.Options{Want: w.other.DID()}},
	}
	for i := range out {
		if out[i].file == nil {
			out[i].file = org
		}
	}
	return out
}

// badBase64 is a signed page whose bundle is not base64.
func (w *world) badBase64() []byte {
	html := bundle.Embed([]byte(plainPage), []byte("x"))
	html = bytes.Replace(html, []byte(base64.StdEncoding.EncodeToString([]byte("x"))), []byte("e*=="), 1)
	return must(manifest.SignPage(html, w.key, noon))(w.t)
}

// table is everything, honest and tampered.
func table(t testing.TB) []tampered {
	w := newWorld(t)
	var out []tampered
	add := func(label string, cases []tampered) {
		for _, c := range cases {
			c.label = label
			out = append(out, c)
		}
	}
	add("page", w.pages())
	add("site", w.sites())
	add("bundle", w.bundles())
	add("detached", w.detached())
	return out
}
