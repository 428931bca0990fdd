package rust

import (
	"fmt"
	"strings"

	"wb/compile"
	"wb/compile/abi"
	"wb/compile/cbackend"
	"wb/internal/diag"
	"wb/internal/value"
)

// glueRuntime converts between data as package abi lays them out and the
// author's types: two traits, over the type in memory.
const glueRuntime = `
mod wb {
    #[repr(transparent)]
    #[derive(Clone, Copy)]
    pub struct Text(*const u8);
    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct List<W: Copy> { ptr: *const W, len: u32 }
    #[repr(transparent)]
    #[derive(Clone, Copy)]
    pub struct Opt<W: Copy>(*const W);
    #[repr(C)]
    #[derive(Clone, Copy)]
    pub union OkErr<A: Copy, B: Copy> { pub ok: A, pub err: B }
    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct Res<A: Copy, B: Copy> { pub is_err: bool, pub u: OkErr<A, B> }

    pub trait In<W>: Sized { unsafe fn get(w: W) -> Self; }
    pub trait Out<W>: Sized { fn put(self) -> W; }

    macro_rules! same { ($($t:ty),*) => { $(
        impl In<$t> for $t { unsafe fn get(w: $t) -> $t { w } }
        impl Out<$t> for $t { fn put(self) -> $t { self } }
    )* } }
    same!(bool, i32, u32, i64, u64, f32, f64);
    macro_rules! wider { ($($w:ty => $($t:ty),*;)*) => { $( $(
        impl In<$w> for $t { unsafe fn get(w: $w) -> $t { w as $t } }
        impl Out<$w> for $t { fn put(self) -> $w {
            assert!(self as $w as $t == self, concat!("the result does not fit ", stringify!($w)));
            self as $w
        } }
    )* )* } }
    wider!(i32 => i64, isize; u32 => u64, i64, usize; f32 => f64;);

    fn keep<T>(v: Vec<T>) -> *const T {
        let p = v.as_ptr();
        ::std::mem::forget(v);
        p
    }
    impl In<Text> for String {
        unsafe fn get(w: Text) -> String {
            let mut n = 0;
            while *w.0.add(n) != 0 { n += 1; }
            String::from_utf8_lossy(::std::slice::from_raw_parts(w.0, n)).into_owned()
        }
    }
    impl<'a> Out<Text> for &'a str {
        fn put(self) -> Text {
            let mut bytes = self.as_bytes().to_vec();
            assert!(!bytes.contains(&0), "the returned text contains a NUL byte, which ends a text here");
            bytes.push(0);
            Text(keep(bytes))
        }
    }
    impl Out<Text> for String { fn put(self) -> Text { self.as_str().put() } }
    impl In<Text> for Option<String> {
        unsafe fn get(w: Text) -> Self { if w.0.is_null() { None } else { Some(String::get(w)) } }
    }
    impl<T: Out<Text>> Out<Text> for Option<T> {
        fn put(self) -> Text { match self { Some(v) => v.put(), None => Text(::std::ptr::null()) } }
    }
    impl<W: Copy, T: In<W>> In<List<W>> for Vec<T> {
        unsafe fn get(w: List<W>) -> Vec<T> { (0..w.len as usize).map(|i| T::get(*w.ptr.add(i))).collect() }
    }
    impl<W: Copy, T: Out<W>> Out<List<W>> for Vec<T> {
        fn put(self) -> List<W> {
            let mut list: Vec<W> = self.into_iter().map(|v| v.put()).collect();
            list.reserve(1); // an empty list still points somewhere: null would be none
            let len = list.len() as u32;
            List { ptr: keep(list), len: len }
        }
    }
    impl<W: Copy, T: In<W>> In<List<W>> for Option<Vec<T>> {
        unsafe fn get(w: List<W>) -> Self { if w.ptr.is_null() { None } else { Some(Vec::get(w)) } }
    }
    impl<W: Copy, T: Out<W>> Out<List<W>> for Option<Vec<T>> {
        fn put(self) -> List<W> { match self { Some(v) => v.put(), None => List { ptr: ::std::ptr::null(), len: 0 } } }
    }
    impl<W: Copy, T: In<W>> In<Opt<W>> for Option<T> {
        unsafe fn get(w: Opt<W>) -> Self { if w.0.is_null() { None } else { Some(T::get(*w.0)) } }
    }
    impl<W: Copy, T: Out<W>> Out<Opt<W>> for Option<T> {
        fn put(self) -> Opt<W> { match self { Some(v) => Opt(keep(vec![v.put()])), None => Opt(::std::ptr::null()) } }
    }
    impl<A: Copy, B: Copy, T: Out<A>, E: ::std::fmt::Display> Out<Res<A, B>> for Result<T, E> where String: Out<B> {
        fn put(self) -> Res<A, B> {
            match self {
                Ok(v) => Res { is_err: false, u: OkErr { ok: v.put() } },
                Err(e) => Res { is_err: true, u: OkErr { err: e.to_string().put() } },
            }
        }
    }
    impl Out<Opt<bool>> for () { fn put(self) -> Opt<bool> { Opt(::std::ptr::null()) } }
    impl Out<()> for () { fn put(self) {} }
    macro_rules! tuples { ($($name:ident $($w:ident $t:ident $i:tt),*;)*) => { $(
        #[repr(C)]
        #[derive(Clone, Copy)]
        pub struct $name<$($w: Copy),*>($(pub $w),*);
        impl<$($w: Copy, $t: In<$w>),*> In<$name<$($w),*>> for ($($t,)*) {
            unsafe fn get(w: $name<$($w),*>) -> Self { ($($t::get(w.$i),)*) }
        }
        impl<$($w: Copy, $t: Out<$w>),*> Out<$name<$($w),*>> for ($($t,)*) {
            fn put(self) -> $name<$($w),*> { $name($(self.$i.put()),*) }
        }
    )* } }
    tuples!(Tuple1 A TA 0; Tuple2 A TA 0, B TB 1; Tuple3 A TA 0, B TB 1, C TC 2; Tuple4 A TA 0, B TB 1, C TC 2, D TD 3;
        Tuple5 A TA 0, B TB 1, C TC 2, D TD 3, E TE 4; Tuple6 A TA 0, B TB 1, C TC 2, D TD 3, E TE 4, F TF 5;);
}

#[no_mangle]
pub extern "C" fn wb_alloc(n: u32) -> *mut u64 {
    let mut room = vec![0u64; n as usize / 8 + 1];
    let p = room.as_mut_ptr();
    ::std::mem::forget(room);
    p
}
`

