package mcp

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"wb/agent/host"
	"wb/workbook"
)

// maxOffered is how many tools documents make: clients give a model all of them. What
// is beyond is reached by ask and run.
const maxOffered = 100

// documents keeps a server's tools and prompts as the documents of its directory are:
// one for each agent, and one for each workbook and workflow that has exports. They are
// looked at when a client asks, so that an edit counts at once; a client that listens
// hears of what came and went.
type documents struct {
	server *server
	mcp    *mcp.Server

	mu      sync.Mutex
	read    map[string]document // by path, as read last
	tools   map[string]string   // what is offered, by name; the version of what made it
	prompts map[string]string
}

// document holds the tools one file defines.
type document struct {
	modified time.Time
	size     int64
	agents   []host.Found
	books    []workbook.Signature
}

// offered is a tool before it has its name.
type offered struct {
	names   []string // the short one, and longer ones where others want the same
	version string
	tool    mcp.Tool
	handler mcp.ToolHandler
}

// current brings what is offered up to date before a client's request is answered.
func (d *documents) current(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		switch method {
		case "tools/list", "tools/call", "prompts/list", "prompts/get":
			if err := d.refresh(); err != nil {
				return nil, err
			}
		}
		return next(ctx, method, r)
	}
}

// refresh compares the directory with what is offered.
func (d *documents) refresh() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	files, err := d.look()
	if err != nil {
		return err
	}
	var agents, books []offered
	prompts := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		file := files[name]
		version := fmt.Sprint(name, " ", file.modified.UnixNano(), " ", file.size)
		for _, a := range file.agents {
			if d.server.Ask != nil {
				agents = append(agents, d.agentTool(a, version))
			}
			prompts[a.Name] = version
			if d.prompts[a.Name] != version {
				d.server.addPrompt(d.mcp, a)
			}
		}
		for _, s := range file.books {
			books = append(books, d.bookTool(name, s, version))
		}
	}
	d.mcp.RemovePrompts(gone(d.prompts, prompts)...)
	d.prompts = prompts
	all := slices.Concat(agents, books)
	d.offer(all[:min(len(all), maxOffered)])
	return nil
}

// look reads the documents that have changed.
func (d *documents) look() (map[string]document, error) {
	files := map[string]document{}
	dir := d.server.root.FS()
	err := host.DocumentsIn(dir, func(name string, info fs.FileInfo) {
		known, ok := d.read[name]
		if ok && known.modified.Equal(info.ModTime()) && known.size == info.Size() {
			files[name] = known
			return
		}
		src, err := fs.ReadFile(dir, name)
		if err != nil {
			return // what cannot be read is not offered
		}
		files[name] = document{info.ModTime(), info.Size(), host.AgentsOf(name, src), d.server.signatures(name, src)}
	})
	d.read = files
	return files, err
}

// signatures are the functions of a document of which this server can run something.
func (s *server) signatures(name string, src []byte) []workbook.Signature {
	if s.Lanes == nil {
		return nil
	}
	plan := workbook.NewPlan(name, src)
	if !slices.ContainsFunc(plan.Components, func(c *workbook.Component) bool {
		_, runs := s.Lanes.Lookup(c.Lang)
		return c.Kind != workbook.KindData && (runs || c.Lang == workbook.LangAgent)
	}) {
		return nil
	}
	return plan.Signatures()
}

// offer names the tools and makes them the server's, and takes back those that no
// document makes any longer.
func (d *documents) offer(all []offered) {
	wanted := map[string]int{}
	for _, o := range all {
		wanted[o.names[0]]++
	}
	tools := map[string]string{}
	for _, o := range all {
		name := o.names[0]
		if wanted[name] > 1 {
			name = o.names[1]
		}
		for n, base := 2, name; tools[name] != ""; n++ {
			name = fmt.Sprintf("%s_%d", base, n)
		}
		tools[name] = o.version
		if d.tools[name] != o.version {
			o.tool.Name = name
			d.mcp.AddTool(&o.tool, o.handler)
		}
	}
	d.mcp.RemoveTools(gone(d.tools, tools)...)
	d.tools = tools
}

// gone are the names that were there before.
func gone(before, now map[string]string) []string {
	var names []string
	for name := range before {
		if _, ok := now[name]; !ok {
			names = append(names, name)
		}
	}
	return names
}

// agentTool is an agent as a tool.
func (d *documents) agentTool(a host.Found, version string) offered {
	file, id, _ := strings.Cut(a.Name, "#")
	about := fmt.Sprintf("Give the agent %s (%s) a task and get its result.", a.Title, a.Name)
	o := offered{names: []string{toolName("agent", id), toolName("agent", stem(file), id)}, version: version,
		tool: mcp.Tool{Title: a.Title, Description: strings.TrimSpace(a.Tagline + "\n" + about), InputSchema: taskSchema, OutputSchema: outcomeSchema},
	}
	shaped := isObject(a.Output)
	if shaped {
		o.tool.OutputSchema = a.Output
	}
	o.handler = d.server.askAs(a.Name, shaped)
	return o
}

// bookTool is a workbook, or a workflow of one, as a tool.
func (d *documents) bookTool(file string, s workbook.Signature, version string) offered {
	what, names := "the workbook "+file, []string{toolName("run", path.Base(stem(file))), toolName("run", stem(file))}
	if len(s.Only) > 0 {
		what = "the workflow " + s.Title + " of " + file
		names = []string{toolName("run", path.Base(stem(file)), s.Title), toolName("run", stem(file), s.Title)}
	}
	return offered{names: names, version: version, handler: d.server.runAs(file, s), tool: mcp.Tool{Title: s.Title,
		Description: strings.TrimSpace(s.About + "\nRun " + what + " in the sandbox and get its exports."), InputSchema: s.In, OutputSchema: s.Out}}
}

func stem(file string) string { return strings.TrimSuffix(file, path.Ext(file)) }

// longestName is the longest tool name that clients accept.
const longestName = 64

// toolName joins words to a name that every client takes.
func toolName(words ...string) string {
	for i, word := range words {
		words[i] = strings.Trim(strings.Map(func(c rune) rune {
			switch {
			case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '-':
				return c
			case c >= 'A' && c <= 'Z':
				return c - 'A' + 'a'
			}
			return '_'
		}, word), "_")
	}
	name := strings.Join(words, "_")
	return name[:min(len(name), longestName-3)] // which leaves room for a number
}
