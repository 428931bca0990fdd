package dock

import (
	"net/url"
	"slices"
	"strings"
)

// Kind says what an operation answers with.
type Kind int

// The kinds of answer.
const (
	Nothing Kind = iota // it happened
	Bytes               // bytes, or none when there are none
	Text                // text, or none
	JSON                // a JSON value
)

// Param is a parameter of an operation.
type Param struct {
	Name string
	// Data parameters take any bytes, others take text. JSON ones take a value
	// that the guest's module writes as JSON.
	Data, JSON bool
	// Most is the largest size in bytes; 0 is 4 KiB.
	Most int
}

// Operation is one thing a guest may ask for.
type Operation struct {
	Module     string // the name under which guests find it: kv
	Name       string // and its name there: get
	Capability string // what must be granted; "" is always allowed
	Params     []Param
	Result     Kind
	Doc        string // one line
}

// waiting are the modules whose operations wait for something outside this
// process or for another program: a revocation ends them in the middle.
var waiting = []string{"net", "browse", "llm", "commands", "exec", "process", "build", "packages", "tcp", "udp", "tls", "serve", "tcpserve"}

// String is the operation's name in frames: kv.get.
func (o *Operation) String() string { return o.Module + "." + o.Name }

// Sizes that brokers promise.
const (
	MaxValue   = 1 << 20   // bytes of a kv value
	MaxMessage = 256 << 10 // bytes of a message in a queue
	MaxFile    = 16 << 20  // bytes of a file in a volume
	MaxReply   = 20 << 20  // bytes of any answer
	MaxInput   = 4 << 20   // bytes of a command's input
	MaxSource  = 256 << 10 // bytes of a program for build
	MaxSend    = 1 << 20   // bytes sent over a socket
	MaxAnswer  = 4 << 20   // bytes of an answer that a server gives
	maxText    = 4 << 10
)

// operations is the table, in the order of documentation.
var operations = []Operation{
	{"session", "info", "", nil, JSON, "what the host tells every guest: principal, run and the capabilities it holds"},

	{"kv", "get", "kv", []Param{{Name: "key"}}, Bytes, "the value of a key, none when it has none"},
	{"kv", "put", "kv", []Param{{Name: "key"}, {Name: "value", Data: true, Most: MaxValue}}, Nothing, "keeps a value under a key"},
	{"kv", "delete", "kv", []Param{{Name: "key"}}, Nothing, "forgets a key"},
	{"kv", "list", "kv", []Param{{Name: "prefix"}}, JSON, "the keys that begin so, sorted"},

	{"queue", "push", "queue", []Param{{Name: "queue"}, {Name: "message", Data: true, Most: MaxMessage}}, Nothing, "appends a message"},
	{"queue", "pop", "queue", []Param{{Name: "queue"}}, Bytes, "takes the oldest message, none when the queue is empty"},
	{"queue", "length", "queue", []Param{{Name: "queue"}}, JSON, "the number of messages that wait"},

	{"vfs", "read", "vfs", []Param{{Name: "path"}}, Bytes, "a file of a volume, none when there is none"},
	{"vfs", "write", "vfs", []Param{{Name: "path"}, {Name: "content", Data: true, Most: MaxFile}}, Nothing, "makes or replaces a file"},
	{"vfs", "remove", "vfs", []Param{{Name: "path"}}, Nothing, "removes a file"},
	{"vfs", "list", "vfs", []Param{{Name: "prefix"}}, JSON, "the paths that begin so, sorted"},
	{"vfs", "query", "vfs", []Param{{Name: "sql", Most: 64 << 10}}, JSON, "rows of a SELECT over vfs(volume, path, content, mtime)"},

	{"vars", "get", "vars", []Param{{Name: "name"}}, Text, "a variable of the user's, none when it is not set"},
	{"vars", "list", "vars", nil, JSON, "the names of the variables that may be read"},

	{"secrets", "sign", "secrets", []Param{{Name: "name"}, {Name: "data", Data: true, Most: MaxValue}}, Text, "signs data with a secret, in base64; no operation reads one"},
	{"secrets", "public", "secrets", []Param{{Name: "name"}}, Text, "the public half of a signing key, in base64"},

	{"commands", "run", "commands", []Param{{Name: "name"}, {Name: "input", Data: true, Most: MaxInput}, {Name: "args", JSON: true, Most: 64 << 10}}, Bytes, "what a registered command prints for an input"},
	{"commands", "many", "parallel", []Param{{Name: "name"}, {Name: "inputs", JSON: true, Most: MaxInput}, {Name: "args", JSON: true, Most: 64 << 10}}, JSON, "what it prints for each of many inputs: {output} or {error}"},

	{"exec", "run", "exec", []Param{{Name: "name"}, {Name: "input", Data: true, Most: MaxInput}, {Name: "args", JSON: true, Most: 64 << 10}}, Bytes, "the same as commands.run"},

	{"process", "spawn", "process", []Param{{Name: "name"}, {Name: "input", Data: true, Most: MaxInput}, {Name: "args", JSON: true, Most: 64 << 10}}, Text, "starts a registered command beside the program: its id"},
	{"process", "wait", "process", []Param{{Name: "id"}}, JSON, "waits for its end: {exit, output, errors}, none when it was waited for or killed"},
	{"process", "kill", "process", []Param{{Name: "id"}}, Nothing, "ends it and forgets it"},
	{"process", "list", "process", nil, JSON, "the ids of what was started and not waited for"},

	{"build", "run", "build", []Param{{Name: "language"}, {Name: "source", Data: true, Most: MaxSource}, {Name: "input", Data: true, Most: MaxInput}, {Name: "options", JSON: true, Most: 64 << 10}}, JSON, "compiles a program and runs it, with {args, uses}: {exit, output, errors}"},

	{"llm", "complete", "llm", []Param{{Name: "prompt", Most: 1 << 20}}, Text, "a model's answer"},

	{"net", "get", "net", []Param{{Name: "url", Most: 16 << 10}}, Bytes, "the body of a page; an HTTP status of 400 and above is an error"},
	{"net", "fetch", "net", []Param{{Name: "url", Most: 16 << 10}, {Name: "options", JSON: true, Most: 2 << 20}}, JSON, "a request with {method, headers, body or base64, follow}: {status, url, headers, text or base64}"},
	{"packages", "fetch", "net", []Param{{Name: "requirement"}, {Name: "options", JSON: true}}, JSON, "fetches the pure-Python wheel NAME==VERSION from {index} and pins it in wb.lock: {name, version, file, sha256}"},
	{"browse", "fetch", "browse", []Param{{Name: "url", Most: 16 << 10}}, Text, "a public page as readable text"},

	{"tcp", "request", "tcp", []Param{{Name: "address"}, {Name: "data", Data: true, Most: MaxSend}, {Name: "options", JSON: true}}, Bytes, "sends data to HOST:PORT and reads the reply, with {until, bytes, keepOpen, timeout}"},
	{"udp", "request", "udp", []Param{{Name: "address"}, {Name: "data", Data: true, Most: MaxSend}, {Name: "options", JSON: true}}, Bytes, "sends a datagram to HOST:PORT and reads the one that answers, with {timeout}"},
	{"tls", "request", "tls", []Param{{Name: "address"}, {Name: "data", Data: true, Most: MaxSend}, {Name: "options", JSON: true}}, Bytes, "the same as tcp.request over TLS, with a server that proves to be the host"},

	{"serve", "listen", "serve", []Param{{Name: "address"}, {Name: "options", JSON: true}}, JSON, "serves HTTP on a port of this machine, with {requests, seconds}: {address, url}"},
	{"serve", "next", "serve", nil, JSON, "the next request: {id, method, path, query, headers, text or base64}, none when serving is over"},
	{"serve", "reply", "serve", []Param{{Name: "id"}, {Name: "body", Data: true, Most: MaxAnswer}, {Name: "options", JSON: true, Most: 64 << 10}}, Nothing, "answers a request, with {status, headers}"},
	{"serve", "close", "serve", nil, Nothing, "stops serving"},
	{"tcpserve", "listen", "tcp-serve", []Param{{Name: "address"}, {Name: "options", JSON: true}}, JSON, "serves TCP on a port of this machine, with {requests, seconds, until}: {address}"},
	{"tcpserve", "next", "tcp-serve", nil, JSON, "what the next client sends: {id, text or base64}, none when serving is over"},
	{"tcpserve", "reply", "tcp-serve", []Param{{Name: "id"}, {Name: "body", Data: true, Most: MaxAnswer}}, Nothing, "answers a client and hangs up"},
	{"tcpserve", "close", "tcp-serve", nil, Nothing, "stops serving"},
}