// glue writes the code that calls a function as a signature says.
type glue struct {
	src     *compile.Source
	sig     *value.Sig
	f       function
	records strings.Builder // structs in memory and how the author's map to them
	known   map[string]string
	err     error
}

// makeGlue writes the glue for f. Its wb_call leaves result<R, string> when the
// function can fail but its signature does not say so.
func makeGlue(src *compile.Source, sig *value.Sig, f function) (string, error) {
	g := &glue{src: src, sig: sig, f: f, known: make(map[string]string)}
	if err := f.Check(src, sig, "a Result", prototype(f.Name, sig)); err != nil {
		return "", err
	}
	whole := f.Called(sig)
	var args, body strings.Builder
	call := make([]string, len(f.Params))
	for i, p := range whole.Params {
		fmt.Fprintf(&args, " p%d: %s,", i, g.wire(p.Type, f.Params[i].Type))
		typ, pass, more := owned(f.Params[i].Type, fmt.Sprintf("a%d", i))
		fmt.Fprintf(&body, "    let mut a%d: %s = wb::In::get(args.p%d);\n    let _ = &mut a%d;\n%s", i, typ, i, i, more)
		call[i] = pass
	}
	result := "()"
	returned := f.Result
	if f.Fails {
		if inner, ok := arguments(returned); ok && len(inner) > 0 {
			returned = inner[0]
		}
	}
	switch {
	case len(whole.Results) == 1 && whole.Results[0].Name == "" && f.Fails:
		inner := whole.Results[0].Type.Args
		result = "wb::Res<" + g.wire(inner[0], returned) + ", wb::Text>"
	case len(whole.Results) == 1 && whole.Results[0].Name == "":
		result = g.wire(whole.Results[0].Type, returned)
	case len(whole.Results) > 0:
		result = g.wire(value.Type{Kind: value.TypeRecord, Fields: whole.Results}, returned)
	}
	if g.err != nil {
		return "", g.err
	}
	return glueRuntime + g.records.String() + fmt.Sprintf(`
#[repr(C)]
pub struct WbArgs {%s }
type WbReturned = %s;

#[no_mangle]
pub unsafe extern "C" fn wb_call(args: *const WbArgs, result: *mut WbReturned) {
    let args = &*args;
    let _ = args;
%s    ::std::ptr::write(result, wb::Out::put(%s(%s)));
}
`, args.String(), result, body.String(), f.Name, strings.Join(call, ", ")), nil
}

