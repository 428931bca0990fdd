package upstream

import (
	"path"
	"regexp"
	"strings"
)

// ownHeaders are those of gnulib's headers that no C library has. The others
// only mend what old systems lack.
var ownHeaders = map[string]string{
	"se-context.in.h": "selinux/context.h", "se-label.in.h": "selinux/label.h", "se-selinux.in.h": "selinux/selinux.h",
	"unitypes.in.h": "unitypes.h", "uniwidth.in.h": "uniwidth.h", "unistr.in.h": "unistr.h",
	"error.in.h": "error.h", "stdckdint.in.h": "stdckdint.h",
}

var (
	nextHeader = regexp.MustCompile(`(?m)^#\s*@INCLUDE_NEXT@.*$`)
	mark       = regexp.MustCompile(`@(\w+)@`)
)

// headers makes ownHeaders from gnulib's templates, as its makefiles do.
func headers(files map[string][]byte) {
	for from, to := range privateHeaders {
		for _, dir := range []string{"lib/", "gl/lib/", "gnu/"} {
			if text := files[dir+from]; text != nil {
				files[dir+to] = hiddenWord.ReplaceAll([]byte(privateWords.Replace(string(text))), nil)
			}
		}
	}
	for name, text := range files {
		header, ok := ownHeaders[path.Base(name)]
		if !ok {
			continue
		}
		made := nextHeader.ReplaceAll(text, nil)
		made = mark.ReplaceAllFunc(made, func(found []byte) []byte {
			switch word := strings.Trim(string(found), "@"); {
			case word == "GUARD_PREFIX":
				return []byte("GL")
			case strings.HasPrefix(word, "HAVE_UNI"), strings.HasPrefix(word, "HAVE_ERROR"), strings.HasPrefix(word, "REPLACE_"), strings.HasPrefix(word, "PRAGMA_"):
				return nil
			case strings.HasPrefix(word, "HAVE_"), strings.HasPrefix(word, "GNULIB_"):
				return []byte("1")
			}
			return nil
		})
		files[path.Join(path.Dir(name), header)] = made
	}
}

// privateHeaders are those that gnulib takes from the GNU C library and renames
// words in.
var privateHeaders = map[string]string{
	"malloc/scratch_buffer.h": "malloc/scratch_buffer.gl.h", "malloc/dynarray.h": "malloc/dynarray.gl.h",
	"malloc/dynarray-skeleton.c": "malloc/dynarray-skeleton.gl.h",
}

var privateWords = strings.NewReplacer("__always_inline", "inline _GL_ATTRIBUTE_ALWAYS_INLINE", "__glibc_likely", "_GL_LIKELY",
	"__glibc_unlikely", "_GL_UNLIKELY", "<malloc/dynarray.h>", "<malloc/dynarray.gl.h>", "__attribute_maybe_unused__", "_GL_ATTRIBUTE_MAYBE_UNUSED",
	"__attribute_nonnull__", "_GL_ATTRIBUTE_NONNULL", "__attribute_warn_unused_result__", "_GL_ATTRIBUTE_NODISCARD")

var hiddenWord = regexp.MustCompile(`(?m)^.*libc_hidden_proto.*\n`)
