package verify_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"wb/proof/fault"
	"wb/proof/manifest"
	"wb/proof/sign"
	"wb/proof/verify"
)

func (c tampered) verify() *verify.Report {
	switch c.label {
	case "page":
		return verify.Page(c.page, c.opts)
	case "site":
		return verify.Site(c.site, c.opts)
	case "detached":
		return verify.Detached(c.file, c.sig, c.opts)
	}
	return verify.Bundle(c.zip, c.opts)
}

// TestTampered: every way to tamper that we know of is noticed, under its name.
func TestTampered(t *testing.T) {
	failures, codes := 0, map[fault.Code]bool{}
	for _, c := range table(t) {
		r := c.verify()
		if r.Code != c.want || r.Valid != (c.want == "") {
			t.Errorf("%s: %s: %q (%s %s), want %q", c.label, c.name, r.Code, r.Path, r.Message, c.want)
		}
		if c.want != "" {
			failures++
			codes[c.want] = true
		}
	}
	if failures < 60 {
		t.Errorf("only %d tampered cases", failures)
	}
	t.Logf("%d tampered cases, %d codes", failures, len(codes))
}

// TestProgram: trust in what a workbook does outlives its prose and results, and
// nothing else.
func TestProgram(t *testing.T) {
	w := newWorld(t)
	const program = "c0ffee"
	sig, err := manifest.SignDetached([]byte("* text"), w.key, w.log, noon, manifest.ProgramAssertion(program))
	if err != nil {
		t.Fatal(err)
	}
	silent, err := manifest.SignDetached([]byte("* text"), w.key, w.log, noon)
	if err != nil {
		t.Fatal(err)
	}
	revoked, err := w.log.Revoke(w.key, w.key.DID(), 0, "stolen", noon)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, program string
		sig           []byte
		opts          verify.Options
		want          fault.Code
	}{
		{"as signed", program, sig, verify.Options{}, ""},
		{"another program", "decaf", sig, verify.Options{}, fault.ProgramChanged},
		{"no program", "", sig, verify.Options{}, fault.ProgramChanged},
		{"nothing said of one", "", silent, verify.Options{}, fault.ProgramChanged},
		{"nothing said of this", program, silent, verify.Options{}, fault.ProgramChanged},
		{"revoked", program, sig, verify.Options{Keys: revoked.Text()}, fault.KeyRevoked},
		{"cut", program, sig[:40], verify.Options{}, fault.JSONInvalid},
	} {
		if r := verify.Program(c.program, c.sig, c.opts); r.Code != c.want || r.Valid != (c.want == "") {
			t.Errorf("%s: %s %s", c.name, r.Code, r.Message)
		}
	}
}

// TestBrowserVerifier gives the table to the verifier in JavaScript: it must
// come to the same verdicts.
func TestBrowserVerifier(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not there: apt-get install nodejs")
	}
	type input struct {
		Kind    string            `json:"kind"`
		Bytes   []byte            `json:"bytes"`
		Sig     []byte            `json:"signature"`
		Files   map[string][]byte `json:"files"`
		Want    string            `json:"want"`
		Keys    string            `json:"keys"`
		Heard   string            `json:"heard"`
		Known   *verify.Known     `json:"known,omitempty"`
		Partial bool              `json:"partial"`
	}
	cases := table(t)
	var inputs []input
	for _, c := range cases {
		inputs = append(inputs, input{Kind: c.label, Bytes: slices.Concat(c.page, c.zip, c.file), Sig: c.sig, Files: c.site, Want: c.opts.Want,
			Keys: string(c.opts.Keys), Heard: string(c.opts.Heard), Known: c.opts.Known, Partial: c.opts.Partial})
	}
	text, err := json.Marshal(inputs)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "cases.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(node, filepath.Join("testdata", "table.mjs"), file)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if strings.Contains(stderr.String(), "no Ed25519") {
		t.Skip("this node has no Ed25519 in WebCrypto: install node 20 or later")
	}
	if err != nil {
		t.Fatalf("node: %v\n%s", err, &stderr)
	}
	var reports []verify.Report
	if err := json.Unmarshal(out, &reports); err != nil {
		t.Fatal(err)
	}
	if len(reports) != len(cases) {
		t.Fatalf("%d reports for %d cases", len(reports), len(cases))
	}
	for i, c := range cases {
		a, b := reports[i], c.verify()
		if a.Code != b.Code || a.Path != b.Path || a.Valid != b.Valid || a.Signature != b.Signature || a.AssetIntegrity != b.AssetIntegrity || a.IssuerDID != b.IssuerDID {
			t.Errorf("%s: %s: JavaScript says %q %q (%s), Go %q %q (%s)", c.label, c.name, a.Code, a.Path, a.Message, b.Code, b.Path, b.Message)
		}
	}
}

