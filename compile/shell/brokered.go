package shell

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"wb/sandbox/dock"
)

// brokered are the commands that the host performs for a script, in the place of
// a program: wb, which asks the dock for anything, and those that people know
// from other shells for the net.
var brokered = map[string]func(p *process) int{
	"wb":        (*process).runDock,
	"curl":      (*process).runCurl,
	"wget":      (*process).runWget,
	"http":      (*process).runHTTP,
	"pip-fetch": (*process).runPipFetch,
}

// BrokeredCommand is a command that the host performs.
type BrokeredCommand struct {
	Name  string
	Caps  []string // it needs; none where that depends on what it is asked
	About string
}

// Brokered lists the commands that the host performs.
func Brokered() []BrokeredCommand {
	net := []string{"net"}
	return []BrokeredCommand{
		{"curl", net, "requests, with curl's options and exit codes"},
		{"http", net, "requests with JSON, as in http URL name=value"},
		{"pip-fetch", net, "wheels of pure Python, pinned in wb.lock"},
		{"wb", nil, "any operation of the host, as in wb kv get KEY"},
		{"wget", net, "pages as files, with wget's options and exit codes"},
	}
}

// hosted reports whether the host performs a command. wb is there where a block
// may have been granted something; the others say what they miss.
func (k *kernel) hosted(name string) bool {
	return brokered[name] != nil && (k.dock != nil || name != dockCommand)
}

// webRequest is what the commands for the net ask for.
type webRequest struct {
	URL     string
	Method  string
	Headers map[string]string
	Body    []byte
	Follow  bool
}

// webReply is an answer.
type webReply struct {
	Status  int               `json:"status"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
	Text    *string           `json:"text"`
	Base64  string            `json:"base64"`
	body    []byte
}

// header is the value of a header, whatever the case of its name.
func (r *webReply) header(name string) string {
	for key, value := range r.Headers {
		if strings.EqualFold(key, name) {
			return value
		}
	}
	return ""
}

// head is status line and headers as HTTP/1.1 has them, sorted.
func (r *webReply) head() string {
	var b strings.Builder
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\n", r.Status, statusText(r.Status))
	names := make([]string, 0, len(r.Headers))
	for name := range r.Headers {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&b, "%s: %s\r\n", name, r.Headers[name])
	}
	return b.String() + "\r\n"
}

// refused is what the commands for the net say in a block that asked for nothing.
func refused(operation string, args ...string) error {
	op, _ := dock.Find(operation)
	data := make([][]byte, len(args))
	for i, a := range args {
		data[i] = []byte(a)
	}
	return dock.NotGranted(op, data)
}

// fetch makes a request through the dock.
func (p *process) fetch(r webRequest) (*webReply, error) {
	if p.k.dock == nil {
		return nil, refused("net.fetch", r.URL)
	}
	options := map[string]any{"method": r.Method, "headers": r.Headers, "follow": r.Follow}
	if len(r.Body) > 0 {
		options["base64"] = base64.StdEncoding.EncodeToString(r.Body)
	}
	text, err := json.Marshal(options)
	if err != nil {
		return nil, err
	}
	reply, err := p.k.dock.Call(p.k.ctx, "net.fetch", []byte(r.URL), text)
	if err != nil {
		return nil, err
	}
	w := &webReply{}
	if err := json.Unmarshal(reply.Body, w); err != nil {
		return nil, err
	}
	if w.Text != nil {
		w.body = []byte(*w.Text)
	} else if w.body, err = base64.StdEncoding.DecodeString(w.Base64); err != nil {
		return nil, err
	}
	return w, nil
}

// trouble is why a request failed, as the commands for the net tell it apart.
type trouble int

const (
	troubleOther trouble = iota
	troubleDenied
	troubleURL
	troubleResolve
	troubleTimeout
	troubleTLS
	troubleRedirects
	troubleSize
)

func troubleOf(err error) trouble {
	var e *dock.Error
	if !errors.As(err, &e) {
		return troubleOther
	}
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(e.Message, w) })
	}
	switch {
	case e.Code == dock.CodeDenied:
		return troubleDenied
	case has("is no URL", "is no request"):
		return troubleURL
	case has("no such host", "has no address", "lookup "):
		return troubleResolve
	case has("time limit"):
		return troubleTimeout
	case has("tls:", "x509:", "certificate"):
		return troubleTLS
	case e.Code == dock.CodeLimit && has("redirects"):
		return troubleRedirects
	case e.Code == dock.CodeLimit:
		return troubleSize
	}
	return troubleOther
}

// print writes to standard output; false says that nobody reads it any more.
func (p *process) print(data []byte) bool {
	if p.streams[1] == nil || len(data) == 0 {
		return true
	}
	_, err := p.streams[1].WriteContext(p.k.ctx, data)
	return err == nil
}

// save writes a file, named as the script sees it.
func (p *process) save(name string, data []byte) error {
	if p.absolute(name) == "/dev/null" {
		return nil // devices are not files of the tree
	}
	s, err := openFile(p.k.tree, treeName(p.absolute(name)), openWrite|openCreate|openTruncate)
	if err != nil {
		return err
	}
	defer s.drop()
	_, err = s.WriteContext(p.k.ctx, data)
	return err
}

// load reads a file, or standard input for "-".
func (p *process) load(name string, most int) ([]byte, error) {
	if name == "-" {
		return p.readInput(p.k.ctx, most)
	}
	s, err := openFile(p.k.tree, treeName(p.absolute(name)), openRead)
	if err != nil {
		return nil, err
	}
	defer s.drop()
	return io.ReadAll(io.LimitReader(contextReader{p.k.ctx, s}, int64(most)+1))
}

// absolute is a name seen from the process's directory.
func (p *process) absolute(name string) string {
	if path.IsAbs(name) {
		return name
	}
	return path.Join("/", p.dir, name)
}

// fileErr is why a file could not be used, as people read it.
func fileErr(err error) error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return e.Err
	}
	return err
}

// schemed puts the scheme in front of a URL that has none. What is public speaks
// https.
func schemed(url string) string {
	if strings.Contains(url, "://") {
		return url
	}
	return "https://" + url
}

// explain is an error and what to do about it.
func explain(err error) string { return strings.TrimSpace(err.Error() + " " + hintOf(err)) }
