package wat

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
)

// Functions are all host functions, by namespace. The linker, the prompt and the
// pages are made from this table.
var Functions = []*Function{
	{"sys.argc", "() -> (i32)", "how many arguments the program got", func(c *call, _ []arg) ([]any, error) { return of(int32(len(c.args))) }},
	{"sys.argv", "(n i32) -> (str, err)", "argument n, from 0; the macro (argv n $x) is shorter", func(c *call, a []arg) ([]any, error) {
		if n := a[0].int(); n >= 0 && int(n) < len(c.args) {
			return of(c.args[n])
		}
		return nil, failed(EBOUND, "there is no argument %d", a[0].int())
	}},
	{"sys.resv", "(value str) -> ()", "give a value as a result; several are printed in order", func(c *call, a []arg) ([]any, error) {
		c.results = append(c.results, a[0].text)
		return nil, nil
	}},
	{"sys.alloc", "(n i32) -> (i32)", "n bytes of memory", func(c *call, a []arg) ([]any, error) {
		at, err := c.alloc(a[0].word)
		return []any{int32(at)}, err
	}},
	{"kv.get", "(key str) -> (str, err)", "the value kept under a key; ENOENT", func(c *call, a []arg) ([]any, error) {
		if v, ok := c.host.State.Get(a[0].text); ok {
			return of(v)
		}
		return nil, failed(ENOENT, "no key %s", a[0].text)
	}},
	{"kv.set", "(key str, value str) -> (err)", "keep a value for later programs and runs of the session", func(c *call, a []arg) ([]any, error) {
		if err := c.host.State.Set(a[0].text, a[1].text); err != nil {
			return nil, failed(EBOUND, "%v", err)
		}
		return nil, nil
	}},
	{"kv.delete", "(key str) -> (err)", "forget a key", func(c *call, a []arg) ([]any, error) { c.host.State.Delete(a[0].text); return nil, nil }},
	{"kv.keys", "() -> (list, err)", "all keys, sorted", func(c *call, _ []arg) ([]any, error) { return of(c.host.State.Keys()) }},
	{"http.get", "(url str) -> (str, err)", "the body of a public page; EACCESS, EREMOTE", func(c *call, a []arg) ([]any, error) { return c.request("GET", a[0].text, "") }},
	{"http.post", "(url str, body str) -> (str, err)", "the answer to a body that is sent", func(c *call, a []arg) ([]any, error) { return c.request("POST", a[0].text, a[1].text) }},
	{"ai.assist", "(text str, instruction str, options str) -> (str, err)", "what a model makes of a text; options may be (i32.const 0)", func(c *call, a []arg) ([]any, error) { return c.assist(a[0].text, a[1].text) }},
	{"fs.read", "(path str) -> (str, err)", "a file of the working directory; ENOENT, EACCESS", func(c *call, a []arg) ([]any, error) {
		data, err := c.host.Files.Read(a[0].text)
		if err != nil {
			return nil, fileError(err)
		}
		c.taint("file:" + strings.ReplaceAll(a[0].text, " ", "_"))
		return of(string(data))
	}},
	{"fs.write", "(path str, text str) -> (err)", "write a file", func(c *call, a []arg) ([]any, error) {
		if err := c.host.Files.Write(a[0].text, []byte(a[1].text)); err != nil {
			return nil, fileError(err)
		}
		return nil, nil
	}},
	{"fs.list", "(dir str) -> (list, err)", "the names in a directory, sorted", func(c *call, a []arg) ([]any, error) {
		names, err := c.names(a[0].text)
		if err != nil {
			return nil, err
		}
		return of(names)
	}},
	{"fs.exists", "(path str) -> (i32)", "1 when there is such a file", func(c *call, a []arg) ([]any, error) {
		_, err := c.host.Files.Read(a[0].text)
		return of(truth(err == nil))
	}},
	{"str.len", "(s str) -> (i32)", "bytes", func(_ *call, a []arg) ([]any, error) { return of(int32(len(a[0].text))) }},
	{"str.eq", "(a str, b str) -> (i32)", "1 when they are the same", func(_ *call, a []arg) ([]any, error) { return of(truth(a[0].text == a[1].text)) }},
	{"str.concat", "(a str, b str) -> (str, err)", "a and then b", func(_ *call, a []arg) ([]any, error) { return of(a[0].text + a[1].text) }},
	{"str.slice", "(s str, from i32, to i32) -> (str, err)", "bytes from, up to but not including to; EBOUND", func(_ *call, a []arg) ([]any, error) {
		s, from, to := a[0].text, int(a[1].int()), int(a[2].int())
		if from < 0 || to < from || to > len(s) {
			return nil, failed(EBOUND, "%d to %d of %d bytes", from, to, len(s))
		}
		return of(s[from:to])
	}},
	{"str.find", "(s str, part str) -> (i32)", "where part begins, or -1", func(_ *call, a []arg) ([]any, error) { return of(int32(strings.Index(a[0].text, a[1].text))) }},
	{"str.replace", "(s str, old str, new str) -> (str, err)", "all of old replaced by new", func(_ *call, a []arg) ([]any, error) {
		if n := int64(len(a[0].text)) + int64(strings.Count(a[0].text, a[1].text))*int64(len(a[2].text)); n > maxValue {
			return nil, failed(ENOMEM, "the result would have %d bytes", n)
		}
		return of(strings.ReplaceAll(a[0].text, a[1].text, a[2].text))
	}},
	{"str.split", "(s str, separator str) -> (list, err)", "the parts between separators", func(_ *call, a []arg) ([]any, error) { return of(strings.Split(a[0].text, a[1].text)) }},
	{"str.join", "(parts list, separator str) -> (str, err)", "a list as one text", func(_ *call, a []arg) ([]any, error) {
		items, err := a[0].list()
		if err != nil {
			return nil, err
		}
		return of(strings.Join(items, a[1].text))
	}},
	{"str.upper", "(s str) -> (str, err)", "in upper case", func(_ *call, a []arg) ([]any, error) { return of(strings.ToUpper(a[0].text)) }},
	{"str.lower", "(s str) -> (str, err)", "in lower case", func(_ *call, a []arg) ([]any, error) { return of(strings.ToLower(a[0].text)) }},
	{"str.trim", "(s str) -> (str, err)", "without white space around it", func(_ *call, a []arg) ([]any, error) { return of(strings.TrimSpace(a[0].text)) }},
	{"str.from_int", "(n i32) -> (str, err)", "a number in digits", func(_ *call, a []arg) ([]any, error) { return of(strconv.Itoa(int(a[0].int()))) }},
	{"str.to_int", "(s str) -> (i32, err)", "a number from digits; EPARSE", func(_ *call, a []arg) ([]any, error) {
		n, err := strconv.ParseInt(strings.TrimSpace(a[0].text), 10, 32)
		if err != nil {
			return nil, failed(EPARSE, "%q is not a number", a[0].text)
		}
		return of(int32(n))
	}},
	{"str.from_f64", "(n f64) -> (str, err)", "a number in digits", func(_ *call, a []arg) ([]any, error) { return of(strconv.FormatFloat(a[0].float(), 'g', -1, 64)) }},
	{"str.to_f64", "(s str) -> (f64, err)", "a number from digits; EPARSE", func(_ *call, a []arg) ([]any, error) {
		n, err := strconv.ParseFloat(strings.TrimSpace(a[0].text), 64)
		if err != nil {
			return nil, failed(EPARSE, "%q is not a number", a[0].text)
		}
		return of(n)
	}},
	{"arr.new", "() -> (list, err)", "an empty list", func(*call, []arg) ([]any, error) { return of([]string{}) }},
	{"arr.len", "(items list) -> (i32)", "how many items", func(_ *call, a []arg) ([]any, error) {
		items, err := a[0].list()
		return []any{int32(len(items))}, err
	}},
	{"arr.get", "(items list, n i32) -> (str, err)", "item n, from 0; EBOUND", func(_ *call, a []arg) ([]any, error) {
		items, err := a[0].list()
		if n := int(a[1].int()); err == nil && (n < 0 || n >= len(items)) {
			err = failed(EBOUND, "item %d of %d", n, len(items))
		}
		if err != nil {
			return nil, err
		}
		return of(items[a[1].int()])
	}},
	{"arr.push", "(items list, item str) -> (list, err)", "a list with one more item", func(_ *call, a []arg) ([]any, error) {
		items, err := a[0].list()
		return []any{append(items, a[1].text)}, err
	}},
	{"arr.sort", "(items list) -> (list, err)", "the items in order", func(_ *call, a []arg) ([]any, error) {
		items, err := a[0].list()
		slices.Sort(items)
		return []any{items}, err
	}},
	{"json.get", "(json str, path str) -> (str, err)", "the text, or JSON, at a path such as users.0.name; ENOENT, EPARSE", jsonGet},
	{"json.keys", "(json str) -> (list, err)", "the names of an object, sorted, or the indices of a list", jsonKeys},
	{"json.quote", "(s str) -> (str, err)", "a text as a JSON string", func(_ *call, a []arg) ([]any, error) {
		text, err := json.Marshal(a[0].text)
		return []any{string(text)}, err
	}},
	{"json.from_list", "(items list) -> (str, err)", "a list as JSON", func(_ *call, a []arg) ([]any, error) {
		items, err := a[0].list()
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(append([]string{}, items...))
		return []any{string(text)}, err
	}},
	{"debug.log", "(message str) -> ()", "a line in the observation", func(c *call, a []arg) ([]any, error) { c.logged = append(c.logged, a[0].text); return nil, nil }},
	{"debug.int", "(n i32) -> ()", "a number in the observation", func(c *call, a []arg) ([]any, error) {
		c.logged = append(c.logged, strconv.Itoa(int(a[0].int())))
		return nil, nil
	}},
}

