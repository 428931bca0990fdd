package main

import (
	"fmt"
	"reflect"
	"runtime/debug"
	"strings"

	"github.com/alecthomas/kong"

	"wb/app"
	"wb/internal/diag"
)

const description = `Run org-mode workbooks: safe, fast to re-run, and with proof of where results came from.

  wb run FILE.org      compile and run what changed, write the results back
  wb plan FILE.org     show the components and how data flows between them
  wb help VERB         one page about a verb, with an example`

// globals are the flags that all verbs share.
type globals struct {
	JSON    bool             `help:"Answer with one JSON envelope." env:"WB_JSON"`
	Quiet   bool             `short:"q" help:"Print only errors on stderr."`
	Verbose bool             `short:"v" help:"Print more on stderr."`
	Version kong.VersionFlag `help:"Print the version and exit."`
}

// own are the flags of verbs that do something here which no other door has, such
// as to watch files, and of those that only a terminal has.
func own(name string) any {
	switch name {
	case "run":
		return &runCmd{}
	case "tangle":
		return &tangleCmd{}
	case "query":
		return &queryCmd{}
	case "agent run":
		return &agentRunCmd{}
	case "agent repl":
		return &agentReplCmd{}
	case "agent resume":
		return &agentResumeCmd{}
	case "agent fork":
		return &agentForkCmd{}
	case "agent replay":
		return &agentReplayCmd{}
	case "agent keep":
		return &agentKeepCmd{}
	case "agent dream":
		return &agentDreamCmd{}
	case "issues work":
		return &issuesWorkCmd{}
	case "todo":
		return &todoCmd{}
	case "eval":
		return &evalCmd{}
	case "telemetry":
		return &telemetryCmd{}
	case "publish serve":
		return &publishServeCmd{}
	case "serve":
		return &serveCmd{}
	case "worker":
		return &workerCmd{}
	case "mcp":
		return &mcpCmd{}
	case "lsp":
		return &lspCmd{}
	case "completion":
		return &completionCmd{}
	case "help":
		return &helpCmd{}
	}
	return nil
}

// verb is a word that wb may be followed by, and the rows of the table below it:
// one, or several for a verb with verbs of its own.
type verb struct {
	name, help string
	rows       []app.Row
}

// verbs are all of them, in the order help shows them.
func verbs() []verb {
	var all []verb
	for _, r := range app.Rows() {
		word, _, nested := strings.Cut(r.Name, " ")
		if n := len(all); n > 0 && all[n-1].name == word {
			all[n-1].rows = append(all[n-1].rows, r)
			continue
		}
		v := verb{name: word, help: r.Help, rows: []app.Row{r}}
		if nested {
			v.help = app.Groups[word].Help
		}
		all = append(all, v)
	}
	return all
}

// flags are the flags of a verb: its own, or those of its rows.
func (v verb) flags() any {
	if mine := own(v.name); mine != nil {
		return mine
	}
	if v.rows[0].Name == v.name {
		return v.rows[0].New()
	}
	var fields []reflect.StructField
	for _, r := range v.rows {
		_, word, _ := strings.Cut(r.Name, " ")
		tag := `cmd:"" name:"` + word + `" help:` + quoted(r.Help)
		if r.Usual {
			tag += ` default:"withargs"`
		}
		takes := own(r.Name)
		if takes == nil {
			takes = r.New()
		}
		fields = append(fields, reflect.StructField{Name: "X" + strings.ReplaceAll(word, "-", ""), Type: reflect.TypeOf(takes).Elem(), Tag: reflect.StructTag(tag)})
	}
	return reflect.New(reflect.StructOf(fields)).Interface()
}

func quoted(text string) string { return `"` + strings.ReplaceAll(text, `"`, `\"`) + `"` }

// verbsFor are the verbs that a command line is parsed with: the one that it
// starts with, since reading the flags of all takes longer than many verbs do;
// all of them if it starts with something else or the verb shows the others.
func verbsFor(args []string) []verb {
	if args[0] == "--version" {
		return nil
	}
	all := verbs()
	for _, v := range all {
		if v.name == args[0] && v.name != "help" && v.name != "completion" {
			return []verb{v}
		}
	}
	return all
}

