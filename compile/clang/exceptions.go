package clang

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"wb/compile/toolchain"
	"wb/internal/lazyregexp"
	"wb/internal/sha"
	"wb/sandbox/fuel"
)

// Exceptions and longjmp without those of WebAssembly, which the engine
// miscompiles. The compiler lowers a call with a landing pad to a call of
// invoke_TYPES(function, arguments…), which looks afterwards whether something was
// thrown; throwing sets a flag, and [fuel.Unwind] lets functions return while it
// is set. The runtime below ./runtime does the rest of what a C++ runtime does.
//
// A program that catches nothing needs no landing pads: throwing ends it at once.
// It stays as small and fast as one without exceptions.

//go:embed runtime
var runtimeFiles embed.FS

// unwindingVersion changes when the code here makes other programs of the same
// source.
const unwindingVersion = "exceptions 1"

// unwindingDigest identifies that and the runtime.
var unwindingDigest = sync.OnceValue(func() string {
	files := map[string][]byte{}
	if err := toolchain.AddFS(files, runtimeFiles); err != nil {
		return unwindingVersion // embedded files can be read
	}
	sum := sha256.Sum256([]byte(unwindingVersion + guardHead + toolchain.HashFiles(files)))
	return hex.EncodeToString(sum[:8])
})

// leaving says how the functions of a program may be left but by returning.
type leaving struct {
	throws  bool // by throw, since it is C++
	catches bool // and some have handlers
	jumps   bool // by longjmp
}

// The words that make handlers necessary, in the program or in a header it uses
// (coroutines, promises and stream buffers have some), and what else a program
// needs.
var (
	catchWords = lazyregexp.New(`\b(catch|co_await|co_yield|co_return|promise|packaged_task|async|streambuf|filebuf)\b`)
	jumpWords  = lazyregexp.New(`\b(setjmp|longjmp)\b`)
	iosWords   = lazyregexp.New(`\b(exceptions|failure|system_error|filesystem)\b`)
)

// leavingOf reads the texts of a program for how its functions may be left.
func leavingOf(lang language, files map[string][]byte) leaving {
	cpp := lang.ext == langCPP.ext
	return leaving{throws: cpp, catches: cpp && anyHas(files, catchWords), jumps: anyHas(files, jumpWords)}
}

// anyHas reports whether one of the files has one of the words.
func anyHas(files map[string][]byte, words *lazyregexp.Regexp) bool {
	for _, text := range files {
		if words.Match(text) {
			return true
		}
	}
	return false
}

// compileFlags choose the lowering.
func (l leaving) compileFlags() (flags []string) {
	switch {
	case l.catches:
		flags = []string{"-fexceptions", "-fcxx-exceptions", "-mllvm", "-enable-emscripten-cxx-exceptions"}
	case l.throws:
		flags = []string{"-Xclang", "-fcxx-exceptions"}
	}
	if l.jumps {
		flags = append(flags, "-mllvm", "-enable-emscripten-sjlj", "-D__wasm_exception_handling__")
	}
	return flags
}

// linkUnwinding links objects with the runtime they need and makes the checks
// where something catches.
func (c *Compiler) linkUnwinding(ctx context.Context, t *tool, lang language, l leaving, files map[string][]byte, objects [][]byte, p program) (outcome, error) {
	if !l.throws && !l.jumps {
		return c.link(ctx, t, lang, objects, p)
	}
	guards, matches := loweredCalls(objects)
	glue, err := c.support(ctx, t, langC, "glue.c", guardText(guards, matches))
	if err != nil {
		return outcome{}, err
	}
	objects = append(slices.Clip(objects), glue)
	for _, name := range runtimeOf(l, files) {
		text, err := runtimeFiles.ReadFile("runtime/" + name)
		if err != nil {
			return outcome{}, fmt.Errorf("compiler: %w", err)
		}
		lang, _ := languageOf(name)
		object, err := c.support(ctx, t, lang, name, string(text))
		if err != nil {
			return outcome{}, err
		}
		objects = append(objects, object)
	}
	if p.lines = l.throws && anyHas(files, throwWord); p.lines {
		p.exports = append(slices.Clip(p.exports), throwLine, throwBegin)
	}
	if len(guards) == 0 && !p.lines {
		return c.link(ctx, t, lang, objects, p)
	}
	p.exports = slices.Concat(p.exports, guards, []string{unwindFlag, unwindThrow})
	o, err := c.link(ctx, t, lang, objects, p)
	if err != nil || o.exit != 0 {
		return o, err
	}
	unwinding := fuel.Unwinding{Flag: unwindFlag, Throw: unwindThrow, Guards: guards}
	if p.lines {
		unwinding.Place, unwinding.Begin, unwinding.At = throwLine, throwBegin, throwLines(o.output)
	}
	if o.output, err = fuel.Unwind(o.output, unwinding); err != nil {
		return outcome{}, fmt.Errorf("compiler: %w", err)
	}
	return o, nil
}

// runtimeOf are the files of the runtime that a program is linked with.
func runtimeOf(l leaving, files map[string][]byte) []string {
	names := []string{"state.c"}
	if l.throws {
		names = append(names, "exceptions.cpp", "throwers.cpp")
	}
	if l.throws && anyHas(files, iosWords) {
		names = append(names, "throwios.cpp")
	}
	if l.jumps {
		names = append(names, "setjmp.c")
	}
	return names
}

