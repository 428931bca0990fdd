package federate

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wb/org"
)

// Manifest is a toolkit's declaration of tables, plugin/manifest.org.
type Manifest struct {
	Path     string
	Toolkit  string   // the toolkit's directory name
	Entities []string // names that queries use
	Impl     string   // http, csv, tsv, json, ndjson, sqlite, parquet
	URL      string   // where the rows are; {entity} is the entity's name
	RowsPath string   // to the rows in JSON, "data.items"; the table of SQLite
	EnvKeys  []string // the first one that is set is sent as a bearer token
	Auth     string   // "bearer" (the default), "none" or "header NAME"
}

// ManifestError is a manifest that cannot be used.
type ManifestError struct {
	Path    string
	Line    int
	Message string
	Tip     string
}

func (e *ManifestError) Error() string { return fmt.Sprintf("%s:%d:1: %s", e.Path, e.Line, e.Message) }

// Hint says what to write instead.
func (e *ManifestError) Hint() string { return e.Tip }

// implementations are the values of #+IMPL:. The older name of the HTTP source
// is still understood.
var implementations = map[string]string{
	"http": "http", "workbooks.datasource.http": "http", "csv": "csv", "tsv": "tsv", "json": "json", "ndjson": "ndjson", "sqlite": "sqlite", "parquet": "parquet",
}

// ToolkitDirs are where toolkits are looked for: WB_TOOLKITS_ROOT, else
// toolkits in a directory or beside it.
func ToolkitDirs(dir string, getenv func(string) string) []string {
	if root := getenv("WB_TOOLKITS_ROOT"); root != "" {
		return []string{root}
	}
	return []string{filepath.Join(dir, "toolkits"), filepath.Join(dir, "..", "toolkits")}
}

// ReadManifests reads the data sources of all toolkits in the first of some
// directories that exists, in order of their names. Errors come with what could
// be read: one bad manifest does not hide the others.
func ReadManifests(dirs []string) (list []Manifest, errs []error) {
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			path := filepath.Join(dir, e.Name(), "plugin", "manifest.org")
			src, err := os.ReadFile(path)
			if isMissing(err) {
				continue
			}
			if err != nil {
				errs = append(errs, err)
				continue
			}
			m, ok, err := ParseManifest(path, src)
			if err != nil {
				errs = append(errs, err)
			} else if ok {
				m.Toolkit = e.Name()
				list = append(list, m)
			}
		}
		break
	}
	return list, errs
}

func isMissing(err error) bool {
	if err == nil {
		return false
	}
	info, ok := err.(*fs.PathError)
	return os.IsNotExist(err) || ok && strings.Contains(info.Err.Error(), "not a directory")
}

// ParseManifest reads a manifest; ok is false when it declares something else
// than tables.
func ParseManifest(path string, src []byte) (m Manifest, ok bool, err error) {
	doc := org.Parse(src)
	at := func(key string) int {
		for k := range doc.Keywords(key) {
			line, _ := doc.Position(k.Start())
			return line
		}
		return 1
	}
	get := func(key string) string {
		for k := range doc.Keywords(key) {
			return strings.TrimSpace(k.Value.Text)
		}
		return ""
	}
	fail := func(key, tip, format string, args ...any) (Manifest, bool, error) {
		return m, false, &ManifestError{path, at(key), fmt.Sprintf(format, args...), tip}
	}
	if get("SLOT") != "data-source" {
		return m, false, nil
	}
	m = Manifest{Path: path, URL: get("URL"), RowsPath: get("ROWS_PATH"), Auth: strings.ToLower(get("AUTH"))}
	m.Entities = strings.FieldsFunc(get("ENTITIES"), func(r rune) bool { return r == ' ' || r == ',' || r == '\t' })
	m.EnvKeys = strings.FieldsFunc(get("ENV_KEYS"), func(r rune) bool { return r == ' ' || r == ',' || r == '\t' })
	if len(m.Entities) == 0 {
		return fail("SLOT", "write #+ENTITIES: NAME", "the data source declares no entities")
	}
	for _, name := range m.Entities {
		if strings.ContainsAny(name, `/\"'()`) || strings.HasPrefix(name, ".") {
			return fail("ENTITIES", "use letters, digits, - and _", "%q is not a name for an entity", name)
		}
	}
	if m.URL == "" {
		return fail("SLOT", "write #+URL: https://… or a file beside the manifest", "the data source has no URL")
	}
	scheme, _, remote := strings.Cut(m.URL, "://")
	remote = remote && !strings.EqualFold(scheme, "file")
	impl := get("IMPL")
	switch {
	case impl != "":
		m.Impl = implementations[strings.ToLower(impl)]
		if m.Impl == "" {
			return fail("IMPL", "use one of http csv tsv json ndjson sqlite parquet", "unknown implementation %s", impl)
		}
	case remote:
		m.Impl = "http"
	default:
		m.Impl = formats[strings.ToLower(filepath.Ext(m.URL))]
		if m.Impl == "" {
			return fail("URL", "write #+IMPL: csv, tsv, json, ndjson, sqlite or parquet", "the format of %s is unknown", m.URL)
		}
	}
	if m.Impl == "http" != remote {
		return fail("URL", "", "implementation %s cannot read %s", m.Impl, m.URL)
	}
	name, isHeader := strings.CutPrefix(m.Auth, "header ")
	if m.Auth != "" && !slices.Contains([]string{"bearer", "none"}, m.Auth) && (!isHeader || strings.ContainsAny(name, " :\t")) {
		return fail("AUTH", "use bearer, none or header NAME", "unknown authentication %s", m.Auth)
	}
	return m, true, nil
}
