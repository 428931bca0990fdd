package compile

import "strings"

// lacking are languages that people write blocks in and that no lane may run: a
// block in one of them is not a misspelt block in another. Those that have a lane
// after all do no harm here.
var lacking = strings.Fields(`
abc ada agda apl asm asymptote axiom ahk bat bibtex bqn clojure clojurescript cmake cobol coffee conf coq crystal
csharp cs css csv d dart ditaa diff dockerfile ebnf elixir elm erlang eshell f90 fish forth fortran fsharp gdscript
gleam gnuplot graphql groovy hack haskell hcl hledger html http hy idris ini java janet json julia jupyter
kotlin latex ledger lilypond lisp llvm mail makefile markdown mathematica matlab maxima md mermaid mongo mscgen
mysql nasm nim nix nu objc objective-c ocaml octave pascal perl perl6 php picolisp plantuml postgresql
powershell processing prolog ps1 psql purescript r racket raku reason rescript restclient rst sass scala scheme
scilab screen scss smalltalk sml solidity stan stata svg swift systemverilog tcl tex text toml txt vala vb verilog
vhdl vim vimscript wolfram xml xslt yaml yml`)
