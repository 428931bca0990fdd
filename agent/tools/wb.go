package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"wb/agent"
	"wb/compile"
	"wb/internal/diag"
	"wb/org/oql"
	"wb/workbook"
	"wb/workbook/format"
)

// WB is the wb command line as an agent may use it: the verbs that look, and those
// that change nothing but the run's tree. They are functions of this process; no
// word of the model's becomes a command line of the host's, and paths lead nowhere
// but into the tree. More are verbs that need something of the caller's:
// [Toolkits], [RunVerb], [Variables].
func WB(lanes *compile.Registry, tree *agent.Tree, more ...Verb) agent.Tool {
	verbs := append(slices.Clone(baseVerbs), more...)
	slices.SortFunc(verbs, func(a, b Verb) int { return strings.Compare(a.Name, b.Name) })
	var names []string
	for _, v := range verbs {
		names = append(names, v.Name)
	}
	return &tool{name: "wb", description: "Run a wb command on the working directory: " + strings.Join(names, ", ") + ". `help` shows how each is used.",
		schema: `{"type":"object","properties":{"args":{"description":"the words after wb, as a list","anyOf":[{"type":"array","items":{"type":"string"}},{"type":"string"}]}},"required":["args"],"additionalProperties":false}`,
		call: func(ctx context.Context, args agent.Args) (agent.Output, error) {
			words := commandLine(args)
			if len(words) == 0 || words[0] == "help" {
				return agent.Output{Text: usage(verbs)}, nil
			}
			i := slices.IndexFunc(verbs, func(v Verb) bool { return v.Name == words[0] })
			if i < 0 {
				return agent.Output{}, fmt.Errorf("wb %s not permitted to an agent; there are %s", words[0], strings.Join(names, ", "))
			}
			dir, remove, err := laidOut(tree)
			if err != nil {
				return agent.Output{}, fmt.Errorf("wb error: %w", err)
			}
			defer remove()
			root, err := os.OpenRoot(dir)
			if err != nil {
				return agent.Output{}, fmt.Errorf("wb error: %w", err)
			}
			defer root.Close()
			out, err := verbs[i].Call(ctx, &Place{Dir: dir, Tree: tree, Lanes: lanes, root: root}, words[1:])
			out.Text = strings.ReplaceAll(out.Text, dir+string(filepath.Separator), "")
			if err != nil {
				return out, fmt.Errorf("wb %s error: %s", words[0], strings.ReplaceAll(explained(err), dir+string(filepath.Separator), ""))
			}
			if out.Taint == "" {
				out.Taint = filesTaint
			}
			if out.Exit == nil {
				out.Exit = new(int)
			}
			if *out.Exit != 0 {
				out.Text = joined(out.Text, fmt.Sprintf("exit %d", *out.Exit))
			}
			return changed(ctx, tree, out)
		}}
}

// commandLine is the words after wb.
func commandLine(args agent.Args) []string {
	words := compile.Words(args.Text("args"))
	_ = json.Unmarshal(args["args"], &words)
	if len(words) > 0 && words[0] == "wb" {
		words = words[1:]
	}
	return words
}

// WBVerb is the verb that a call of the tool wb names, "" when it names none.
func WBVerb(args string) string {
	var given agent.Args
	if json.Unmarshal([]byte(args), &given) != nil {
		return ""
	}
	words := commandLine(given)
	if len(words) == 0 {
		return ""
	}
	return words[0]
}

// Verb is one word of wb that an agent may use.
type Verb struct {
	Name, Usage string
	Call        func(ctx context.Context, at *Place, args []string) (agent.Output, error)
}

// Place is the tree that a verb looks at, as a directory. What a verb writes it
// writes into the tree.
type Place struct {
	Dir   string
	Tree  *agent.Tree
	Lanes *compile.Registry
	root  *os.Root
}

// inside is the path of a file or directory of the tree.
func (p *Place) inside(name string) (string, error) {
	if _, err := p.root.Stat(filepath.FromSlash(name)); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("no such file: %s", name)
		}
		return "", errors.New("read blocked: path escapes your working dir")
	}
	return filepath.Join(p.Dir, filepath.FromSlash(name)), nil
}

// text reads a file of the tree.
func (p *Place) text(name string) (path string, src []byte, err error) {
	if path, err = p.inside(name); err != nil {
		return "", nil, err
	}
	src, err = p.root.ReadFile(filepath.FromSlash(name))
	return path, src, err
}

// usage is what help shows.
func usage(verbs []Verb) string {
	var b strings.Builder
	for _, v := range verbs {
		fmt.Fprintf(&b, "wb %s\n", v.Usage)
	}
	return b.String()
}

// explained is an error with its hint.
func explained(err error) string {
	var hinted interface{ Hint() string }
	if errors.As(err, &hinted) && hinted.Hint() != "" {
		return err.Error() + "; " + hinted.Hint()
	}
	return err.Error()
}

// baseVerbs need nothing but the tree.
var baseVerbs = []Verb{
	{"query", "query [PATHS…] 'OQL': ask over headlines, blocks, links, tables, events and runs", verbQuery},
	{"search", "search WORDS… [-k N]: the headings that match best", verbSearch},
	{"plan", "plan FILE: the components of a workbook and how values flow, as JSON", verbPlan},
	{"lint", "lint FILE…: mistakes with places and hints", verbLint},
	{"why", "why FILE ID: why a component would, or would not, run again", verbWhy},
	{"fmt", "fmt FILE: the file as it would be tidied", verbFmt},
	{"tangle", "tangle [--check | --dry-run | --plan] FILE…: write the source files that documents describe", verbTangle},
	{"telemetry", "telemetry [RUN]: what a run recorded here amounted to, the last one without RUN", verbTelemetry},
	{"trace", traceUsage, verbTrace},
}