// What the generated code and [fuel.Unwind] know each other by.
const (
	unwindFlag  = "__wb_unwinding"
	unwindThrow = "wb_throw"
	throwLine   = "__wb_line"
	throwBegin  = "__cxa_allocate_exception"
)

// lowered finds in an object the functions the compiler expects to be there, by
// their imports: the module's name env, theirs with its length, and a 0 for a
// function.
var lowered = regexp.MustCompile(`(?s)\x03env.(invoke_[vijfdV]+|__cxa_find_matching_catch_[0-9]+)\x00`)

// loweredCalls are the guards and the landing pads that objects ask for.
func loweredCalls(objects [][]byte) (guards, matches []string) {
	found := map[string]bool{}
	for _, object := range objects {
		for _, m := range lowered.FindAllSubmatch(object, -1) {
			found[string(m[1])] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if strings.HasPrefix(name, "invoke_") {
			guards = append(guards, name)
		} else {
			matches = append(matches, name)
		}
	}
	return guards, matches
}

// guardHead begins the generated C: the flag, which is a global of the module, and
// how guards use it.
const guardHead = `typedef int V __attribute__((vector_size(16)));
__asm__(".globaltype __wb_unwinding, i32\n .globl __wb_unwinding\n__wb_unwinding:\n"
  ".globaltype __wb_line, i32\n .globl __wb_line\n__wb_line:\n .globaltype __stack_pointer, i32\n");
int wb_guards;
void setThrew(int, int);
void *wb_match(int, void **);
int wb_line(void) {
  int line;
  __asm__ volatile("global.get __wb_line\n local.set %0\n i32.const 0\n global.set __wb_line" : "=r"(line));
  return line;
}
void wb_throw(void) { __asm__ volatile("i32.const 1\n global.set __wb_unwinding"); }
static inline int begin(void) {
  int sp;
  __asm__ volatile("global.get __stack_pointer\n local.set %0" : "=r"(sp));
  wb_guards++;
  return sp;
}
static inline void end(int sp) {
  int thrown;
  __asm__ volatile("global.get __wb_unwinding\n local.set %0" : "=r"(thrown));
  wb_guards--;
  if (!thrown) return;
  __asm__ volatile("i32.const 0\n global.set __wb_unwinding" ::);
  __asm__ volatile("local.get %0\n global.set __stack_pointer" ::"r"(sp));
  setThrew(1, 0);
}
`

var cTypes = map[byte]string{'v': "void", 'i': "int", 'j': "long long", 'f': "float", 'd': "double", 'V': "V"}

// guardText is C for the functions that the compiler expects.
func guardText(guards, matches []string) string {
	var b strings.Builder
	b.WriteString(guardHead)
	for _, name := range guards {
		types := strings.TrimPrefix(name, "invoke_")
		result := cTypes[types[0]]
		var forms, params, args []string
		for i := 1; i < len(types); i++ {
			forms = append(forms, cTypes[types[i]])
			params = append(params, fmt.Sprintf(", %s a%d", cTypes[types[i]], i))
			args = append(args, fmt.Sprintf("a%d", i))
		}
		if forms == nil {
			forms = []string{"void"}
		}
		keep, give := result+" r = ", "return r; "
		if result == "void" {
			keep, give = "", ""
		}
		fmt.Fprintf(&b, "%s %s(%s (*f)(%s)%s) { int sp = begin(); %sf(%s); end(sp); %s}\n",
			result, name, result, strings.Join(forms, ", "), strings.Join(params, ""), keep, strings.Join(args, ", "), give)
	}
	for _, name := range matches {
		n := 0
		_, _ = fmt.Sscanf(name, "__cxa_find_matching_catch_%d", &n) // the pattern admits digits only
		var params, args []string
		for i := range max(0, n-2) {
			params, args = append(params, fmt.Sprintf("void *a%d", i)), append(args, fmt.Sprintf("a%d", i))
		}
		if params == nil {
			params, args = []string{"void"}, []string{"0"}
		}
		fmt.Fprintf(&b, "void *%s(%s) { void *t[] = {%s}; return wb_match(%d, t); }\n", name, strings.Join(params, ", "), strings.Join(args, ", "), max(0, n-2))
	}
	return b.String()
}

// support compiles a file of the runtime, once for this machine where there is
// a cache.
func (c *Compiler) support(ctx context.Context, t *tool, lang language, name, text string) ([]byte, error) {
	flags := []string{"-O2"}
	if name == "throwers.cpp" || name == "throwios.cpp" {
		flags = append(flags, leaving{throws: true}.compileFlags()...)
	}
	return c.kept(sha.Hex(fmt.Sprintf("support\n%s\n%s\n%q %q %q\n%s", version, t.digest, compileFlags, lang.compile, flags, text)), "cpp-runtime", func() ([]byte, error) {
		args := slices.Concat(compileFlags, lang.compile, flags, []string{"-o", workDir + "/out.o", workDir + "/" + name})
		o, err := c.run(ctx, t.within(toolLimits), map[string][]byte{name: []byte(text)}, "out.o", args...)
		if err == nil && o.exit != 0 {
			err = toolError(o.stderr)
		}
		if err != nil {
			return nil, fmt.Errorf("compiling the runtime of exceptions: %w", err)
		}
		return o.output, nil
	})
}
