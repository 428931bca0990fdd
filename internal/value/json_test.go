package value

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// Errors point at the first byte that is wrong and say what was expected.
func TestParseJSONErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{``, `json at byte 0: expected a value, found the end`},
		{` [1,`, `json at byte 4: expected a value, found the end`},
		{`[1 2]`, `json at byte 3: expected "," or "]", found '2'`},
		{`[1,]`, `json at byte 3: expected a value, found ']'`},
		{`1 2`, `json at byte 2: '2' after the value`},
		{"1\x00", `json at byte 1: '\x00' after the value`},
		{`{"a" 1}`, `json at byte 5: expected ":", found '1'`},
		{`{"a":1,}`, `json at byte 7: expected a member's name in quotes, found '}'`},
		{`{a:1}`, `json at byte 1: expected a member's name in quotes, found 'a'`},
		{`{"a":1`, `json at byte 6: expected "," or "}", found the end`},
		{`"a`, `json at byte 0: string is not closed`},
		{`"a\n`, `json at byte 0: string is not closed`},
		{"\"a\nb\"", `json at byte 2: control character '\n' in a string`},
		{`"a\x"`, `json at byte 2: unknown escape in a string`},
		{`"\u12G4"`, `json at byte 1: unknown escape in a string`},
		{`01`, `json at byte 1: a number does not start with 0`},
		{`-`, `json at byte 1: expected a digit, found the end`},
		{`1.`, `json at byte 2: expected a digit, found the end`},
		{`1e+x`, `json at byte 3: expected a digit, found 'x'`},
		{`+1`, `json at byte 0: expected a value, found '+'`},
		{`NaN`, `json at byte 0: expected a value, found 'N'`},
		{`nul`, `json at byte 0: expected null`},
		{`[1e999]`, `json at byte 1: number 1e999 is too large`},
		{`é`, `json at byte 0: expected a value, found 'é'`},
		{strings.Repeat("[", 2000), `json at byte 1000: nested deeper than 1000 levels`},
	} {
		_, err := ParseJSON([]byte(c.text))
		var syntax *JSONError
		if !errors.As(err, &syntax) || err.Error() != c.want {
			t.Errorf("%.20q: got %v, want %s", c.text, err, c.want)
		}
	}
	if _, err := ParseJSON([]byte(strings.Repeat("[", 1000) + strings.Repeat("]", 1000))); err != nil {
		t.Error(err)
	}
	text := []byte("{\n  \"a\": [1,\n    2 3]}")
	_, err := ParseJSON(text)
	if line, col := err.(*JSONError).Position(text); line != 3 || col != 7 {
		t.Errorf("%v is at %d:%d", err, line, col)
	}
}

// Nothing is lost between MarshalJSON and UnmarshalJSON; what programs read
// is JSON that loses only bytes that are not text.
func TestExactForm(t *testing.T) {
	blob := Blob{SHA256: strings.Repeat("ab", 32), Size: 3, Media: "image/png", Path: "x.png"}
	v := OfList(OfFloat(math.NaN()), OfFloat(math.Inf(-1)), OfFloat(math.Copysign(0, -1)), OfFloat(2), OfInt(2), OfInt(math.MinInt64),
		OfString("bad \xff"), OfString("\u2028"), Rule(), OfBlob(blob), OfObject(Field{"b", Nil()}, Field{"a", OfBool(true)}))
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var again Value
	if err := json.Unmarshal(text, &again); err != nil {
		t.Fatal(err)
	}
	if again.Digest() != v.Digest() || again.Items()[6].Text() != "bad \xff" || !math.Signbit(again.Items()[2].Float()) || again.Items()[9].Blob() != blob {
		t.Errorf("came back as %s", again)
	}
	want := `[{"$float":"NaN"},{"$float":"-Infinity"},-0.0,2.0,2,-9223372036854775808,"bad \ufffd","\u2028",{"$hline":true},` +
		`{"$blob":{"sha256":"` + blob.SHA256 + `","size":3,"media":"image/png","path":"x.png"}},{"b":null,"a":true}]`
	want = strings.NewReplacer(`\ufffd`, "\ufffd", `\u2028`, "\u2028").Replace(want)
	if v.String() != want {
		t.Errorf("programs read %s", v)
	}
}

