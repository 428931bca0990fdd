package shell

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// The exit codes of http.
const (
	httpFailed   = 1
	httpUsage    = 2
	httpDenied   = 7
	httpRedirect = 3 // with --check-status, as the two below
	httpClient   = 4
	httpServer   = 5
)

// runHTTP is http [METHOD] URL [ITEM]…, where an item is
//
//	Name:value    a header
//	name==value   a parameter of the URL
//	name=value    a text of the JSON object that is sent, or of a form with --form
//	name:=json    any JSON
//
// It prints the body, with --headers the head instead, with --check-status it
// ends with 3, 4 or 5 where the status is 300, 400 or 500 and above.
func (p *process) runHTTP() int {
	var words []string
	var form, head, check bool
	r := webRequest{Headers: map[string]string{"User-Agent": "http/wb", "Accept": "application/json, */*;q=0.5"}}
	for _, word := range p.argv[1:] {
		switch word {
		case "-f", "--form":
			form = true
		case "-j", "--json", "-b", "--body":
		case "-h", "--headers":
			head = true
		case "-F", "--follow":
			r.Follow = true
		case "--check-status":
			check = true
		default:
			if strings.HasPrefix(word, "-") {
				p.complain("http: " + unknownFlag(word).Error())
				return httpUsage
			}
			words = append(words, word)
		}
	}
	if len(words) > 1 && slices.Contains([]string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}, strings.ToUpper(words[0])) {
		r.Method, words = strings.ToUpper(words[0]), words[1:]
	}
	if len(words) == 0 {
		p.complain("usage: http [METHOD] URL [Header:value] [param==value] [name=value] [name:=json]")
		return httpUsage
	}
	r.URL = schemed(words[0])
	if err := httpItems(&r, words[1:], form); err != nil {
		p.complain("http: " + err.Error())
		return httpUsage
	}
	reply, err := p.fetch(r)
	if err != nil {
		p.complain("http: " + explain(err))
		if troubleOf(err) == troubleDenied {
			return httpDenied
		}
		return httpFailed
	}
	out := reply.body
	if head {
		out = []byte(strings.ReplaceAll(reply.head(), "\r", ""))
	}
	if !p.print(out) {
		return 141
	}
	if check && reply.Status >= 300 {
		p.complain(fmt.Sprintf("http: warning: HTTP %d %s", reply.Status, statusText(reply.Status)))
		return min(reply.Status/100, httpServer)
	}
	return 0
}

// httpItems puts the items of a command line into a request.
func httpItems(r *webRequest, items []string, form bool) error {
	fields, object := url.Values{}, map[string]any{}
	query := url.Values{}
	for _, item := range items {
		at := strings.IndexAny(item, ":=")
		if at <= 0 {
			return fmt.Errorf("%q is not an item", item)
		}
		name, rest := item[:at], item[at:]
		switch {
		case strings.HasPrefix(rest, ":="):
			var v any
			if err := json.Unmarshal([]byte(rest[2:]), &v); err != nil {
				return fmt.Errorf("%q: %q is not JSON", item, rest[2:])
			}
			object[name] = v
			fields.Add(name, rest[2:])
		case strings.HasPrefix(rest, "=="):
			query.Add(name, rest[2:])
		case rest[0] == '=':
			object[name] = rest[1:]
			fields.Add(name, rest[1:])
		default:
			setHeader(r.Headers, name, rest[1:])
		}
	}
	if len(query) > 0 {
		join := "?"
		if strings.Contains(r.URL, "?") {
			join = "&"
		}
		r.URL += join + query.Encode()
	}
	kind := "application/json"
	switch {
	case len(object) == 0:
	case form:
		kind, r.Body = "application/x-www-form-urlencoded", []byte(fields.Encode())
	default:
		body, err := json.Marshal(object)
		if err != nil {
			return err
		}
		r.Body = body
	}
	if len(r.Body) > 0 && !hasHeader(r.Headers, "Content-Type") {
		setHeader(r.Headers, "Content-Type", kind)
	}
	if r.Method == "" {
		r.Method = "GET"
		if len(r.Body) > 0 {
			r.Method = "POST"
		}
	}
	return nil
}
