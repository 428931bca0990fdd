package broker

import (
	"cmp"
	"context"
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"strings"

	"wb/internal/lazyregexp"
	"wb/internal/sha"
	"wb/sandbox/dock"
	"wb/sandbox/netbroker"
)

// Wheel is a package of pure Python.
type Wheel struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	File    string `json:"file"`
	SHA256  string `json:"sha256"` // hex
}

// PackageConfig says where packages come from and where they go.
type PackageConfig struct {
	// Index is the user's own index of Python packages, a URL; "" has none, so
	// that each request names one.
	Index string
	// Keep pins a wheel beside the workbook and keeps its content. It refuses one
	// that is pinned with another digest.
	Keep func(ctx context.Context, call *dock.Call, w Wheel, content []byte) error
}

var (
	requirement = lazyregexp.New(`^([A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?)==([A-Za-z0-9][A-Za-z0-9.!+_-]{0,98})$`)
	separators  = lazyregexp.New(`[-_.]+`)
	anchor      = lazyregexp.New(`(?is)<a\b[^>]*\bhref\s*=\s*["']([^"']*)["'][^>]*>(.*?)</a>`)
	digestHex   = lazyregexp.New(`^[0-9a-f]{64}$`)
)

// Packages fetches wheels through the net broker: the index and the files' host
// must both be granted.
func Packages(web *netbroker.Broker, config PackageConfig) dock.Broker {
	return operations{
		"fetch": func(ctx context.Context, call *dock.Call) (dock.Reply, error) {
			w, content, err := fetchWheel(ctx, call, web, config)
			if err != nil {
				return dock.Reply{}, err
			}
			if err := config.Keep(ctx, call, w, content); err != nil {
				return dock.Reply{}, err
			}
			return answer(call, w, nil)
		},
	}
}

func fetchWheel(ctx context.Context, call *dock.Call, web *netbroker.Broker, config PackageConfig) (Wheel, []byte, error) {
	m := requirement.FindStringSubmatch(call.Text(0))
	if m == nil {
		return Wheel{}, nil, dock.Errorf(dock.CodeInvalid, "packages.fetch: %.80q is not NAME==VERSION", call.Text(0))
	}
	w := Wheel{Name: strings.ToLower(separators.ReplaceAllString(m[1], "-")), Version: m[2]}
	var options struct {
		Index string `json:"index"`
	}
	if err := optionsOf(call, 1, &options, "{index}"); err != nil {
		return w, nil, err
	}
	index := cmp.Or(options.Index, config.Index)
	if index == "" {
		return w, nil, &dock.Error{Code: dock.CodeInvalid, Message: "packages.fetch: no package index is configured", Help: "name one with --index URL, or set WB_PYTHON_INDEX"}
	}
	page, err := web.Get(ctx, strings.TrimSuffix(index, "/")+"/"+w.Name+"/", http.Header{"Accept": {simpleJSON + ", text/html;q=0.5"}})
	if err != nil {
		return w, nil, webError(err)
	}
	if page.Status != http.StatusOK {
		return w, nil, dock.Errorf(dock.CodeNotFound, "packages.fetch: the index has no package %s (HTTP %d)", w.Name, page.Status)
	}
	file, err := chooseWheel(page, w)
	if err != nil {
		return w, nil, err
	}
	content, err := web.Get(ctx, file.URL, nil)
	if err != nil {
		return w, nil, webError(err)
	}
	if content.Status != http.StatusOK {
		return w, nil, dock.Errorf(dock.CodeFailed, "packages.fetch: %s: HTTP %d", file.Name, content.Status)
	}
	w.File, w.SHA256 = file.Name, sha.Hex(content.Body)
	if file.SHA256 != "" && file.SHA256 != w.SHA256 {
		return w, nil, dock.Errorf(dock.CodeFailed, "packages.fetch: %s has the digest %s, the index says %s", file.Name, w.SHA256, file.SHA256)
	}
	return w, content.Body, nil
}

// simpleJSON is the media type of indexes that answer with JSON (PEP 691).
const simpleJSON = "application/vnd.pypi.simple.v1+json"

// indexed is a file of an index.
type indexed struct{ Name, URL, SHA256 string }

// chooseWheel finds the wheel of a version that needs nothing but Python.
func chooseWheel(page *netbroker.Reply, w Wheel) (indexed, error) {
	files, err := filesOf(page)
	if err != nil {
		return indexed{}, err
	}
	others := 0
	for _, f := range files {
		parts := strings.Split(strings.TrimSuffix(f.Name, ".whl"), "-")
		named := len(parts) >= 2 && strings.EqualFold(separators.ReplaceAllString(parts[0], "-"), w.Name) && parts[1] == w.Version
		switch n := len(parts); {
		case !named:
			if strings.HasPrefix(separators.ReplaceAllString(strings.ToLower(f.Name), "-"), w.Name+"-"+strings.ReplaceAll(w.Version, ".", "-")) {
				others++ // a source archive
			}
		case !strings.HasSuffix(f.Name, ".whl") || n < 5 || n > 6:
			others++
		case parts[n-1] == "any" && parts[n-2] == "none" && strings.Contains("."+parts[n-3]+".", ".py3."):
			return f, nil
		default:
			others++
		}
	}
	if others > 0 {
		return indexed{}, dock.Errorf(dock.CodeNotFound, "packages.fetch: %s %s has no wheel of pure Python; others cannot run here", w.Name, w.Version)
	}
	return indexed{}, dock.Errorf(dock.CodeNotFound, "packages.fetch: the index has no version %s of %s", w.Version, w.Name)
}

// filesOf reads a page of an index, in JSON or HTML (PEP 503).
func filesOf(page *netbroker.Reply) ([]indexed, error) {
	base, err := url.Parse(page.URL)
	if err != nil {
		return nil, dock.Errorf(dock.CodeFailed, "packages.fetch: the index has no valid URL")
	}
	var files []indexed
	add := func(name, link, digest string) {
		u, err := base.Parse(link)
		if err != nil || name == "" || strings.ContainsAny(name, "/\\") {
			return
		}
		if digest == "" {
			digest, _ = strings.CutPrefix(u.Fragment, "sha256=")
		}
		if u.Fragment = ""; !digestHex.MatchString(digest) {
			digest = ""
		}
		files = append(files, indexed{name, u.String(), digest})
	}
	if kind := page.Header.Get("Content-Type"); strings.HasPrefix(kind, simpleJSON) || strings.HasPrefix(kind, "application/json") {
		var listed struct {
			Files []struct {
				Filename string
				URL      string
				Hashes   map[string]string
			}
		}
		if err := json.Unmarshal(page.Body, &listed); err != nil {
			return nil, dock.Errorf(dock.CodeFailed, "packages.fetch: the index's answer is not JSON")
		}
		for _, f := range listed.Files {
			add(f.Filename, f.URL, f.Hashes["sha256"])
		}
		return files, nil
	}
	for _, m := range anchor.FindAllStringSubmatch(string(page.Body), -1) {
		add(strings.TrimSpace(html.UnescapeString(m[2])), html.UnescapeString(m[1]), "")
	}
	return files, nil
}