// Operations lists the operations there are.
func Operations() []Operation { return slices.Clone(operations) }

// Capabilities lists the capabilities that operations need, sorted.
func Capabilities() []string {
	var names []string
	for _, o := range operations {
		if o.Capability != "" && !slices.Contains(names, o.Capability) {
			names = append(names, o.Capability)
		}
	}
	slices.Sort(names)
	return names
}

// Modules lists the modules in the order of the table.
func Modules() []string {
	var names []string
	for _, o := range operations {
		if !slices.Contains(names, o.Module) {
			names = append(names, o.Module)
		}
	}
	return names
}

// Find looks an operation up by its name in frames.
func Find(name string) (*Operation, bool) {
	i := slices.IndexFunc(operations, func(o Operation) bool { return o.String() == name })
	if i < 0 {
		return nil, false
	}
	return &operations[i], true
}

// most is the largest size of an argument.
func (p Param) most() int {
	if p.Most == 0 {
		return maxText
	}
	return p.Most
}

// Usage is the operation as a signature: kv.put(key, value).
func (o *Operation) Usage() string {
	names := make([]string, len(o.Params))
	for i, p := range o.Params {
		names[i] = p.Name
	}
	return o.String() + "(" + strings.Join(names, ", ") + ")"
}

// scope narrows a grant to where a call on the net leads, "" where that is no
// plain host.
func (o *Operation) scope(args [][]byte) string {
	if len(args) == 0 || len(args[0]) > 300 {
		return ""
	}
	text := string(args[0])
	switch o.Module {
	case "net", "browse":
		u, err := url.Parse(text)
		if err != nil || !plainHost(u.Host) {
			return ""
		}
		if u.Scheme == "http" && o.Module == "net" {
			return "http://" + u.Host
		}
		return u.Host
	case "tcp", "udp", "tls":
		if host, _, found := strings.Cut(text, ":"); found && host != "" && plainHost(text) {
			return text
		}
	}
	return ""
}

// plainHost reports whether a text is a host, perhaps with a port, that can stand
// in a command line.
func plainHost(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '.' || r == '-' || r == ':')
	})
}
