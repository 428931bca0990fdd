// Package textfilter has the lanes of the three filter languages: awk, sed and jq.
// Their programs are those that shell scripts use, run by package shell inside
// the sandbox; here a block is the program's text.
//
// As in ob-awk and ob-sed, :cmd-line adds words to the command line, :in-file
// names what is read, :stdin gives it another block's value, and awk gets each
// :var by -v. jq sees each :var, and each input of a component, as $name with
// its JSON value; a jq program is also a component: "." is its input (an
// object of all of them when there are several) and what it produces is its
// result.
package textfilter
