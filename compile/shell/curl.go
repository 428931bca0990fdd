package shell

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"

	"wb/sandbox/dock"
)

// The exit codes of curl.
const (
	curlUsage     = 2
	curlURL       = 3
	curlResolve   = 6
	curlDenied    = 7 // which curl says where it may not connect
	curlHTTP      = 22
	curlWrite     = 23
	curlRead      = 26
	curlTimeout   = 28
	curlRedirects = 47
	curlReceive   = 56
	curlTLS       = 60
	curlSize      = 63
)

func statusText(status int) string { return http.StatusText(status) }

// curl is one run of the command.
type curl struct {
	p       *process
	urls    []string
	request webRequest
	data    [][]byte
	outputs []string // for each URL, "" for standard output

	silent, showError, fail, head, include, get, remote bool
	writeOut                                            string
}

// runCurl is curl as far as the net broker can be it: requests over HTTP(S).
// Exit codes are curl's; a request that is not granted ends with 7.
func (p *process) runCurl() int {
	c := &curl{p: p, request: webRequest{Headers: map[string]string{"User-Agent": "curl/wb", "Accept": "*/*"}}}
	if err := c.parse(p.argv[1:]); err != nil {
		p.complain("curl: " + err.Error())
		return curlUsage
	}
	if len(c.urls) == 0 {
		p.complain("curl: no URL specified")
		return curlUsage
	}
	code := 0
	for i, u := range c.urls {
		output := ""
		if i < len(c.outputs) {
			output = c.outputs[i]
		}
		if one := c.transfer(u, output); one != 0 {
			code = one
		}
	}
	return code
}

// curlFlags are the options there are, by their long names; those that take a
// value have a name for it.
var curlFlags = map[string]struct{ short, value string }{
	"silent": {"s", ""}, "show-error": {"S", ""}, "fail": {"f", ""}, "location": {"L", ""}, "head": {"I", ""}, "include": {"i", ""}, "get": {"G", ""},
	"remote-name": {"O", ""}, "compressed": {"", ""}, "globoff": {"g", ""}, "http1.1": {"", ""}, "no-progress-meter": {"", ""}, "verbose": {"v", ""},
	"output": {"o", "file"}, "request": {"X", "method"}, "header": {"H", "header"}, "data": {"d", "data"}, "data-raw": {"", "data"}, "data-binary": {"", "data"},
	"data-ascii": {"", "data"}, "data-urlencode": {"", "data"}, "json": {"", "data"}, "user": {"u", "user:password"}, "user-agent": {"A", "name"}, "referer": {"e", "URL"},
	"write-out": {"w", "format"}, "max-time": {"m", "seconds"}, "url": {"", "URL"},
}

func (c *curl) parse(words []string) error {
	long := func(short string) string {
		for name, f := range curlFlags {
			if f.short == short {
				return name
			}
		}
		return ""
	}
	for i := 0; i < len(words); i++ {
		word := words[i]
		take := func(name, inline string, has bool) error {
			if has {
				return c.set(name, inline)
			}
			if i++; i >= len(words) {
				return fmt.Errorf("option --%s: requires a parameter", name)
			}
			return c.set(name, words[i])
		}
		switch {
		case word == "--":
			c.urls = append(c.urls, words[i+1:]...)
			return nil
		case strings.HasPrefix(word, "--"):
			name := word[2:]
			f, ok := curlFlags[name]
			if !ok {
				return unknownFlag(word)
			}
			if f.value == "" {
				c.turn(name)
			} else if err := take(name, "", false); err != nil {
				return err
			}
		case len(word) > 1 && word[0] == '-':
			for at := 1; at < len(word); at++ {
				name := long(word[at : at+1])
				if name == "" {
					return unknownFlag("-" + word[at:at+1])
				}
				if curlFlags[name].value == "" {
					c.turn(name)
					continue
				}
				if err := take(name, word[at+1:], at+1 < len(word)); err != nil {
					return err
				}
				break
			}
		default:
			c.urls = append(c.urls, word)
		}
	}
	return nil
}

func unknownFlag(flag string) error {
	switch flag {
	case "-k", "--insecure":
		return fmt.Errorf("option %s: servers are always verified here", flag)
	case "-x", "--proxy":
		return fmt.Errorf("option %s: the host connects, and to the server itself", flag)
	}
	return fmt.Errorf("option %s: is unknown here", flag)
}

// turn sets an option without a value.
func (c *curl) turn(name string) {
	switch name {
	case "silent":
		c.silent = true
	case "show-error":
		c.showError = true
	case "fail":
		c.fail = true
	case "location":
		c.request.Follow = true
	case "head":
		c.head = true
	case "include":
		c.include = true
	case "get":
		c.get = true
	case "remote-name":
		c.remote = true
	}
}

