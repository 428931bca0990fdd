package clang

import (
	"fmt"
	"strings"

	"wb/compile"
	"wb/internal/diag"
)

// flags are :flags and :libs, told apart by who understands them.
type flags struct {
	compile []string // for the compiler driver
	link    []string // for wasm-ld
	sources []string // further C files, from :dir
	ignored []string // meant for native machines
}

// refusedFlags would make the compiler do something else than give an object.
var refusedFlags = map[string]string{
	"-c": "the block is compiled and run", "-S": "the block is compiled and run", "-E": "the block is compiled and run",
	"-M": "the block is compiled and run", "-MM": "the block is compiled and run", "-###": "the block is compiled and run",
	"-fsyntax-only": "the block is compiled and run", "-emit-llvm": "the block is compiled and run",
	"-o": "the program has no file", "-target": "the target is wasm32-wasip1", "-x": "the block's language decides",
	"-shared": "there are no shared libraries in the sandbox", "-isysroot": "the C library is fixed", "-cc1": "flags are those of the clang driver",
	"-B": "the toolchain is fixed", "-resource-dir": "the toolchain is fixed", "-Xclang": "flags are those of the clang driver", "-mllvm": "flags are those of the clang driver",
}

// nativeFlags choose a native machine or what only that has; people copy them
// from makefiles.
var nativeFlags = []string{"-march=", "-mtune=", "-mcpu=", "-m64", "-m32", "-msse", "-mavx", "-mfpu=", "-pthread", "-fPIC", "-fpic", "-fPIE", "-pie", "-no-pie", "-rdynamic", "-static", "-pipe", "-s", "-fopenmp"}

// takesValue are flags whose value may be the next word.
var takesValue = map[string]bool{"-I": true, "-D": true, "-U": true, "-include": true, "-isystem": true, "-iquote": true, "-idirafter": true, "-imacros": true, "-L": true, "-l": true}

// readFlags sorts the words of :flags and :libs.
func readFlags(src *compile.Source) (*flags, error) {
	f := &flags{}
	words := append(wordsArg(src, "flags"), wordsArg(src, "libs")...)
	for i := 0; i < len(words); i++ {
		word := words[i]
		name, _, _ := strings.Cut(word, "=")
		if why, refused := refusedFlags[name]; refused || strings.HasPrefix(word, "--target") || strings.HasPrefix(word, "@") {
			if why == "" {
				why = "the toolchain is fixed"
			}
			return nil, diag.Errorf(src.At(1, 1), "flag %s is not supported: %s", word, why)
		}
		var value []string
		if takesValue[word] {
			if i+1 == len(words) {
				return nil, diag.Errorf(src.At(1, 1), "flag %s needs a value", word)
			}
			i++
			value = words[i : i+1]
		}
		switch {
		case word == "-fexceptions" || word == "-fcxx-exceptions": // C++ has them anyway
		case isNative(word):
			f.ignored = append(f.ignored, word)
		case strings.HasPrefix(word, "-l"), strings.HasPrefix(word, "-L"):
			f.link = append(append(f.link, word), value...)
		case strings.HasPrefix(word, "-Wl,"):
			f.link = append(f.link, strings.Split(word[len("-Wl,"):], ",")...)
		case strings.HasPrefix(word, "-"):
			f.compile = append(append(f.compile, word), value...)
		case src.Files[word] != nil:
			f.sources = append(f.sources, word)
		default:
			return nil, diag.Errorf(src.At(1, 1), "%s is not a flag and not a file in :dir", word)
		}
	}
	return f, nil
}

func isNative(word string) bool {
	for _, native := range nativeFlags {
		if word == native || strings.HasSuffix(native, "=") && strings.HasPrefix(word, native) ||
			(native == "-msse" || native == "-mavx") && strings.HasPrefix(word, native) {
			return true
		}
	}
	return false
}

// wordsArg reads a header argument that is a list or shell words.
func wordsArg(src *compile.Source, name string) []string {
	var words []string
	for _, arg := range src.Args[name] {
		items, isList := compile.List(arg)
		if !isList {
			items = compile.Words(items[0])
		}
		words = append(words, items...)
	}
	return words
}

// warnings tells about flags that had no effect.
func (f *flags) warnings(src *compile.Source) []diag.Finding {
	if len(f.ignored) == 0 {
		return nil
	}
	return []diag.Finding{{Pos: src.At(1, 1), Severity: diag.Warning,
		Message: fmt.Sprintf("ignored, since programs run as wasm: %s", strings.Join(f.ignored, " "))}}
}