func of(v any) ([]any, error) { return []any{v}, nil }

func truth(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// fileError translates a file's error to a code.
func fileError(err error) error {
	code := EACCESS
	if strings.HasPrefix(err.Error(), "no such file") {
		code = ENOENT
	}
	return &codeError{code, err.Error()}
}

// at finds the value at a path of names and indices.
func at(text, path string) (any, error) {
	var v any
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.UseNumber()
	if err := decoder.Decode(&v); err != nil {
		return nil, failed(EPARSE, "no JSON: %v", err)
	}
	for _, name := range strings.FieldsFunc(path, func(c rune) bool { return c == '.' }) {
		switch node := v.(type) {
		case map[string]any:
			inner, ok := node[name]
			if !ok {
				return nil, failed(ENOENT, "there is no %s", name)
			}
			v = inner
		case []any:
			n, err := strconv.Atoi(name)
			if err != nil || n < 0 || n >= len(node) {
				return nil, failed(ENOENT, "there is no item %s of %d", name, len(node))
			}
			v = node[n]
		default:
			return nil, failed(ENOENT, "there is no %s in %v", name, node)
		}
	}
	return v, nil
}

func jsonGet(_ *call, a []arg) ([]any, error) {
	v, err := at(a[0].text, a[1].text)
	if err != nil {
		return nil, err
	}
	if s, ok := v.(string); ok {
		return of(s)
	}
	text, err := json.Marshal(v)
	return []any{string(text)}, err
}

func jsonKeys(_ *call, a []arg) ([]any, error) {
	v, err := at(a[0].text, "")
	if err != nil {
		return nil, err
	}
	keys := []string{}
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
	case []any:
		for i := range v {
			keys = append(keys, strconv.Itoa(i))
		}
	default:
		return nil, &codeError{EPARSE, errors.New("neither an object nor a list").Error()}
	}
	return of(keys)
}
