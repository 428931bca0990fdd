package wat

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"wb/agent"
	"wb/sandbox"
	"wb/sandbox/netbroker"
)

// Host holds the services that programs may use. A nil part is unavailable: the functions
// that need it answer EACCESS.
type Host struct {
	Engine *sandbox.Engine
	Limits sandbox.Limits
	State  *agent.State
	Files  *agent.Tree
	Web    interface {
		Do(ctx context.Context, r netbroker.Request) (*netbroker.Reply, error)
	}
	// Refused says why the run may not send anything now, "" when it may; nil
	// never refuses.
	Refused func(ctx context.Context) string
	// Assist asks a model, within the budget of the run that ctx belongs to.
	Assist func(ctx context.Context, text, instruction string) (string, error)
}

// DefaultLimits bound a program: its work, which does not count what it waits for, and
// behind that how long it may take in all.
var DefaultLimits = sandbox.Limits{Timeout: 8 * time.Second, Wall: agent.ToolTimeout / 2, Fuel: 3_000_000_000, Memory: 64 << 20}

// maxValue is how long a value may be, in bytes.
const maxValue = 16 << 20

// call is one execution of a program.
type call struct {
	host    *Host
	ctx     context.Context
	in      *sandbox.Instance
	args    []string
	results []string
	logged  []string
	why     string // what the last error code stood for
	tainted []string
	sent    int64
}

// arg is one parameter as a host function sees it.
type arg struct {
	text string // of str and list
	word uint32
	bits uint64
}

func (a arg) int() int32     { return int32(a.word) }
func (a arg) float() float64 { return math.Float64frombits(a.bits) }

// list are the items of a list.
func (a arg) list() ([]string, error) {
	var items []string
	for rest := a.text; rest != ""; {
		if len(rest) < 4 {
			return nil, failed(ETRFM, "no list")
		}
		n := int(binary.LittleEndian.Uint32([]byte(rest[:4])))
		if n > len(rest)-4 {
			return nil, failed(ETRFM, "no list")
		}
		items = append(items, rest[4:4+n])
		rest = rest[4+n:]
	}
	return items, nil
}

// packed is a list as the bytes of a value.
func packed(items []string) string {
	var b []byte
	for _, item := range items {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(item)))
		b = append(b, item...)
	}
	return string(b)
}

// modules are the host functions for one execution.
func (c *call) modules() []sandbox.HostModule {
	var all []sandbox.HostModule
	for _, f := range Functions {
		i := slices.IndexFunc(all, func(m sandbox.HostModule) bool { return m.Name == f.Namespace() })
		if i < 0 {
			all = append(all, sandbox.HostModule{Name: f.Namespace()})
			i = len(all) - 1
		}
		params, results := f.types()
		all[i].Funcs = append(all[i].Funcs, sandbox.HostFunc{Name: f.short(), Params: valueTypes(params), Results: valueTypes(results),
			Call: func(ctx context.Context, in *sandbox.Instance, stack []uint64) error {
				c.ctx, c.in = ctx, in
				return c.invoke(f, params, results, stack)
			}})
	}
	return all
}

func valueTypes(words []string) []sandbox.ValueType {
	var types []sandbox.ValueType
	for _, w := range words {
		switch w {
		case "i64":
			types = append(types, sandbox.I64)
		case "f64":
			types = append(types, sandbox.F64)
		default:
			types = append(types, sandbox.I32)
		}
	}
	return types
}

// invoke reads the parameters, calls the function and leaves its results.
func (c *call) invoke(f *Function, params, results []string, stack []uint64) error {
	args := make([]arg, len(params))
	var err error
	for i, kind := range params {
		args[i] = arg{word: uint32(stack[i]), bits: stack[i]}
		if kind == "str" || kind == "list" {
			if args[i].text, err = c.read(uint32(stack[i])); err != nil {
				break
			}
		}
	}
	var values []any
	if err == nil {
		values, err = f.call(c, args)
	}
	var bound *agent.BoundError
	if c.ctx.Err() != nil || errors.As(err, &bound) {
		return err
	}
	code := Success
	for i, kind := range results {
		stack[i] = 0
		if kind == "err" || err != nil || i >= len(values) {
			continue
		}
		stack[i], err = c.lower(values[i])
	}
	if err != nil {
		var coded *codeError
		if code, c.why = EREMOTE, f.Name+": "+err.Error(); errors.As(err, &coded) {
			code, c.why = coded.code, f.Name+": "+coded.why
		}
		if !slices.Contains(results, "err") { // the program could not see it
			return errors.New(c.why)
		}
		clear(stack[:len(results)])
	}
	if i := slices.Index(results, "err"); i >= 0 {
		stack[i] = uint64(code)
	}
	return nil
}