// set sets an option with a value.
func (c *curl) set(name, value string) error {
	h := c.request.Headers
	switch name {
	case "output":
		c.outputs = append(c.outputs, value)
	case "request":
		c.request.Method = value
	case "url":
		c.urls = append(c.urls, value)
	case "user-agent":
		setHeader(h, "User-Agent", value)
	case "referer":
		setHeader(h, "Referer", value)
	case "write-out":
		c.writeOut = value
	case "user":
		setHeader(h, "Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(value)))
	case "max-time":
		if n, err := strconv.ParseFloat(value, 64); err != nil || n < 0 {
			return fmt.Errorf("option --max-time: expected a number, not %q", value)
		} // the broker's own time is shorter
	case "header":
		field, text, ok := strings.Cut(value, ":")
		if !ok {
			field, ok = strings.CutSuffix(value, ";")
			if !ok {
				return fmt.Errorf("option --header: %q is not a header", value)
			}
		}
		setHeader(h, strings.TrimSpace(field), strings.TrimSpace(text))
		if text == "" && strings.HasSuffix(value, ":") {
			deleteHeader(h, field)
		}
	default:
		return c.addData(name, value)
	}
	return nil
}

// addData adds to the body.
func (c *curl) addData(name, value string) error {
	var data []byte
	if file, ok := strings.CutPrefix(value, "@"); ok && name != "data-raw" && name != "data-urlencode" {
		var err error
		if data, err = c.p.load(file, dock.MaxInput); err != nil {
			return fmt.Errorf("option --%s: %s: %v", name, file, fileErr(err))
		}
		if name == "data" || name == "data-ascii" {
			data = []byte(strings.NewReplacer("\r", "", "\n", "").Replace(string(data)))
		}
	} else if name == "data-urlencode" {
		key, text, named := strings.Cut(value, "=")
		if !named {
			key, text = "", value
		}
		escaped := strings.ReplaceAll(url.QueryEscape(text), "+", "%20")
		if key != "" {
			escaped = key + "=" + escaped
		}
		data = []byte(escaped)
	} else {
		data = []byte(value)
	}
	kind := "application/x-www-form-urlencoded"
	if name == "json" {
		kind = "application/json"
		setHeader(c.request.Headers, "Accept", kind)
	}
	if !hasHeader(c.request.Headers, "Content-Type") || name == "json" {
		setHeader(c.request.Headers, "Content-Type", kind)
	}
	if name == "json" && len(c.data) > 0 {
		c.data[len(c.data)-1] = append(c.data[len(c.data)-1], data...)
		return nil
	}
	c.data = append(c.data, data)
	return nil
}

// transfer fetches one URL.
func (c *curl) transfer(u, output string) int {
	r := c.request
	r.URL, r.Method = schemed(u), strings.ToUpper(r.Method)
	var parts []string
	for _, d := range c.data {
		parts = append(parts, string(d))
	}
	body := strings.Join(parts, "&")
	switch {
	case c.get && body != "":
		join := "?"
		if strings.Contains(r.URL, "?") {
			join = "&"
		}
		r.URL += join + body
		deleteHeader(r.Headers, "Content-Type")
	case len(c.data) > 0:
		r.Body = []byte(body)
	}
	if r.Method == "" {
		switch {
		case c.head:
			r.Method = "HEAD"
		case len(c.data) > 0 && !c.get:
			r.Method = "POST"
		default:
			r.Method = "GET"
		}
	}
	reply, err := c.p.fetch(r)
	if err != nil {
		code := curlExit(err)
		c.report(code, explain(err))
		return code
	}
	code := 0
	if c.fail && reply.Status >= 400 {
		code = curlHTTP
		c.report(code, fmt.Sprintf("The requested URL returned error: %d", reply.Status))
	} else if wrote := c.deliver(reply, r.URL, output); wrote != 0 {
		return wrote
	}
	if c.writeOut != "" {
		c.p.print([]byte(c.expand(reply)))
	}
	return code
}

// deliver writes the answer where it was asked for.
func (c *curl) deliver(reply *webReply, u, output string) int {
	data := reply.body
	switch {
	case c.head:
		data = []byte(reply.head())
	case c.include:
		data = append([]byte(reply.head()), data...)
	}
	if output == "" && c.remote {
		parsed, err := url.Parse(u)
		if err != nil || path.Base(parsed.Path) == "/" || path.Base(parsed.Path) == "." {
			c.report(curlWrite, "Remote file name has no length")
			return curlWrite
		}
		output = path.Base(parsed.Path)
	}
	if output == "" || output == "-" {
		if !c.p.print(data) {
			return curlWrite
		}
		return 0
	}
	if err := c.p.save(output, data); err != nil {
		c.report(curlWrite, fmt.Sprintf("Failure writing output to %s: %v", output, fileErr(err)))
		return curlWrite
	}
	return 0
}

// expand writes the format of --write-out.
func (c *curl) expand(reply *webReply) string {
	kind := reply.header("Content-Type")
	return strings.NewReplacer("%{http_code}", strconv.Itoa(reply.Status), "%{response_code}", strconv.Itoa(reply.Status), "%{size_download}", strconv.Itoa(len(reply.body)),
		"%{url_effective}", reply.URL, "%{content_type}", kind, "%%", "%", `\n`, "\n", `\t`, "\t", `\r`, "\r").Replace(c.writeOut)
}

func (c *curl) report(code int, text string) {
	if !c.silent || c.showError {
		c.p.complain(fmt.Sprintf("curl: (%d) %s", code, text))
	}
}

func curlExit(err error) int {
	switch troubleOf(err) {
	case troubleDenied:
		return curlDenied
	case troubleURL:
		return curlURL
	case troubleResolve:
		return curlResolve
	case troubleTimeout:
		return curlTimeout
	case troubleTLS:
		return curlTLS
	case troubleRedirects:
		return curlRedirects
	case troubleSize:
		return curlSize
	}
	return curlReceive
}

func hasHeader(h map[string]string, name string) bool {
	for key := range h {
		if strings.EqualFold(key, name) {
			return true
		}
	}
	return false
}

func deleteHeader(h map[string]string, name string) {
	for key := range h {
		if strings.EqualFold(key, strings.TrimSpace(name)) {
			delete(h, key)
		}
	}
}

func setHeader(h map[string]string, name, value string) {
	deleteHeader(h, name)
	h[name] = value
}
