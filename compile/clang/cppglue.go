package clang

import (
	"fmt"
	"strings"

	"wb/internal/value"
)

// idiomatic reports whether a C++ function takes or returns the standard
// library's types: one parameter for every input, and at least one list, text
// or option that is not a pointer.
func (c *caller) idiomatic() bool {
	if len(c.f.params) != len(c.sig.Params) {
		return false
	}
	standard := func(t value.Type, pointer bool) bool {
		return !pointer && (t.Kind == value.TypeList || t.Kind == value.TypeString || t.Kind == value.TypeOption)
	}
	for i, p := range c.sig.Params {
		if standard(p.Type, c.f.params[i].pointer) {
			return true
		}
	}
	t, some := c.returns()
	return some && standard(t, strings.HasSuffix(c.f.result, "*"))
}

// cppSupport converts between the data in memory and the standard library's
// types, by overloading: what the author's function wants decides.
const cppSupport = `
#include <optional>
#include <string>
#include <vector>
namespace wb {
template <class To, class From> struct convert { static To from(const From &v) { return v; } };
template <class From> struct convert<std::string, From> { static std::string from(const char *v) { return v; } };
template <class U, class From> struct convert<std::vector<U>, From> {
  static std::vector<U> from(const From &v) {
    std::vector<U> out;
    out.reserve(v.len);
    for (size_t i = 0; i < v.len; i++) out.push_back(convert<U, std::decay_t<decltype(v.ptr[i])>>::from(v.ptr[i]));
    return out;
  }
};
template <class U, class From> struct convert<std::optional<U>, From> {
  static std::optional<U> from(const From &v) {
    if (!v) return std::nullopt;
    if constexpr (std::is_same_v<From, const char *>) return convert<U, From>::from(v);
    else return convert<U, std::decay_t<decltype(*v)>>::from(*v);
  }
};
template <class L> struct list_arg {
  const L &v;
  template <class U> operator std::vector<U>() const { return convert<std::vector<U>, L>::from(v); }
};
template <class P> struct option_arg {
  P v;
  template <class U> operator std::optional<U>() const { return convert<std::optional<U>, P>::from(v); }
};
template <class T> T *room(size_t n) { return static_cast<T *>(malloc(n * sizeof(T) + 1)); }
template <class S, class V> void store(S &to, const V &v) { to = v; }
inline void store(const char *&to, const std::string &v) {
  char *text = room<char>(v.size() + 1);
  __builtin_memcpy(text, v.c_str(), v.size() + 1);
  to = text;
}
template <class S, class V> void store(S &to, const std::vector<V> &v);
template <class S, class V> void store(S *&to, const std::optional<V> &v) {
  to = nullptr;
  if (!v) return;
  if constexpr (std::is_same_v<S, const char>) store(to, *v);
  else { auto place = room<std::remove_const_t<S>>(1); store(*place, *v); to = place; }
}
template <class S, class V> void store(S &to, const std::vector<V> &v) {
  using T = std::remove_const_t<std::remove_pointer_t<decltype(to.ptr)>>;
  T *items = room<T>(v.size());
  for (size_t i = 0; i < v.size(); i++) { const V item = v[i]; store(items[i], item); }
  to.ptr = items;
  to.len = v.size();
}
}
`

// callCPP writes the call with conversions to the standard library's types.
func (c *caller) callCPP() (string, error) {
	c.types.text.WriteString("#include <stdlib.h>" + cppSupport)
	args := make([]string, len(c.sig.Params))
	for i, p := range c.sig.Params {
		from := fmt.Sprintf("a->p%d", i)
		switch pointer := c.f.params[i].pointer; {
		case p.Type.Kind == value.TypeList:
			args[i] = fmt.Sprintf("wb::list_arg<%s>{%s}", c.types.name(p.Type, p.Name), from)
		case p.Type.Kind == value.TypeOption && !pointer:
			args[i] = fmt.Sprintf("wb::option_arg<%s>{%s}", c.types.name(p.Type, p.Name), from)
		case pointer && (p.Type.Kind == value.TypeRecord || p.Type.Kind == value.TypeTuple || p.Type.Kind == value.TypeResult):
			args[i] = "&" + from
		default:
			args[i] = from
		}
	}
	call := c.f.name + "(" + strings.Join(args, ", ") + ")"
	t, some := c.returns()
	switch {
	case !some:
		return "  " + call + ";\n", nil
	case c.f.result == "void":
		return "", c.mismatch("%s returns nothing, its signature returns %s", c.f.name, t)
	case len(c.sig.Results) > 1 || c.sig.Results[0].Name != "":
		text := "  auto v = " + call + ";\n"
		for i, r := range c.sig.Results {
			text += fmt.Sprintf("  r->r%d = v.%s;\n", i, cident(r.Name))
		}
		return text, nil
	}
	return "  wb::store(r->r0, " + call + ");\n", nil
}