// owned is the type that an argument is made as, how it is passed, and what
// must be made of it before: functions may take references.
func owned(typ, name string) (made, pass, more string) {
	inner, byRef := strings.CutPrefix(typ, "&")
	if !byRef {
		if typ == "Option<&str>" {
			return "Option<String>", name + ".as_ref().map(|s| s.as_str())", ""
		}
		if typ == "Vec<&str>" {
			return "Vec<String>", name + ".iter().map(|s| s.as_str()).collect()", ""
		}
		return typ, name, ""
	}
	inner = strings.TrimSpace(inner)
	pass = "&" + name
	if strings.HasPrefix(inner, "'") { // a lifetime
		_, inner, _ = strings.Cut(inner, " ")
	}
	if rest, ok := strings.CutPrefix(inner, "mut "); ok {
		inner, pass = strings.TrimSpace(rest), "&mut "+name
	}
	switch {
	case inner == "str":
		return "String", pass, ""
	case inner == "[&str]":
		return "Vec<String>", "&" + name + "s", fmt.Sprintf("    let %ss: Vec<&str> = %s.iter().map(|s| s.as_str()).collect();\n", name, name)
	case strings.HasPrefix(inner, "["):
		element, _, _ := owned(strings.TrimSuffix(strings.TrimPrefix(inner, "["), "]"), name)
		return "Vec<" + element + ">", pass, ""
	}
	return inner, pass, ""
}

// arguments are the type arguments of a type such as Vec<T>.
func arguments(typ string) ([]string, bool) {
	open := strings.IndexByte(typ, '<')
	if open < 0 || !strings.HasSuffix(typ, ">") {
		return nil, false
	}
	return splitCommas(typ[open+1 : len(typ)-1]), true
}

// element is the author's type inside of a list or option.
func element(typ string) string {
	typ = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(typ, "&"), "mut "))
	if strings.HasPrefix(typ, "[") {
		return strings.TrimSuffix(strings.TrimPrefix(typ, "["), "]")
	}
	if inner, ok := arguments(typ); ok && len(inner) > 0 {
		return inner[0]
	}
	return ""
}

// wire is the type that lies in memory as package abi has it; typ is what the
// author wrote there, whose structs get their conversions.
func (g *glue) wire(t value.Type, typ string) string {
	if s, ok := cbackend.Scalars[t.Kind]; ok {
		return s
	}
	switch t.Kind {
	case value.TypeList:
		return "wb::List<" + g.wire(t.Args[0], element(typ)) + ">"
	case value.TypeOption:
		inner := g.wire(t.Args[0], element(typ))
		if k := t.Args[0].Kind; k == value.TypeString || k == value.TypeList {
			return inner
		}
		return "wb::Opt<" + inner + ">"
	case value.TypeResult:
		return "wb::Res<" + g.wire(t.Args[0], "") + ", " + g.wire(t.Args[1], "") + ">"
	case value.TypeTuple:
		return g.tuple(t.Args, typ)
	case value.TypeRecord:
		if strings.HasPrefix(typ, "(") {
			return g.tuple(abi.Types(t.Fields), typ)
		}
		return g.record(t, strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(typ, "&"), "mut ")))
	}
	return "wb::Text"
}

func (g *glue) tuple(types []value.Type, typ string) string {
	parts := splitCommas(strings.TrimSuffix(strings.TrimPrefix(typ, "("), ")"))
	if len(parts) != len(types) || len(types) > 6 {
		g.fail("%s is not a tuple of %d", typ, len(types))
		return "()"
	}
	wires := make([]string, len(types))
	for i, t := range types {
		wires[i] = g.wire(t, parts[i])
	}
	return fmt.Sprintf("wb::Tuple%d<%s>", len(types), strings.Join(wires, ", "))
}

// record defines the struct in memory for one of the author's.
func (g *glue) record(t value.Type, typ string) string {
	key := typ + " " + t.String()
	if name := g.known[key]; name != "" {
		return name
	}
	if typ == "" || strings.ContainsAny(typ, "<[(") {
		g.fail("a record needs a struct, not %q", typ)
		return "()"
	}
	name := fmt.Sprintf("WbRecord%d", len(g.known))
	g.known[key] = name
	var fields, in, out []string
	declared := structFields(g.src.Body, typ)
	for _, f := range t.Fields {
		id := identifier(f.Name)
		fields = append(fields, id+": "+g.wire(f.Type, declared[id]))
		in = append(in, id+": wb::In::get(w."+id+")")
		out = append(out, id+": wb::Out::put(self."+id+")")
	}
	fmt.Fprintf(&g.records, `
#[repr(C)]
#[derive(Clone, Copy)]
pub struct %[1]s { %[3]s }
impl wb::In<%[1]s> for %[2]s {
    unsafe fn get(w: %[1]s) -> Self { let _ = w; %[2]s { %[4]s } }
}
impl wb::Out<%[1]s> for %[2]s {
    fn put(self) -> %[1]s { %[1]s { %[5]s } }
}
`, name, typ, strings.Join(fields, ", "), strings.Join(in, ", "), strings.Join(out, ", "))
	return name
}

