package jcs

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wb/proof/fault"
)

// vector is one case of testdata/vectors.json, which the JavaScript verifier
// is tested with too: what a text becomes, or the code it fails with.
type vector struct {
	Name string `json:"name"`
	In   string `json:"in"`
	Out  string `json:"out,omitempty"`
	Code string `json:"code,omitempty"`
}

func vectors(t testing.TB) []vector {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "vectors.json"))
	if err != nil {
		t.Fatal(err)
	}
	var out []vector
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestVectors(t *testing.T) {
	for _, v := range vectors(t) {
		got, err := Canonical([]byte(v.In))
		if string(fault.CodeOf(err)) != v.Code {
			t.Errorf("%s: error %v, want code %q", v.Name, err, v.Code)
			continue
		}
		if string(got) != v.Out {
			t.Errorf("%s: %s, want %s", v.Name, got, v.Out)
		}
		if v.Code != "" {
			continue
		}
		if _, err := Check(got); err != nil {
			t.Errorf("%s: the canonical form is refused: %v", v.Name, err)
		}
		if _, err := Check([]byte(v.In)); v.In != v.Out && fault.CodeOf(err) != fault.JSONNoncanonical {
			t.Errorf("%s: another spelling is accepted: %v", v.Name, err)
		}
	}
}

// The samples of RFC 8785, appendix B, by the bits of the double.
func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		bits uint64
		want string
	}{
		{0x0000000000000000, "0"},
		{0x8000000000000000, "0"},
		{0x0000000000000001, "5e-324"},
		{0x8000000000000001, "-5e-324"},
		{0x7fefffffffffffff, "1.7976931348623157e+308"},
		{0xffefffffffffffff, "-1.7976931348623157e+308"},
		{0x4340000000000000, "9007199254740992"},
		{0xc340000000000000, "-9007199254740992"},
		{0x4430000000000000, "295147905179352830000"},
		{0x44b52d02c7e14af5, "9.999999999999997e+22"},
		{0x44b52d02c7e14af6, "1e+23"},
		{0x44b52d02c7e14af7, "1.0000000000000001e+23"},
		{0x444b1ae4d6e2ef4e, "999999999999999700000"},
		{0x444b1ae4d6e2ef4f, "999999999999999900000"},
		{0x444b1ae4d6e2ef50, "1e+21"},
		{0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"},
		{0x3eb0c6f7a0b5ed8d, "0.000001"},
		{0x41b3de4355555553, "333333333.3333332"},
		{0x41b3de4355555554, "333333333.33333325"},
		{0x41b3de4355555555, "333333333.3333333"},
		{0x41b3de4355555556, "333333333.3333334"},
		{0x41b3de4355555557, "333333333.33333343"},
		{0xbecbf647612f3696, "-0.0000033333333333333333"},
		{0x43143ff3c1cb0959, "1424953923781206.2"},
	} {
		got, err := Append(nil, math.Float64frombits(c.bits))
		if err != nil || string(got) != c.want {
			t.Errorf("%016x: %s %v, want %s", c.bits, got, err, c.want)
		}
	}
	for _, f := range []float64{math.NaN(), math.Inf(1)} {
		if _, err := Append(nil, f); fault.CodeOf(err) != fault.JSONNumber {
			t.Errorf("%v: %v", f, err)
		}
	}
}

func TestDepth(t *testing.T) {
	deep := func(n int) []byte { return []byte(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	if _, err := Parse(deep(MaxDepth + 1)); err != nil {
		t.Errorf("%d levels: %v", MaxDepth+1, err)
	}
	if _, err := Parse(deep(1 << 20)); fault.CodeOf(err) != fault.JSONDepth {
		t.Errorf("a million levels: %v", err)
	}
}

func TestEncoding(t *testing.T) {
	for _, text := range []string{"\"\xff\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"", "{\"\xff\":1}"} {
		if _, err := Parse([]byte(text)); fault.CodeOf(err) != fault.JSONEncoding {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestMarshal(t *testing.T) {
	got, err := Marshal(struct {
		B int    `json:"b"`
		A string `json:"a"`
	}{1, "</script>"})
	if err != nil || string(got) != `{"a":"</script>","b":1}` {
		t.Errorf("%s %v", got, err)
	}
	if _, err := Marshal(int64(1) << 60); fault.CodeOf(err) != fault.JSONNumber {
		t.Errorf("a large integer: %v", err)
	}
}

// FuzzCanonical: what is accepted is JSON for encoding/json too and means the
// same, and its canonical form is its own canonical form.
func FuzzCanonical(f *testing.F) {
	for _, v := range vectors(f) {
		f.Add([]byte(v.In))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		out, err := Canonical(text)
		if err != nil {
			if fault.CodeOf(err) == "" {
				t.Fatalf("no code: %v", err)
			}
			return
		}
		if !json.Valid(text) {
			t.Fatalf("accepted %q, which is not JSON", text)
		}
		again, err := Canonical(out)
		if err != nil || !bytes.Equal(again, out) {
			t.Fatalf("%q: %q becomes %q, %v", text, out, again, err)
		}
		var a, b any
		if json.Unmarshal(text, &a) == nil && json.Unmarshal(out, &b) == nil {
			x, _ := json.Marshal(a)
			y, _ := json.Marshal(b)
			if !bytes.Equal(x, y) && !bytes.Contains(text, []byte("-0")) {
				t.Fatalf("%q means another value than %q", text, out)
			}
		}
	})
}
