package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"wb/workbook"
)

// choice is a word that the last one of a command line may become.
type choice struct{ word, help string }

// The kinds of completions: a file's name, a directory's, a name from a document,
// which the shell must quote, or one of wb's own words.
const (
	completeFiles       = "files"
	completeDirectories = "directories"
	completeNames       = "names"
	completeWords       = "words"
)

// completion is the list of words a shell offers. For files and directories the shell finds the
// choices itself.
type completion struct {
	kind  string
	words []choice
}

// complete says what the last of a command line's words may become, by the grammar
// that parses the line.
func complete(root *kong.Node, words []string) completion {
	typed := words[len(words)-1]
	if words[0] == "help" && len(words) > 1 {
		node, ok := root, true
		for _, word := range words[1 : len(words)-1] {
			if node, ok = childNamed(node, word); !ok {
				return completion{kind: completeWords}
			}
		}
		return completion{completeWords, beginning(typed, subverbs(node))}
	}
	line := readLine(root, words[:len(words)-1])
	option, value, valued := strings.Cut(typed, "=")
	switch {
	case line.pending != nil:
		return line.values(line.pending.Value, typed)
	case !line.ended && valued && strings.HasPrefix(option, "--"):
		if flag := line.flag(option); flag != nil {
			return line.values(flag.Value, value)
		}
		return completion{kind: completeWords}
	case !line.ended && strings.HasPrefix(typed, "-"):
		return completion{completeWords, beginning(typed, line.options())}
	}
	if line.args == nil {
		if verbs := beginning(typed, subverbs(line.node)); len(verbs) > 0 {
			return completion{completeWords, verbs}
		}
	}
	if arg := line.positional(); arg != nil {
		return line.values(arg, typed)
	}
	return completion{kind: completeWords}
}

// commandLine is the part of a command line before the word to complete.
type commandLine struct {
	node    *kong.Node // the verb
	args    []string   // its arguments
	pending *kong.Flag // the flag whose value comes next
	ended   bool       // -- stands before
}

func readLine(root *kong.Node, words []string) *commandLine {
	line := &commandLine{node: root}
	for _, word := range words {
		switch {
		case line.pending != nil:
			line.pending = nil
		case line.ended || word == "-" || !strings.HasPrefix(word, "-"):
			if child, ok := childNamed(line.node, word); ok && line.args == nil && !line.ended {
				line.node = child
			} else {
				line.args = append(line.args, word)
			}
		case word == "--":
			line.ended = true
		case !strings.Contains(word, "="):
			if flag := line.flag(word); flag != nil && !flag.IsBool() && !flag.IsCounter() {
				line.pending = flag
			}
		}
	}
	return line
}

// flag is the flag of the verb, or of those above it, that a word names; -j4 has
// its value and names none.
func (l *commandLine) flag(word string) *kong.Flag {
	for node := l.node; node != nil; node = node.Parent {
		for _, f := range node.Flags {
			if word == "--"+f.Name || f.Short != 0 && word == "-"+string(f.Short) {
				return f
			}
		}
	}
	return nil
}

// options are the flags of the verb and of those above it.
func (l *commandLine) options() (all []choice) {
	for node := l.node; node != nil; node = node.Parent {
		for _, f := range node.Flags {
			if !f.Hidden {
				all = append(all, choice{"--" + f.Name, f.Help})
			}
		}
	}
	return all
}

// positional is the argument that the next word is, nil for none.
func (l *commandLine) positional() *kong.Value {
	node := l.node
	if len(node.Positional) == 0 && node.DefaultCmd != nil {
		node = node.DefaultCmd
	}
	at := len(l.args)
	if n := len(node.Positional); n > 0 && at >= n && node.Positional[n-1].IsSlice() {
		at = n - 1
	}
	if at >= len(node.Positional) {
		return nil
	}
	return node.Positional[at]
}

// values are the possible values of a flag or an argument.
func (l *commandLine) values(v *kong.Value, typed string) completion {
	before := ""
	if v.Flag != nil && v.IsSlice() && v.Tag.Sep > 0 {
		before = typed[:strings.LastIndexByte(typed, byte(v.Tag.Sep))+1]
	}
	var all []choice
	kind := completes(v)
	switch kind {
	case completeWords:
		for _, word := range v.EnumSlice() {
			all = append(all, choice{word: before + word})
		}
	case completeNames:
		for _, c := range l.components() {
			all = append(all, choice{before + c.word, c.help})
		}
	}
	return completion{kind, beginning(typed, all)}
}

// completes is the kind of a value: what its tag says, or what its type and name
// tell.
func completes(v *kong.Value) string {
	place := strings.ToLower(v.Name)
	if v.Flag != nil {
		place = strings.ToLower(v.Flag.PlaceHolder)
	}
	switch {
	case v.Tag.Has("complete"):
		return v.Tag.Get("complete")
	case v.Tag.Enum != "":
		return completeWords
	case v.Tag.Type == "existingdir", place == "dir":
		return completeDirectories
	case v.Tag.Type == "existingfile", v.Tag.Type == "path", place == "file", place == "files", place == "path":
		return completeFiles
	}
	return completeWords
}

// components are the ids of the components in the first argument that is a file.
func (l *commandLine) components() (all []choice) {
	for _, name := range l.args {
		if rest, ok := strings.CutPrefix(name, "~/"); ok {
			if home, err := os.UserHomeDir(); err == nil {
				name = filepath.Join(home, rest)
			}
		}
		src, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		for _, c := range workbook.NewPlan(name, src).Components {
			all = append(all, choice{c.ID, c.Lang})
		}
		return all
	}
	return nil
}

// subverbs are the verbs below a verb.
func subverbs(node *kong.Node) (all []choice) {
	for _, child := range node.Children {
		if !child.Hidden {
			all = append(all, choice{child.Name, child.Help})
		}
	}
	return all
}

func childNamed(node *kong.Node, name string) (*kong.Node, bool) {
	i := slices.IndexFunc(node.Children, func(n *kong.Node) bool { return n.Name == name })
	if i < 0 {
		return nil, false
	}
	return node.Children[i], true
}

func beginning(typed string, all []choice) []choice {
	return slices.DeleteFunc(all, func(c choice) bool { return !strings.HasPrefix(c.word, typed) })
}

// shellWords are the words of a line that is typed into a shell, without their
// quotes. The last is the one that is being typed, which may be empty.
func shellWords(line string) []string {
	var words []string
	var word strings.Builder
	var quote rune
	escaped, blank := false, true
	for _, r := range line {
		switch {
		case escaped:
			if quote == '"' && !strings.ContainsRune("\"\\$`", r) {
				word.WriteRune('\\')
			}
			word.WriteRune(r)
			escaped = false
		case r == '\\' && quote != '\'':
			escaped, blank = true, false
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, blank = r, false
		case quote == 0 && (r == ' ' || r == '\t'):
			if !blank {
				words = append(words, word.String())
				word.Reset()
			}
			blank = true
		default:
			word.WriteRune(r)
			blank = false
		}
	}
	return append(words, word.String())
}