// structFields are the fields of a struct in the block, by name.
func structFields(body, name string) map[string]string {
	fields := make(map[string]string)
	_, after, ok := strings.Cut(body, "struct "+name+" {")
	if !ok {
		return fields
	}
	inside, _ := brackets("{"+after, 0)
	for _, f := range splitCommas(inside) {
		if id, typ, ok := strings.Cut(f, ":"); ok {
			words := strings.Fields(id)
			fields[words[len(words)-1]] = strings.TrimSpace(typ)
		}
	}
	return fields
}

func (g *glue) fail(format string, args ...any) {
	if g.err == nil {
		g.err = g.mismatch(format, args...)
	}
}

// mismatch is an error at the author's function that shows what would fit.
func (g *glue) mismatch(format string, args ...any) error {
	return diag.Errorf(g.src.At(g.f.Line, g.f.Col), format, args...).WithHint("write it as: " + prototype(g.f.Name, g.sig))
}

// prototype is the function as the signature wants it in Rust.
func prototype(name string, sig *value.Sig) string {
	var params []string
	for _, p := range sig.Params {
		params = append(params, identifier(p.Name)+": "+author(p.Type, true))
	}
	text := "fn " + name + "(" + strings.Join(params, ", ") + ")"
	switch {
	case len(sig.Results) == 1 && sig.Results[0].Name == "":
		text += " -> " + author(sig.Results[0].Type, false)
	case len(sig.Results) > 0:
		var parts []string
		for _, r := range sig.Results {
			parts = append(parts, author(r.Type, false))
		}
		text += " -> (" + strings.Join(parts, ", ") + ")"
	}
	return text
}

// author is the Rust type an author would write; borrowed for parameters.
func author(t value.Type, borrowed bool) string {
	if s, ok := cbackend.Scalars[t.Kind]; ok {
		return s
	}
	switch t.Kind {
	case value.TypeList:
		if borrowed {
			return "&[" + author(t.Args[0], false) + "]"
		}
		return "Vec<" + author(t.Args[0], false) + ">"
	case value.TypeOption:
		return "Option<" + author(t.Args[0], false) + ">"
	case value.TypeResult:
		return "Result<" + author(t.Args[0], false) + ", String>"
	case value.TypeTuple:
		var parts []string
		for _, a := range t.Args {
			parts = append(parts, author(a, false))
		}
		return "(" + strings.Join(parts, ", ") + ")"
	case value.TypeRecord:
		return "YourStruct"
	}
	if borrowed {
		return "&str"
	}
	return "String"
}

// inferType is the type in a signature that a Rust type stands for.
func inferType(typ string) (value.Type, bool) {
	typ = strings.TrimSpace(typ)
	if t, ok := cbackend.InferScalar(typ); ok {
		return t, true
	}
	if typ == "&str" || typ == "String" || typ == "&String" {
		return value.Type{Kind: value.TypeString}, true
	}
	kind := value.TypeList
	switch {
	case strings.HasPrefix(typ, "Option<"):
		kind = value.TypeOption
	case strings.HasPrefix(typ, "("):
		t := value.Type{Kind: value.TypeTuple}
		for _, part := range splitCommas(strings.TrimSuffix(typ[1:], ")")) {
			inner, ok := inferType(part)
			if !ok {
				return t, false
			}
			t.Args = append(t.Args, inner)
		}
		return t, len(t.Args) > 0
	case !strings.HasPrefix(typ, "Vec<") && !strings.HasPrefix(typ, "&[") && !strings.HasPrefix(typ, "&Vec<"):
		return value.Type{}, false
	}
	inner, ok := inferType(element(typ))
	return value.Type{Kind: kind, Args: []value.Type{inner}}, ok
}

// signature reads a signature off a declaration, for components without :sig:.
func signature(src *compile.Source, f function) (*value.Sig, error) {
	result := f.Result
	if inner, _ := arguments(result); f.Fails && len(inner) > 0 {
		result = inner[0]
	}
	if result == "()" {
		result = ""
	}
	return f.Signature(src, result, inferType)
}