// newParser returns the parser of a command line with these verbs, which puts
// the flags that all of them share into shared.
func newParser(shared *globals, verbs []verb, options ...kong.Option) (*kong.Kong, error) {
	options = append(options, kong.Name("wb"), kong.Description(description), kong.Vars{"version": version()},
		kong.KindMapper(reflect.String, kong.MapperFunc(decodeText)))
	for _, v := range verbs {
		options = append(options, kong.DynamicCommand(v.name, v.help, "", v.flags()))
	}
	parser, err := kong.New(shared, options...)
	if err != nil {
		return nil, err
	}
	for _, v := range verbs {
		if n := node(parser.Model.Node, v.name); n != nil && n.Detail == "" {
			n.Detail = app.Groups[v.name].About
		}
		for _, r := range v.rows {
			if n := node(parser.Model.Node, r.Name); n != nil && n.Detail == "" {
				n.Detail = r.About
			}
		}
	}
	return parser, nil
}

// decodeText takes a word of the command line as it is. Kong's own mapper goes through
// JSON, which replaces bytes that are no UTF-8, and names of files may have some.
func decodeText(ctx *kong.DecodeContext, target reflect.Value) error {
	token, err := ctx.Scan.PopValue("string")
	if err == nil {
		target.SetString(fmt.Sprint(token.Value))
	}
	return err
}

// node is the command that words name, nil for none.
func node(root *kong.Node, words string) *kong.Node {
	for word := range strings.FieldsSeq(words) {
		var next *kong.Node
		for _, c := range root.Children {
			if c.Name == word {
				next = c
			}
		}
		if next == nil {
			return nil
		}
		root = next
	}
	return root
}

// perform does what a command line asks for: what the verb does here, or what its
// row says.
func (a *terminal) perform(kctx *kong.Context) error {
	selected := kctx.Selected()
	name := selected.Name
	for n := selected.Parent; n != nil && n.Parent != nil; n = n.Parent {
		name = n.Name + " " + name
	}
	target := selected.Target.Addr().Interface()
	row, ok := app.Find(name)
	if _, runs := target.(interface{ Run(*terminal) error }); runs || !ok || !row.Does() {
		return kctx.Run(a)
	}
	return a.do(row, target)
}

// do answers with what a row of the table gives.
func (a *terminal) do(row app.Row, in any) error {
	answer, err := row.Do(a.ctx, a.home(), in)
	if err != nil {
		return err
	}
	return a.show(row.Name, answer)
}

// show prints an answer: in the envelope with --json, else as text.
func (a *terminal) show(name string, answer *app.Answer) error {
	verb, _, _ := strings.Cut(name, " ")
	if a.json && answer.Err != nil {
		return answer.Err
	}
	if a.json {
		if err := diag.WriteJSON(a.std.Out, envelope{OK: !answer.Invalid, Verb: verb, Data: answer.Data}); err != nil {
			return err
		}
	} else if err := answer.Write(a.page()); err != nil {
		return err
	}
	for _, do := range a.after {
		do()
	}
	a.after = nil
	if answer.Err != nil {
		return answer.Err
	}
	if answer.Exit != 0 {
		return diag.Told(answer.Exit)
	}
	return nil
}

// page is where answers are written.
func (a *terminal) page() *app.Page {
	p := &app.Page{Writer: a.std.Out, Colour: colour(a.std.Out), Verbose: a.verbose}
	if isTerminal(a.std.Out) {
		p.Reader = app.Person
	}
	return p
}

// version is the release, the commit and its date, and the Go that built this binary.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "wb (unknown build)"
	}
	set := map[string]string{}
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	words := []string{"wb", info.Main.Version}
	if commit := set["vcs.revision"]; commit != "" {
		words = append(words, "commit "+commit[:min(len(commit), 12)])
	}
	if date, _, _ := strings.Cut(set["vcs.time"], "T"); date != "" {
		words = append(words, "of "+date)
	}
	if set["vcs.modified"] == "true" {
		words = append(words, "with changes")
	}
	return strings.Join(append(words, info.GoVersion, set["GOOS"]+"/"+set["GOARCH"]), " ")
}

// usageHint points at the help page that answers a wrong command line.
func usageHint(parser *kong.Kong, args []string) string {
	word := firstWord(args)
	for _, child := range parser.Model.Children {
		if child.Name == word {
			return "wb help " + word
		}
	}
	if near := nearestVerb(parser, word); near != "" {
		return "did you mean `wb " + near + "`?"
	}
	return "wb help lists the verbs"
}
