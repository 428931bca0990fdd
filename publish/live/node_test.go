package live_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"wb/compile"
	"wb/internal/value"
	"wb/sandbox"
)

// node runs a module of testdata with a JSON file and reads what it prints.
func node(t *testing.T, module string, input, output any) {
	t.Helper()
	program, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not there: apt-get install nodejs")
	}
	text, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "input.json")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(program, filepath.Join("testdata", module), file).Output()
	if err != nil {
		var failed *exec.ExitError
		if errors, ok := err.(*exec.ExitError); ok {
			failed = errors
			t.Fatalf("node: %v\n%s", err, failed.Stderr)
		}
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, output); err != nil {
		t.Fatal(err)
	}
}

// TestModules compares parts of the runtime with what they stand for here:
// random numbers, values, reading output, and what is taken out of texts.
func TestModules(t *testing.T) {
	stream := rand.NewChaCha8([32]byte{})
	random := make([]byte, 5000)
	for at := 0; at < len(random); at += 100 { // in pieces, as guests ask
		_, _ = stream.Read(random[at : at+100]) // never fails
	}
	texts := []string{"null", "-0.0", "0", "1e21", "1e-7", "123456789012345678901", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "0.1", "2.0", "1e300", `"\u00e9\ud800x\n\u0007"`,
		`{"b":1,"a":[true,{"$float":"NaN"},{"$float":"-Infinity"},{"$hline":true},{"$bytes":"/w=="}],"b":2}`, `[1,]`, `"open`, `01`, `{"a" 1}`, ` [ [ ] , { } ] `, `"\ud83d\ude00"`, "5e-324", "100000000000000000000"}
	printed := []string{"", "\n", "1\n2\n", "a,b\n1,2\n", "a\tb\n1\t2.50\n", " x  y\n 1  2\n", "one two", "\"a, b\",2\n3,\"c\"\"d\"\n", "  indented\n    more\n", "1e5", "+7", "5.", "-.5e3", "0x10", "a|b\nc|d", "\xff\xfe 1\n", "12345678901234567890", "a,b,\n,,c\n", "  \n", "x\r\ny\r\n", "\u00a05\n", "7\u2003"}
	harmful := []string{"plain", "\x1b[31mred\x1b[0m", "\x1b]0;title\x07after", "\x1bPq\x1b\\z", "a\x00b\x7fc", "\u202eabc\u2066", "\ufeffx", "tab\tnl\n", "\x1b", "\x1b[", "\u009b1mx", "e\u0301"}
	type reading struct {
		Text   []byte `json:"text"`
		Read   string `json:"read"`
		Dedent bool   `json:"dedent"`
	}
	var readings []reading
	var wantRead []string
	for _, text := range printed {
		for _, src := range []*compile.Source{{}, {Results: []string{"output"}}, {Results: []string{"discard"}}} {
			for _, dedent := range []bool{false, true} {
				readings = append(readings, reading{[]byte(text), string(src.Results.Reading()), dedent})
				if dedent {
					text = compile.Dedent(text)
				}
				wantRead = append(wantRead, exact(t, src.Results.Read(text)))
			}
		}
	}
	var wantValues []string
	for _, text := range texts {
		v, err := value.ParseJSON([]byte(text))
		if err != nil {
			wantValues = append(wantValues, "error")
			continue
		}
		wantValues = append(wantValues, exact(t, v)+" "+v.String())
	}
	var wantNeutral []string
	for _, text := range harmful {
		wantNeutral = append(wantNeutral, string(sandbox.Neutralize([]byte(text))))
	}
	var got struct {
		Random  []byte
		Values  []string
		Read    []string
		Neutral []string
		Digest  string
	}
	node(t, "modules.mjs", map[string]any{"texts": texts, "readings": readings, "harmful": harmful}, &got)
	if !bytes.Equal(got.Random, random) {
		t.Error("random numbers differ")
	}
	for i, text := range texts {
		if got.Values[i] != wantValues[i] {
			t.Errorf("%s: %s, want %s", text, got.Values[i], wantValues[i])
		}
	}
	for i, r := range readings {
		if got.Read[i] != wantRead[i] {
			t.Errorf("%q as %s (dedent %v): %s, want %s", r.Text, r.Read, r.Dedent, got.Read[i], wantRead[i])
		}
	}
	for i, text := range harmful {
		if got.Neutral[i] != wantNeutral[i] {
			t.Errorf("%q: %q, want %q", text, got.Neutral[i], wantNeutral[i])
		}
	}
	if want := "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"; got.Digest != want {
		t.Errorf("the digest of abc is %s", got.Digest)
	}
}

func exact(t *testing.T, v value.Value) string {
	t.Helper()
	text, err := v.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(string(text))
}