// lower is a result as a word; texts and lists go into the program's memory.
func (c *call) lower(v any) (uint64, error) {
	switch v := v.(type) {
	case int32:
		return uint64(uint32(v)), nil
	case float64:
		return math.Float64bits(v), nil
	case []string:
		return c.lower(packed(v))
	case string:
		if len(v) > maxValue {
			return 0, failed(ENOMEM, "a value of %d bytes", len(v))
		}
		at, err := c.alloc(uint32(len(v) + 4))
		if err != nil {
			return 0, err
		}
		if !c.in.Memory().WriteU32(at, uint32(len(v))) || !c.in.Memory().WriteString(at+4, v) {
			return 0, failed(ENOMEM, "no room for %d bytes", len(v))
		}
		return uint64(at), nil
	}
	return 0, fmt.Errorf("a result of type %T", v)
}

// read is the value at an address.
func (c *call) read(at uint32) (string, error) {
	if at == 0 {
		return "", nil
	}
	n, ok := c.in.Memory().ReadU32(at)
	if !ok || n > maxValue || at > math.MaxUint32-4 {
		return "", failed(ETRFM, "there is no value at %d", at)
	}
	text, ok := c.in.Memory().Read(at+4, n)
	if !ok {
		return "", failed(ETRFM, "there is no value at %d", at)
	}
	return string(text), nil
}

// alloc asks the program for memory.
func (c *call) alloc(n uint32) (uint32, error) {
	stack := []uint64{uint64(n)}
	f := c.in.Func("alloc")
	if f == nil {
		return 0, failed(ENOMEM, "the program has no allocator")
	}
	if err := f.Call(c.ctx, stack); err != nil {
		return 0, err
	}
	if stack[0] == 0 {
		return 0, failed(ENOMEM, "%d bytes", n)
	}
	return uint32(stack[0]), nil
}

func (c *call) taint(label string) {
	if !slices.Contains(c.tainted, label) {
		c.tainted = append(c.tainted, label)
	}
}

// request makes one HTTP request through the broker.
func (c *call) request(method, address, body string) ([]any, error) {
	if c.host.Web == nil {
		return nil, failed(EACCESS, "there is no network")
	}
	if c.host.Refused != nil {
		if why := c.host.Refused(c.ctx); why != "" {
			return nil, failed(EACCESS, "%s", why)
		}
	}
	c.sent += int64(len(address) + len(body))
	reply, err := c.host.Web.Do(c.ctx, netbroker.Request{Method: method, URL: address, Body: []byte(body)})
	var denied *netbroker.DeniedError
	switch {
	case errors.As(err, &denied):
		return nil, failed(EACCESS, "%v", err)
	case err != nil:
		return nil, failed(EREMOTE, "%v", err)
	case reply.Status < 200 || reply.Status > 299:
		return nil, failed(EREMOTE, "HTTP %d %s", reply.Status, http.StatusText(reply.Status))
	}
	c.taint("web:" + hostOf(reply.URL))
	return of(string(reply.Body))
}

func hostOf(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	host, _, _ := strings.Cut(rest, "/")
	return host
}

func (c *call) assist(text, instruction string) ([]any, error) {
	if c.host.Assist == nil {
		return nil, failed(EACCESS, "there is no model")
	}
	answer, err := c.host.Assist(c.ctx, text, instruction)
	return []any{answer}, err
}

// names are those in a directory of the tree.
func (c *call) names(dir string) ([]string, error) {
	if dir = strings.Trim(dir, "/"); dir == "" {
		dir = "."
	}
	entries, err := c.host.Files.FS().ReadDir(dir)
	if err != nil {
		return nil, failed(ENOENT, "no directory %s", dir)
	}
	names := []string{}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	slices.Sort(names)
	return names, nil
}
