package babel

// modes are the languages whose editing mode is not called after them.
var modes = map[string]string{
	"C": "c", "C++": "c++", "cpp": "c++", "asymptote": "asy", "beamer": "latex", "calc": "fundamental",
	"desktop": "conf-desktop", "dot": "graphviz-dot", "elisp": "emacs-lisp", "ocaml": "tuareg",
	"screen": "shell-script", "sqlite": "sql", "toml": "conf-toml", "shell": "sh", "ash": "sh", "bash": "sh",
	"jsh": "sh", "bash2": "sh", "dash": "sh", "dtksh": "sh", "ksh": "sh", "es": "sh", "rc": "sh", "itcsh": "sh",
	"tcsh": "sh", "jcsh": "sh", "csh": "sh", "ksh88": "sh", "oash": "sh", "pdksh": "sh", "mksh": "sh",
	"posix": "sh", "wksh": "sh", "wsh": "sh", "zsh": "sh", "rpm": "sh",
}

// silentModes are editing modes that know no comments. Choosing one ends the
// comment syntax of the block before.
var silentModes = map[string]bool{
	"fundamental": true, "text": true, "indented-text": true, "diff": true, "outline": true, "special": true,
	"prog": true, "picture": true, "paragraph-indent-text": true, "change-log": true,
}

// commentFamilies are the comment syntaxes and the modes that have them.
var commentFamilies = []struct {
	Comments
	packaged bool // the modes come with packages, not with Emacs 28
	modes    []string
}{
	{Comments{Open: "# "}, false, []string{"authinfo", "awk", "cfengine-auto", "cfengine2", "cfengine3", "conf", "conf-colon", "conf-desktop", "conf-javaprop", "conf-space", "conf-toml", "conf-unix", "cperl", "gdb-script", "icon", "m4", "makefile", "makefile-automake", "makefile-bsdmake", "makefile-gmake", "makefile-imake", "makefile-makepp", "org", "perl", "sh", "shell-script", "sieve", "tcl"}},
	{Comments{Open: "// "}, false, []string{"antlr", "c++", "delphi", "idl", "java", "javascript", "js", "js-jsx", "less-css", "objc", "opascal", "pike", "scss", "verilog"}},
	{Comments{Open: ";; "}, false, []string{"asm", "bovine-grammar", "common-lisp", "emacs-lisp", "lisp", "lisp-data", "scheme", "srecode-template", "wisent-grammar"}},
	{Comments{Open: "<!-- ", Close: " -->"}, false, []string{"html", "mhtml", "nxml", "sgml", "xml"}},
	{Comments{Open: "% "}, false, []string{"bibtex-style", "metafont", "metapost", "ps"}},
	{Comments{Open: "%% ", Margin: true, Spaces: true}, false, []string{"LaTeX", "TeX", "latex", "tex"}},
	{Comments{Open: "/* ", Close: " */"}, false, []string{"c", "c-or-c++", "css", "ld-script"}},
	{Comments{Open: "-- "}, false, []string{"snmp", "snmpv2", "sql"}},
	{Comments{Open: "; "}, false, []string{"conf-windows", "dns", "zone"}},
	{Comments{Open: "! "}, false, []string{"conf-xdefaults", "dcl"}},
	{Comments{Open: "# ", Spaces: true}, false, []string{"python", "ruby"}},
	{Comments{Open: "%% "}, false, []string{"mercury", "prolog"}},
	{Comments{Open: "%% ", Spaces: true}, false, []string{"plain-TeX", "plain-tex"}},
	{Comments{Open: "(* ", Close: " *)"}, false, []string{"m2", "modula-2"}},
	{Comments{Open: "! ", Spaces: true}, false, []string{"f90"}},
	{Comments{Open: "! ", Close: " ;"}, false, []string{"simula"}},
	{Comments{Open: "## "}, false, []string{"octave"}},
	{Comments{Open: "* "}, false, []string{"mixal"}},
	{Comments{Open: "*% "}, false, []string{"conf-ppd"}},
	{Comments{Open: "-- ", Spaces: true}, false, []string{"vhdl"}},
	{Comments{Open: "// ", Spaces: true}, false, []string{"vera"}},
	{Comments{Open: ";; ", Spaces: true}, false, []string{"idlwave"}},
	{Comments{Open: "@Comment "}, false, []string{"bibtex"}},
	{Comments{Open: "@c ", Spaces: true}, false, []string{"texinfo"}},
	{Comments{Open: `\" `}, false, []string{"nroff"}},
	{Comments{Open: "c$$$", Margin: true, Spaces: true, All: true}, false, []string{"fortran"}},
	{Comments{Open: "dnl "}, false, []string{"autoconf"}},
	{Comments{Open: "rem "}, false, []string{"bat"}},
	{Comments{Open: "{ ", Close: " }"}, false, []string{"pascal"}},

	// Modes that do not come with Emacs 28: as their usual packages have it.
	{Comments{Open: "// "}, true, []string{"rust", "go", "typescript", "kotlin", "swift", "scala", "dart", "zig", "csharp", "fsharp", "groovy", "php", "solidity", "protobuf", "cuda", "glsl", "graphviz-dot", "v", "reason", "processing", "asy", "jsonnet", "d"}},
	{Comments{Open: "# "}, true, []string{"yaml", "dockerfile", "cmake", "elixir", "nix", "crystal", "coffee", "gnuplot", "terraform", "hcl", "graphql", "nim", "fish", "meson", "gitignore", "just", "bazel", "raku", "sed", "nushell"}},
	{Comments{Open: "## "}, true, []string{"julia", "R", "ess-r"}},
	{Comments{Open: "-- "}, true, []string{"haskell", "lua", "elm", "purescript", "dhall", "agda", "idris", "ada"}},
	{Comments{Open: ";; "}, true, []string{"clojure", "clojurescript", "racket", "fennel", "hy", "janet", "lfe", "wat", "wast", "geiser"}},
	{Comments{Open: "%% "}, true, []string{"erlang"}},
	{Comments{Open: "% "}, true, []string{"lilypond", "LilyPond", "matlab"}},
	{Comments{Open: "(* ", Close: " *)"}, true, []string{"tuareg", "coq", "sml", "ocaml"}},
	{Comments{Open: "/* ", Close: " */"}, true, []string{"maxima", "bison"}},
	{Comments{Open: "<!-- ", Close: " -->"}, true, []string{"markdown", "web", "vue", "svelte"}},
	{Comments{Open: "' "}, true, []string{"plantuml", "vba", "visual-basic"}},
	{Comments{Open: "; "}, true, []string{"nasm", "ini"}},
}

// commentSyntax is commentFamilies by mode.
var commentSyntax = map[string]Comments{}

func init() {
	for _, family := range commentFamilies {
		for _, mode := range family.modes {
			commentSyntax[mode] = family.Comments
		}
	}
}
