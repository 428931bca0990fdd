package clang

import (
	"fmt"
	"strings"
	"testing"
)

func describe(f function) string {
	var params []string
	for _, p := range f.params {
		params = append(params, fmt.Sprintf("%s/%d/%s", p.name, p.stars, strings.Join(p.words, "-")))
	}
	kind := "declared"
	if f.defined {
		kind = "defined"
	}
	if f.static {
		kind = "static " + kind
	}
	return fmt.Sprintf("%d:%d %s %s(%s) %s", f.line, f.col, f.result, f.name, strings.Join(params, " "), kind)
}

func TestFunctions(t *testing.T) {
	for body, want := range map[string]string{
		"double mean(const double *xs, size_t n) { return 0; }": "1:8 double mean(xs/1/double n/0/size_t) defined",
		"int f(void);":             "1:5 int f() declared",
		"int f() { if (1) g(2); }": "1:5 int f() defined",
		"static unsigned long long\nsum(int a[], int n)\n{\n}":                                               "2:1 unsigned long long sum(a/1/int n/0/int) static defined",
		"/* int no(void) {} */ // int no2() {}\nchar *yes(char **argv, int) { char c = '{'; return \"}\"; }": "2:7 char * yes(argv/2/char /0/int) defined",
		"#define F(x) \\\n  int g(x) {}\nint h(unsigned) { }":                                                "3:5 int h(/0/unsigned) defined",
		"struct p { int x; int (*f)(int); };\nstruct p make(struct p a, const struct p *b) { return a; }":    "2:10 struct p make(a/0/struct-p b/1/struct-p) defined",
		"int x = f(3), y; int t[] = {1, 2}; enum { A, B }; typedef int (*cb)(int); int after(int x) { }":     "1:79 int after(x/0/int) defined",
		"__attribute__((export_name(\"go\"))) int process(int n) { return n; }":                              "1:40 int process(n/0/int) defined",
		"extern \"C\" { int inner(int a) { } }\nnamespace n { void deep() { } }":                             "1:18 int inner(a/0/int) defined; 2:20 void deep() defined",
		"std::vector<double> scale(const std::vector<double>& xs, double k = 2) { }":                         "1:21 std::vector<double> scale(xs/0/std-vector-double k/0/double) defined",
		"template <class T> T id(T x) { return x; }\nint main() { return 0; }":                               "1:22 template<class T> T id(x/0/T) defined; 2:5 int main() defined",
		"class A { public: int m(int) { return 1; } };\nauto use(std::map<int, std::string> m) -> int { }":   "2:6 auto use(m/0/std-map-int-std-string) defined",
		"printf(\"%d\\n\", 3);\nint x = 3;\nfor (int i = 0; i < 3; i++) puts(\"x\");":                        "",
		"int printf(const char *fmt, ...);":                                                                  "1:5 int printf(fmt/1/char) declared",
		"int broken(":                                                                                        "",
		"int a(int (*f)(int), int b) { }":                                                                    "1:5 int a(/1/int-f-int b/0/int) defined",
	} {
		var got []string
		for _, f := range functions(body) {
			got = append(got, describe(f))
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%s\ngot  %s\nwant %s", body, strings.Join(got, "; "), want)
		}
	}
}

func FuzzFunctions(f *testing.F) {
	f.Add("double mean(const double *xs, size_t n) { return 0; }")
	f.Add("extern \"C\" { struct { int (*f)(int); } x = {1}; } } ( [ {")
	f.Add("template<class T, int N = (3)> auto f(T (&x)[N]) -> decltype(x) { R\"(x)\" }")
	f.Add("/* * #define x \\\n '\\'' \"\\\"\" ...")
	f.Fuzz(func(t *testing.T, body string) {
		lines := strings.Count(body, "\n") + 1
		for _, fn := range functions(body) {
			if fn.name == "" || fn.line < 1 || fn.line > lines || fn.col < 1 {
				t.Fatalf("bad function %+v", fn)
			}
		}
	})
}
