package toolchain

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// mirror is one package archive of an apt configuration.
type mirror struct {
	uri        string
	suites     []string
	components []string
	// options are the fields that say how the archive is trusted and reached,
	// by deb822 name: "Signed-By", "Trusted".
	options [][2]string
}

// readMirrors reads an apt sources file: deb822 stanzas in *.sources, lines
// that begin with deb or deb-src elsewhere (sources.list(5)).
func readMirrors(file, text string) []mirror {
	if path.Ext(file) == ".sources" {
		return readStanzas(text)
	}
	var all []mirror
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		if m, ok := readLine(line); ok {
			all = append(all, m)
		}
	}
	return all
}

// readLine reads "deb [signed-by=FILE] URI SUITE COMPONENT…".
func readLine(line string) (mirror, bool) {
	kind, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	if kind != "deb" && kind != "deb-src" {
		return mirror{}, false
	}
	var m mirror
	rest = strings.TrimSpace(rest)
	if strings.HasPrefix(rest, "[") {
		options, after, _ := strings.Cut(rest[1:], "]")
		rest = after
		for _, option := range strings.Fields(options) {
			key, value, _ := strings.Cut(option, "=")
			m.option(key, strings.ReplaceAll(value, ",", " "))
		}
	}
	words := strings.Fields(rest)
	if len(words) < 3 {
		return mirror{}, false
	}
	m.uri, m.suites, m.components = words[0], words[1:2], words[2:]
	return m, true
}

// readStanzas reads paragraphs of "Field: value" with continuation lines.
func readStanzas(text string) []mirror {
	var all []mirror
	for _, stanza := range strings.Split("\n"+strings.ReplaceAll(text, "\r", ""), "\n\n") {
		fields, last := map[string]string{}, ""
		var order []string
		for line := range strings.Lines(stanza) {
			line = strings.TrimRight(line, "\n ")
			name, value, ok := strings.Cut(line, ":")
			switch {
			case strings.HasPrefix(line, "#") || line == "":
			case strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t"):
				fields[last] += "\n" + line
			case ok:
				last = strings.ToLower(name)
				fields[last] = strings.TrimSpace(value)
				order = append(order, last)
			}
		}
		enabled := strings.ToLower(fields["enabled"])
		if !slices.Contains(strings.Fields(fields["types"]), "deb") && !slices.Contains(strings.Fields(fields["types"]), "deb-src") || enabled == "no" || enabled == "false" {
			continue
		}
		for _, uri := range strings.Fields(fields["uris"]) {
			m := mirror{uri: uri, suites: strings.Fields(fields["suites"]), components: strings.Fields(fields["components"])}
			for _, name := range order {
				m.option(name, fields[name])
			}
			all = append(all, m)
		}
	}
	return all
}

// option keeps a field that says how to trust or reach an archive; which
// suites, architectures and index files it is used for is not kept.
func (m *mirror) option(name, value string) {
	switch strings.ToLower(name) {
	case "signed-by", "trusted", "allow-insecure", "allow-weak", "allow-downgrade-to-insecure", "check-valid-until", "check-date", "inrelease-path":
		m.options = append(m.options, [2]string{name, value})
	}
}

// mainMirrors are the mirrors that may hold a whole release: they have a
// component main, and are not one of the archives beside a release.
func mainMirrors(all []mirror) []mirror {
	var kept []mirror
	for _, m := range all {
		beside := func(suite string) bool {
			return strings.HasSuffix(suite, "-security") || strings.HasSuffix(suite, "/updates") || strings.HasSuffix(suite, "/")
		}
		if !slices.Contains(m.components, "main") || !slices.ContainsFunc(m.suites, func(s string) bool { return !beside(s) }) ||
			slices.ContainsFunc(kept, func(k mirror) bool { return k.uri == m.uri }) {
			continue
		}
		kept = append(kept, m)
	}
	return kept
}

// sources is the deb822 stanza that asks the mirror for the source code of a
// suite, or for its packages.
func (m mirror) sources(suite string, binary bool) string {
	types := "deb-src"
	if binary {
		types = "deb"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Types: %s\nURIs: %s\nSuites: %s\nComponents: main\n", types, m.uri, suite)
	for _, o := range m.options {
		fmt.Fprintf(&b, "%s: %s\n", o[0], o[1])
	}
	return b.String()
}
