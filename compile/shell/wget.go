package shell

import (
	"fmt"
	"net/url"
	"path"
	"strings"

	"wb/sandbox/dock"
)

// The exit codes of wget, and 7 where the net is not granted.
const (
	wgetUsage   = 2
	wgetFile    = 3
	wgetNetwork = 4
	wgetTLS     = 5
	wgetDenied  = 7
	wgetServer  = 8
)

// wget is one run of the command.
type wget struct {
	p             *process
	urls          []string
	request       webRequest
	output, dir   string
	quiet, spider bool
	showHead      bool
}

// runWget is wget as far as the net broker can be it.
func (p *process) runWget() int {
	w := &wget{p: p, request: webRequest{Method: "GET", Follow: true, Headers: map[string]string{"User-Agent": "Wget/wb"}}}
	if err := w.parse(p.argv[1:]); err != nil {
		p.complain("wget: " + err.Error())
		return wgetUsage
	}
	if len(w.urls) == 0 {
		p.complain("wget: missing URL")
		return wgetUsage
	}
	code := 0
	var joined []byte
	for _, u := range w.urls {
		reply, one := w.fetch(schemed(u))
		if one != 0 {
			code = one
			continue
		}
		if w.spider {
			continue
		}
		if w.output != "" {
			joined = append(joined, reply.body...)
			continue
		}
		if one := w.keep(w.fileOf(schemed(u)), reply.body); one != 0 {
			code = one
		}
	}
	if w.output != "" && !w.spider && (code == 0 || len(joined) > 0) {
		if w.output == "-" {
			if !p.print(joined) {
				return wgetFile
			}
		} else if one := w.keep(w.output, joined); one != 0 {
			return one
		}
	}
	return code
}

func (w *wget) parse(words []string) error {
	for i := 0; i < len(words); i++ {
		name, value, inline := strings.Cut(words[i], "=")
		if !strings.HasPrefix(words[i], "--") {
			name, value, inline = words[i], "", false
			if len(name) > 2 && name[0] == '-' && strings.ContainsRune("OPTU", rune(name[1])) {
				name, value, inline = name[:2], name[2:], true
			}
		}
		take := func() (string, error) {
			if inline {
				return value, nil
			}
			if i++; i >= len(words) {
				return "", fmt.Errorf("option %s requires an argument", name)
			}
			return words[i], nil
		}
		var err error
		switch name {
		case "-q", "--quiet", "-qO-":
			w.quiet = true
			if name == "-qO-" {
				w.output = "-"
			}
		case "-qO":
			w.quiet = true
			w.output, err = take()
		case "-nv", "--no-verbose", "-nc", "-c", "--continue", "--no-check-certificate":
			if name == "--no-check-certificate" {
				return fmt.Errorf("option %s: servers are always verified here", name)
			}
		case "-S", "--server-response":
			w.showHead = true
		case "--spider":
			w.spider, w.request.Method = true, "HEAD"
		case "-O", "--output-document":
			w.output, err = take()
		case "-P", "--directory-prefix":
			w.dir, err = take()
		case "-T", "--timeout", "-t", "--tries":
			_, err = take() // the broker's own bounds are smaller
		case "-U", "--user-agent":
			if value, err = take(); err == nil {
				setHeader(w.request.Headers, "User-Agent", value)
			}
		case "--header":
			if value, err = take(); err == nil {
				key, text, ok := strings.Cut(value, ":")
				if !ok {
					return fmt.Errorf("%q is not a header", value)
				}
				setHeader(w.request.Headers, strings.TrimSpace(key), strings.TrimSpace(text))
			}
		case "--method":
			if value, err = take(); err == nil {
				w.request.Method = strings.ToUpper(value)
			}
		case "--post-data", "--body-data", "--post-file", "--body-file":
			if value, err = take(); err != nil {
				return err
			}
			if strings.HasPrefix(name, "--post") {
				w.request.Method = "POST"
				setHeader(w.request.Headers, "Content-Type", "application/x-www-form-urlencoded")
			}
			w.request.Body = []byte(value)
			if strings.HasSuffix(name, "-file") {
				if w.request.Body, err = w.p.load(value, dock.MaxInput); err != nil {
					return fmt.Errorf("%s: %v", value, fileErr(err))
				}
			}
		default:
			if len(name) > 1 && name[0] == '-' {
				return fmt.Errorf("option %s is unknown here", name)
			}
			w.urls = append(w.urls, words[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// fetch gets one URL.
func (w *wget) fetch(u string) (*webReply, int) {
	r := w.request
	r.URL = u
	reply, err := w.p.fetch(r)
	if err != nil {
		w.say("wget: " + explain(err))
		switch troubleOf(err) {
		case troubleDenied:
			return nil, wgetDenied
		case troubleTLS:
			return nil, wgetTLS
		case troubleURL:
			return nil, wgetUsage
		}
		return nil, wgetNetwork
	}
	if w.showHead {
		w.p.complain(strings.ReplaceAll(strings.TrimSpace(reply.head()), "\r", ""))
	}
	if reply.Status >= 400 {
		w.say(fmt.Sprintf("wget: %s: ERROR %d: %s.", u, reply.Status, statusText(reply.Status)))
		return nil, wgetServer
	}
	return reply, 0
}

// fileOf is the name under which wget keeps a URL.
func (w *wget) fileOf(u string) string {
	name := "index.html"
	if parsed, err := url.Parse(u); err == nil {
		if base := path.Base(parsed.Path); base != "/" && base != "." && !strings.HasSuffix(parsed.Path, "/") {
			name = base
		}
		if parsed.RawQuery != "" {
			name += "?" + strings.ReplaceAll(parsed.RawQuery, "/", "%2F")
		}
	}
	return path.Join(w.dir, name)
}

func (w *wget) keep(name string, data []byte) int {
	if err := w.p.save(name, data); err != nil {
		w.say(fmt.Sprintf("wget: %s: %v", name, fileErr(err)))
		return wgetFile
	}
	w.say(fmt.Sprintf("%q saved [%d]", name, len(data)))
	return 0
}

func (w *wget) say(text string) {
	if !w.quiet {
		w.p.complain(text)
	}
}
