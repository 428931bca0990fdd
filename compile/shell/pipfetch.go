package shell

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"wb/sandbox/dock"
)

// runPipFetch is pip-fetch NAME==VERSION…: wheels of pure Python, pinned by their
// digests in wb.lock beside the workbook, for Python blocks that ask for them with
// :deps NAME==VERSION. The index is the user's own or the one that --index names.
func (p *process) runPipFetch() int {
	var wanted []string
	options := map[string]string{}
	for words := p.argv[1:]; len(words) > 0; words = words[1:] {
		name, value, inline := strings.Cut(words[0], "=")
		switch {
		case name == "-i" || name == "--index" || name == "--index-url":
			if !inline {
				if words = words[1:]; len(words) == 0 {
					p.complain("pip-fetch: " + name + " names a URL")
					return dockUsage
				}
				value = words[0]
			}
			options["index"] = value
		case name == "-r":
			if words = words[1:]; len(words) == 0 {
				p.complain("pip-fetch: -r names a file")
				return dockUsage
			}
			text, err := p.load(words[0], dock.MaxInput)
			if err != nil {
				p.complain(fmt.Sprintf("pip-fetch: %s: %v", words[0], fileErr(err)))
				return dockUsage
			}
			for line := range strings.Lines(string(text)) {
				line, _, _ = strings.Cut(line, "#")
				if line = strings.TrimSpace(line); line != "" {
					wanted = append(wanted, strings.ReplaceAll(line, " ", ""))
				}
			}
		case strings.HasPrefix(words[0], "-"):
			p.complain("pip-fetch: option " + words[0] + " is unknown here")
			return dockUsage
		default:
			wanted = append(wanted, words[0])
		}
	}
	if len(wanted) == 0 {
		p.complain("usage: pip-fetch [--index URL] [-r FILE] NAME==VERSION…")
		return dockUsage
	}
	text, _ := json.Marshal(options) // of strings
	code := 0
	for _, spec := range wanted {
		line, err := p.fetchPackage(spec, text)
		if err != nil {
			p.complain("pip-fetch: " + explain(err))
			code = dockExit(err)
			continue
		}
		if !p.print([]byte(line)) {
			return 141
		}
	}
	return code
}

// fetchPackage fetches one wheel and says what it is.
func (p *process) fetchPackage(spec string, options []byte) (string, error) {
	if p.k.dock == nil {
		return "", refused("packages.fetch", spec)
	}
	reply, err := p.k.dock.Call(p.k.ctx, "packages.fetch", []byte(spec), options)
	if err != nil {
		return "", err
	}
	var w struct{ Name, Version, File, SHA256 string }
	if err := json.Unmarshal(reply.Body, &w); err != nil {
		return "", errors.New("the host gave no answer")
	}
	return fmt.Sprintf("%s==%s %s sha256:%s\n", w.Name, w.Version, w.File, w.SHA256), nil
}