// queryRows is how many rows a query gives when it says nothing.
const queryRows = 100

// rowSources are the sources a query may name; files are named by paths.
var rowSources = []string{"headlines", "blocks", "links", "tables", "events", "runs"}

func verbQuery(ctx context.Context, at *Place, args []string) (agent.Output, error) {
	if len(args) == 0 {
		return agent.Output{}, errors.New("no query")
	}
	q, err := oql.Parse(args[len(args)-1])
	if err != nil {
		return agent.Output{}, err
	}
	sources := slices.Clone(q.From)
	for _, j := range q.Joins {
		sources = append(sources, j.From...)
	}
	for _, from := range sources {
		if !slices.Contains(rowSources, from.Name) {
			return agent.Output{}, fmt.Errorf("from %q: name files before the query; from takes %s", from.Name, strings.Join(rowSources, ", "))
		}
	}
	if q.Limit == 0 {
		q.Limit = queryRows
	}
	paths := []string{at.Dir}
	for i, name := range args[:len(args)-1] {
		path, err := at.inside(name)
		if err != nil {
			return agent.Output{}, err
		}
		paths = append(paths[:i], path)
	}
	answer, err := oql.Ask(ctx, oql.Request{Paths: paths, Query: q})
	if err != nil {
		return agent.Output{}, err
	}
	var b bytes.Buffer
	err = errors.Join(answer.Write(&b, "json"), answer.Close())
	return agent.Output{Text: b.String()}, err
}

func verbSearch(ctx context.Context, at *Place, args []string) (agent.Output, error) {
	k := 8
	if i := slices.Index(args, "-k"); i >= 0 && i+1 < len(args) {
		n, err := strconv.Atoi(args[i+1])
		if err != nil || n < 1 {
			return agent.Output{}, fmt.Errorf("-k %s is no number", args[i+1])
		}
		k, args = n, slices.Delete(slices.Clone(args), i, i+2)
	}
	hits, err := Passages(at.Dir, nil)(ctx, strings.Join(args, " "), "", k)
	if err != nil {
		return agent.Output{}, err
	}
	return agent.Output{Text: passages(hits)}, nil
}

func verbPlan(_ context.Context, at *Place, args []string) (agent.Output, error) {
	path, src, err := at.one(args)
	if err != nil {
		return agent.Output{}, err
	}
	data, err := workbook.NewPlan(path, src).JSON("")
	if err != nil {
		return agent.Output{}, err
	}
	text, err := json.Marshal(data)
	return agent.Output{Text: string(text)}, err
}

// one is the file of a verb that takes one.
func (p *Place) one(args []string) (string, []byte, error) {
	if len(args) == 0 {
		return "", nil, errors.New("no file")
	}
	return p.text(args[0])
}

func verbLint(_ context.Context, at *Place, args []string) (agent.Output, error) {
	var b strings.Builder
	var all []diag.Finding
	for _, name := range args {
		path, src, err := at.text(name)
		if err != nil {
			return agent.Output{}, err
		}
		all = append(all, workbook.Lint(path, src, workbook.LintOptions{Languages: at.Lanes})...)
	}
	for _, d := range all {
		fmt.Fprintf(&b, "%s: %s: %s\n", d.Pos, d.Severity, d.Message)
		if d.Hint != "" {
			fmt.Fprintf(&b, "  hint: %s\n", d.Hint)
		}
	}
	if len(all) == 0 {
		b.WriteString("no mistakes found")
	}
	exit := 0
	if workbook.HasErrors(all) {
		exit = 1
	}
	return agent.Output{Text: b.String(), Exit: &exit}, nil
}

func verbWhy(ctx context.Context, at *Place, args []string) (agent.Output, error) {
	path, src, err := at.one(args)
	if err != nil {
		return agent.Output{}, err
	}
	if len(args) != 2 {
		return agent.Output{}, errors.New("why takes a file and a component")
	}
	x, err := workbook.Explain(ctx, workbook.Options{File: path, Source: src, Lanes: at.Lanes, Cache: workbook.CacheBeside(path)}, args[1])
	if err != nil {
		return agent.Output{}, err
	}
	verdict := "would not run"
	if x.WouldRun {
		verdict = "would run"
	}
	text := fmt.Sprintf("%s %s: %s", x.ID, verdict, x.Reason)
	if len(x.Needs) > 0 {
		text += "\nfirst: " + strings.Join(x.Needs, ", ")
	}
	return agent.Output{Text: text}, nil
}

func verbFmt(_ context.Context, at *Place, args []string) (agent.Output, error) {
	_, src, err := at.one(args)
	if err != nil {
		return agent.Output{}, err
	}
	tidy, _ := format.Format(src, format.Options{})
	return agent.Output{Text: string(tidy)}, nil
}

// words parts the arguments of a verb: flags that stand alone, by their names
// without dashes, and the others. Flags that the verb does not have are mistakes.
func words(args []string, flags ...string) (given map[string]bool, rest []string, err error) {
	given = map[string]bool{}
	for i, word := range args {
		if word == "--" {
			return given, append(rest, args[i+1:]...), nil
		}
		name, dashed := strings.CutPrefix(word, "--")
		switch {
		case dashed && slices.Contains(flags, name):
			given[name] = true
		case strings.HasPrefix(word, "-") && word != "-":
			return nil, nil, fmt.Errorf("there is no flag %s", word)
		default:
			rest = append(rest, word)
		}
	}
	return given, rest, nil
}
