package babel

// extensions are those that differ from the language's name.
var extensions = map[string]string{
	"emacs-lisp":    "el",
	"elisp":         "el",
	"bibtex":        "bib",
	"C++":           "cpp",
	"D":             "d",
	"clojure":       "clj",
	"clojurescript": "cljs",
	"csharp":        "cs",
	"fortran":       "F90",
	"haskell":       "hs",
	"julia":         "jl",
	"latex":         "tex",
	"LilyPond":      "ly",
	"maxima":        "max",
	"ocaml":         "ml",
	"perl":          "pl",
	"processing":    "pde",
	"python":        "py",
	"ruby":          "rb",
}

// Extension is the suffix that `:tangle yes` adds to the document's name, without the
// dot: the language's name unless org-babel knows a better one.
func Extension(language string) string {
	if ext, ok := extensions[language]; ok {
		return ext
	}
	return language
}