// What programs could tell apart has different digests; what means the same is
// equal.
func TestDigestAndEqual(t *testing.T) {
	parse := func(text string) Value {
		v, err := ParseJSON([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, c := range []struct {
		a, b          string
		equal, digest bool
	}{
		{`2`, `2.0`, true, false},
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`, true, false},
		{`[1,2]`, `[1, 2]`, true, true},
		{`[1,2]`, `[2,1]`, false, false},
		{`null`, `false`, false, false},
		{`"1"`, `1`, false, false},
		{`9007199254740993`, `9007199254740992.0`, false, false},
		{`9223372036854775807`, `9223372036854775808`, false, false},
		{`-9223372036854775808`, `-9223372036854775808.0`, true, false},
		{`0.1`, `0.10`, true, true},
		{`{"a":1}`, `{"a":1,"b":2}`, false, false},
		{`{"$hline":true}`, `null`, false, false},
	} {
		a, b := parse(c.a), parse(c.b)
		if Equal(a, b) != c.equal || Equal(b, a) != c.equal || (a.Digest() == b.Digest()) != c.digest {
			t.Errorf("%s and %s: equal %v, same digest %v", c.a, c.b, Equal(a, b), a.Digest() == b.Digest())
		}
	}
	if !Equal(OfFloat(math.NaN()), OfFloat(math.NaN())) {
		t.Error("NaN is not itself")
	}
}

// Text that only looks like one of our special objects stays an object.
func TestNotSpecial(t *testing.T) {
	for _, text := range []string{
		`{"$hline":1}`, `{"$hline":true,"x":1}`, `{"$blob":{}}`, `{"$blob":{"sha256":"` + strings.Repeat("Z", 64) + `"}}`,
		`{"$blob":{"sha256":"` + strings.Repeat("a", 64) + `","other":1}}`, `{"$float":"1"}`, `{"$float":1}`, `{"$bytes":"aGk="}`, `{"$bytes":"?"}`,
	} {
		v, err := ParseJSON([]byte(text))
		if err != nil || v.Kind() != Object || v.String() != text {
			t.Errorf("%s became %s (%v)", text, v, err)
		}
	}
}

func TestManyMembers(t *testing.T) {
	var fields []string
	for i := range 100 {
		fields = append(fields, `"k`+strconv.Itoa(i%60)+`":`+strconv.Itoa(i))
	}
	v, err := ParseJSON([]byte("{" + strings.Join(fields, ",") + "}"))
	if err != nil || len(v.Fields()) != 60 {
		t.Fatalf("%d members, %v", len(v.Fields()), err)
	}
	for i, f := range v.Fields() {
		want := int64(i)
		if i < 40 {
			want += 60
		}
		if f.Name != "k"+strconv.Itoa(i) || f.Value.Int() != want {
			t.Errorf("member %d is %s: %s", i, f.Name, f.Value)
		}
	}
}

// The standard library agrees on what is JSON and what it means, and every
// form of a value reads back.
func FuzzParseJSON(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5,null]}`, `{"$blob":1}`, `"\ud800\u0041\ud83d\ude00\/"`, `{"a":1,"a":2}`, `-0`, `1e5`, `[true,false]`,
		"\"\xff\"", `{"$float":"NaN"}`, `123456789012345678901234567890`, ` [ ] `, `{"$bytes":"/w=="}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := ParseJSON(data)
		if valid := json.Valid(data); err != nil {
			var syntax *JSONError
			errors.As(err, &syntax)
			if valid && !strings.Contains(syntax.Message, "too large") && !strings.Contains(syntax.Message, "deeper") {
				t.Fatalf("%q is JSON: %v", data, err)
			}
			if syntax.Offset < 0 || syntax.Offset > int64(len(data)) {
				t.Fatalf("offset %d", syntax.Offset)
			}
			return
		} else if !valid {
			t.Fatalf("%q is not JSON", data)
		}
		if !bytes.Contains(data, []byte("$")) {
			var theirs any
			dec := json.NewDecoder(bytes.NewReader(data))
			dec.UseNumber()
			if err := dec.Decode(&theirs); err != nil {
				t.Fatal(err)
			}
			sameAs(t, v, theirs)
		}
		for _, text := range [][]byte{v.AppendJSON(nil), v.Canonical(), v.appendTo(nil, exactForm)} {
			again, err := ParseJSON(text)
			if err != nil || !json.Valid(text) {
				t.Fatalf("%s: %v", text, err)
			}
			if !bytes.Contains(data, []byte("$")) && !Equal(v, again) {
				t.Fatalf("%s is not %s", again, v)
			}
		}
		var exact Value
		if err := exact.UnmarshalJSON(v.appendTo(nil, exactForm)); err != nil || exact.Digest() != v.Digest() {
			t.Fatalf("%s lost something: %v", v, err)
		}
	})
}

func sameAs(t *testing.T, v Value, theirs any) {
	t.Helper()
	ok := false
	switch x := theirs.(type) {
	case nil:
		ok = v.IsNull()
	case bool:
		ok = v.Kind() == Bool && v.Bool() == x
	case string:
		ok = v.Kind() == String && v.Text() == x
	case json.Number:
		f, _ := x.Float64()
		ok = v.isNumber() && v.Float() == f
	case []any:
		if ok = v.Kind() == List && len(v.Items()) == len(x); ok {
			for i, item := range v.Items() {
				sameAs(t, item, x[i])
			}
		}
	case map[string]any:
		if ok = v.Kind() == Object && len(v.Fields()) == len(x); ok {
			for name, member := range x {
				ours, found := v.Get(name)
				if !found {
					t.Fatalf("no member %q", name)
				}
				sameAs(t, ours, member)
			}
		}
	}
	if !ok {
		t.Fatalf("%s is not %v", v, theirs)
	}
}

func FuzzCanonical(f *testing.F) {
	f.Add("a", "\U0001f600", "\ufb33", 1.5)
	f.Fuzz(func(t *testing.T, a, b, c string, n float64) {
		fields := []Field{{a, OfFloat(n)}, {b, OfString(c)}, {c, Nil()}}
		if a == b || b == c || a == c || !utf8.ValidString(a) || !utf8.ValidString(b) || !utf8.ValidString(c) {
			return // members that are written alike have no order
		}
		one := OfObject(fields...).Canonical()
		slices.Reverse(fields)
		if two := OfObject(fields...).Canonical(); !bytes.Equal(one, two) {
			t.Fatalf("%s and %s", one, two)
		}
	})
}

var benchTable = func() Value {
	var rows []Value
	for i := range 1000 {
		rows = append(rows, OfList(OfInt(int64(i)), OfFloat(float64(i)/7), OfString("a name with \"quotes\""), OfObject(Field{"x", OfInt(1)}, Field{"y", Nil()})))
	}
	return OfList(rows...)
}()

func BenchmarkParseJSON(b *testing.B) {
	text := benchTable.AppendJSON(nil)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseJSON(text); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendJSON(b *testing.B) {
	var text []byte
	for b.Loop() {
		text = benchTable.AppendJSON(text[:0])
	}
	b.SetBytes(int64(len(text)))
}

func BenchmarkDigest(b *testing.B) {
	for b.Loop() {
		benchTable.Digest()
	}
	b.SetBytes(int64(len(benchTable.AppendJSON(nil))))
}