// TestBrowserCanonical gives both the same JSON.
func TestBrowserCanonical(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not there: apt-get install nodejs")
	}
	out, err := exec.Command(node, filepath.Join("testdata", "vectors.mjs"), filepath.Join("..", "jcs", "testdata", "vectors.json")).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// TestStockReaders reads our log with the Go project's own packages.
func TestStockReaders(t *testing.T) {
	w := newWorld(t)
	origin := w.key.DID()
	verifier, err := note.NewVerifier(manifest.VerifierKey(origin, w.key.Public()))
	if err != nil {
		t.Fatal(err)
	}
	n, err := note.Open(w.second[manifest.LogPrefix+"checkpoint"], note.VerifierList(verifier))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(n.Text, "\n")
	if lines[0] != origin || lines[1] != "2" {
		t.Fatalf("checkpoint %q", n.Text)
	}
	root, err := tlog.ParseHash(lines[2])
	if err != nil {
		t.Fatal(err)
	}
	data := w.second[manifest.LogPrefix+"tile/0/000.p/2"]
	tile := tlog.Tile{H: 8, L: 0, N: 0, W: 2}
	hashes := tlog.HashReaderFunc(func(indexes []int64) ([]tlog.Hash, error) {
		var out []tlog.Hash
		for _, i := range indexes {
			h, err := tlog.HashFromTile(tile, data, i)
			if err != nil {
				return nil, err
			}
			out = append(out, h)
		}
		return out, nil
	})
	got, err := tlog.TreeHash(2, hashes)
	if err != nil || got != root {
		t.Errorf("tree %v, checkpoint %v: %v", got, root, err)
	}
	proof, err := tlog.ProveRecord(2, 1, hashes)
	if err != nil {
		t.Fatal(err)
	}
	entries := w.second[manifest.LogPrefix+"tile/entries/000.p/2"]
	second := entries[2+len(entries)/2:]
	if err := tlog.CheckRecord(proof, 2, root, 1, tlog.RecordHash(second)); err != nil {
		t.Errorf("inclusion: %v", err)
	}
}

// TestSignTwice: signing what did not change changes nothing.
func TestSignTwice(t *testing.T) {
	w := newWorld(t)
	again, s, err := sign.Site(w.second, w.issuer(), "example.org", noon.AddDate(1, 0, 0))
	if err != nil || s.Sequence != 2 {
		t.Fatalf("%v %v", s, err)
	}
	for path, data := range w.second {
		if !bytes.Equal(again[path], data) {
			t.Errorf("%s changed", path)
		}
	}
}

// FuzzPage: no page makes the verifier panic, and none but those that were
// signed are valid.
func FuzzPage(f *testing.F) {
	w := newWorld(f)
	f.Add(w.page)
	f.Add(w.bundled)
	f.Fuzz(func(t *testing.T, page []byte) {
		r := verify.Page(page, verify.Options{Want: w.key.DID()})
		if r.Valid && !bytes.Equal(page, w.page) && !bytes.Equal(page, w.bundled) {
			t.Fatalf("accepted %q", page)
		}
		if !r.Valid && r.Code == "" {
			t.Fatal("no code")
		}
	})
}

// FuzzBundle is FuzzPage for bundles.
func FuzzBundle(f *testing.F) {
	w := newWorld(f)
	f.Add(w.zip)
	f.Fuzz(func(t *testing.T, zip []byte) {
		r := verify.Bundle(zip, verify.Options{Want: w.key.DID()})
		if r.Valid && !bytes.Equal(zip, w.zip) {
			t.Fatal("accepted other bytes")
		}
	})
}
