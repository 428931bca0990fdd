package hostile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"wb/sandbox/dock"
)

// Cases are all attempts, each under a name of its own.
func Cases() []Case {
	return slices.Concat(gateCases(), frameCases(), sizeCases(), jsonCases(), nameCases(), storeCases(), queryCases(), secretCases(),
		commandCases(), buildCases(), modelCases(), addressCases(), netCases(), serveCases(), packageCases())
}

// call makes a step of texts.
func call(operation string, args ...string) Step {
	s := Step{Operation: operation}
	for _, a := range args {
		s.Args = append(s.Args, Arg{Text: a})
	}
	return s
}

// attempt is a case of one call.
func attempt(name, want, operation string, args ...string) Case {
	return Case{Name: name, Step: call(operation, args...), Want: want}
}

// plain are arguments that mean no harm, for cases about something else.
func plain(op dock.Operation) []Arg {
	args := make([]Arg, len(op.Params))
	for i, p := range op.Params {
		switch {
		case p.JSON:
		case p.Name == "address":
			args[i].Text = "example.com:80"
		case p.Name == "url":
			args[i].Text = "http://example.com/"
		case op.Module == "vfs" && p.Name == "path":
			args[i].Text = "tmp:file"
		case p.Name == "name" && (op.Module == "commands" || op.Module == "exec" || op.Module == "process"):
			args[i].Text = "echo"
		case p.Name == "inputs":
			args[i].Text = "[]"
		default:
			args[i].Text = "a"
		}
	}
	return args
}

// gateCases ask for everything without a grant, with the grant of another
// capability, narrowed to something else, and after it was taken back.
func gateCases() []Case {
	var list []Case
	for _, op := range dock.Operations() {
		if op.Capability == "" {
			continue
		}
		others := slices.DeleteFunc(dock.Capabilities(), func(c string) bool { return c == op.Capability })
		step := Step{Operation: op.String(), Args: plain(op)}
		list = append(list,
			Case{Name: "nothing granted/" + op.String(), Step: step, Granted: []string{}, Want: dock.CodeDenied},
			Case{Name: "others granted/" + op.String(), Step: step, Granted: others, Want: dock.CodeDenied},
			Case{Name: "revoked/" + op.String(), Before: []Step{call("session.info")}, Step: step, Revoked: true, Want: dock.CodeDenied})
	}
	for _, granted := range []string{"*", "kv*", "k", "KV", "kv ", " kv", "kv\x00", "", ":", "kv:", "session", "all"} {
		list = append(list, Case{Name: fmt.Sprintf("a grant that is none/%q", granted), Step: call("kv.put", "a", "b"), Granted: []string{granted}, Want: dock.CodeDenied})
	}
	for _, name := range []string{"secrets.read", "secrets.get", "vars.set", "vars.put", "kv", "kv.", ".get", "kv.get ", "KV.get", "kv.GET", "kv.get\x00", "net.listen", "session.grant", "process.exec", "system.run", "host_kv", "../kv.get", "", strings.Repeat("k", 1000), "\xff\xfe", "kv.get;kv.put"} {
		list = append(list, Case{Name: fmt.Sprintf("no operation/%.30q", name), Step: call(name, "a"), Want: dock.CodeNotFound + "|" + dock.CodeInvalid})
	}
	return list
}

// frameCases are frames that no module would write.
func frameCases() []Case {
	u32 := func(numbers ...uint32) (b []byte) {
		for _, n := range numbers {
			b = binary.LittleEndian.AppendUint32(b, n)
		}
		return b
	}
	good := dock.AppendFrame(nil, "kv.get", []byte("a"))
	frames := map[string][]byte{
		"empty": {}, "one byte": {1}, "three bytes": {1, 0, 0}, "length alone": u32(6), "length beyond the end": append(u32(1000), "kv.get"...), "largest length": append(u32(0xffffffff), "kv.get"...),
		"no count": good[:10], "count beyond": append(append(u32(6), "kv.get"...), u32(17)...), "largest count": append(append(u32(6), "kv.get"...), u32(0xffffffff)...),
		"argument missing": good[:14], "argument cut": good[:len(good)-1], "argument of the largest length": append(append(u32(6), "kv.get"...), u32(1, 0xffffffff)...),
		"lengths that overflow together": append(append(u32(6), "kv.get"...), u32(2, 0x80000000, 0x80000000)...),
		"more after the end":             append(bytes.Clone(good), 0), "twice": append(bytes.Clone(good), good...), "no argument": append(append(u32(6), "kv.get"...), u32(0)...),
		"an argument too many": dock.AppendFrame(nil, "kv.get", []byte("a"), []byte("b")), "zeros": make([]byte, 64), "ones": bytes.Repeat([]byte{0xff}, 64),
	}
	var list []Case
	for name, frame := range frames {
		list = append(list, Case{Name: "frame/" + name, Step: Step{Frame: frame}, Want: dock.CodeInvalid + "|" + dock.CodeNotFound})
	}
	slices.SortFunc(list, func(a, b Case) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// sizeCases give every parameter one byte more than it may have.
func sizeCases() []Case {
	var list []Case
	for _, op := range dock.Operations() {
		for i, p := range op.Params {
			args := plain(op)
			most := p.Most
			if most == 0 {
				most = 4 << 10
			}
			args[i] = Arg{Text: "x", Times: most + 1}
			if p.JSON {
				args[i].Text = " "
			}
			list = append(list, Case{Name: "size/" + op.String() + "/" + p.Name, Step: Step{Operation: op.String(), Args: args}, Want: dock.CodeLimit})
		}
	}
	return list
}

// jsonCases give every JSON parameter what is not JSON, or not of its shape.
func jsonCases() []Case {
	bombs := map[string]Arg{
		"cut": {Text: `{"a":`}, "text": {Text: "a"}, "NUL": {Text: "\x00"}, "two": {Text: "{} {}"}, "comment": {Text: "{}//"}, "trailing comma": {Text: "[1,]"}, "NaN": {Text: "NaN"},
		"deep lists": {Text: "[", Times: 4000}, "deep objects": {Text: `{"a":`, Times: 800}, "not UTF-8": {Text: "\"\xff\xfe\""}, "wrong shape": {Text: `"text"`}, "number": {Text: "1e999999"},
	}
	var kinds []string
	for kind := range bombs {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	var list []Case
	for _, op := range dock.Operations() {
		for i, p := range op.Params {
			if !p.JSON {
				continue
			}
			for _, kind := range kinds {
				args := plain(op)
				args[i] = bombs[kind]
				list = append(list, Case{Name: "json/" + op.String() + "/" + p.Name + "/" + kind, Step: Step{Operation: op.String(), Args: args}, Want: dock.CodeInvalid})
			}
		}
	}
	return list
}
