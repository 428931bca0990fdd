package fuel

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// TestSpec runs the WebAssembly specification's test suite twice, plain and
// instrumented, and demands that every command ends the same way. The suite
// is read from the wazero module in Go's module cache; it is not ours to copy.
func TestSpec(t *testing.T) {
	root := specDir(t)
	for _, suite := range []struct {
		dir      string
		features api.CoreFeatures
		commands int // at least this many must have been compared
	}{
		{"v2", api.CoreFeaturesV2, 50_000},
		{"tail-call", experimental.CoreFeaturesTailCall, 80},
		{"extended-const", experimental.CoreFeaturesExtendedConst, 80},
		{"exception-handling", experimental.CoreFeaturesExceptionHandling | experimental.CoreFeaturesTailCall, 50},
	} {
		t.Run(suite.dir, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(root, suite.dir, "testdata")
			scripts, _ := filepath.Glob(filepath.Join(dir, "*.json"))
			total := 0
			for _, script := range scripts {
				name := strings.TrimSuffix(filepath.Base(script), ".json")
				t.Run(name, func(t *testing.T) {
					total += runScript(t, root, script, api.CoreFeaturesV2|suite.features)
				})
			}
			if total < suite.commands {
				t.Errorf("compared %d commands of %d scripts, want at least %d", total, len(scripts), suite.commands)
			}
		})
	}
}

// specDir finds the suite in the module cache.
func specDir(t *testing.T) string {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/tetratelabs/wazero").Output()
	dir := filepath.Join(strings.TrimSpace(string(out)), "internal", "integration_test", "spectest")
	if _, statErr := os.Stat(dir); err != nil || statErr != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no specification tests: %v %v", err, statErr)
		}
		t.Skip("no specification tests in the module cache; get them with: go mod download github.com/tetratelabs/wazero")
	}
	return dir
}

// specCommand is one line of a script, as wast2json writes it.
type specCommand struct {
	Type       string
	Line       int
	Name       string
	As         string
	Filename   string
	ModuleType string `json:"module_type"`
	Action     struct {
		Type   string
		Module string
		Field  string
		Args   []specValue
	}
	Expected []specValue
}

type specValue struct {
	Type     string
	LaneType string `json:"lane_type"`
	Value    any
}

// world is a runtime that runs a script, plain or instrumented.
type world struct {
	runtime      wazero.Runtime
	instrumented bool
	options      Options
	byName       map[string]api.Module
	last         api.Module
}

func newWorld(t *testing.T, ctx context.Context, root string, features api.CoreFeatures, instrumented bool) *world {
	w := &world{
		runtime:      wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigCompiler().WithCoreFeatures(features)),
		instrumented: instrumented,
		options:      Options{Exceptions: features&experimental.CoreFeaturesExceptionHandling != 0},
		byName:       map[string]api.Module{},
	}
	t.Cleanup(func() { w.runtime.Close(ctx) })
	wasm, err := os.ReadFile(filepath.Join(root, "testdata", "spectest.wasm"))
	if err == nil {
		_, err = w.runtime.InstantiateWithConfig(ctx, wasm, wazero.NewModuleConfig().WithName("spectest"))
	}
	if err == nil {
		_, err = w.runtime.NewHostModuleBuilder(ImportModule).NewFunctionBuilder().
			WithFunc(func(left int32) int32 { return 7 }). // refill often
			Export(ImportYield).Instantiate(ctx)
	}
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) instantiate(ctx context.Context, wasm []byte, name string) (api.Module, error) {
	if w.instrumented {
		var err error
		if wasm, _, err = Instrument(wasm, w.options); err != nil {
			return nil, err
		}
	}
	return w.runtime.InstantiateWithConfig(ctx, wasm, wazero.NewModuleConfig().WithName(name).WithStartFunctions())
}

// act performs an action and returns its results.
func (w *world) act(ctx context.Context, c *specCommand) ([]uint64, error) {
	m := w.last
	if c.Action.Module != "" {
		m = w.byName[c.Action.Module]
	}
	if c.Action.Type == "get" {
		g := m.ExportedGlobal(c.Action.Field)
		return []uint64{g.Get()}, nil
	}
	var args []uint64
	for _, a := range c.Action.Args {
		args = append(args, a.bits()...)
	}
	return m.ExportedFunction(c.Action.Field).Call(ctx, args...)
}

// bits encodes an argument as wazero takes it.
func (v specValue) bits() []uint64 {
	if v.Type == "v128" {
		width, _ := strconv.Atoi(v.LaneType[1:])
		var halves [2]uint64
		for i, lane := range v.Value.([]any) {
			bit := i * width
			halves[bit/64] |= parseBits(lane.(string), width) << (bit % 64)
		}
		return halves[:]
	}
	s, _ := v.Value.(string)
	switch v.Type {
	case "externref", "funcref", "exnref":
		if s == "null" || s == "" {
			return []uint64{0}
		}
		return []uint64{parseBits(s, 64) + 1}
	case "i32", "f32":
		return []uint64{parseBits(s, 32)}
	}
	return []uint64{parseBits(s, 64)}
}

func parseBits(s string, width int) uint64 {
	if strings.HasPrefix(s, "nan") {
		if width == 32 {
			return 0x7fc00000
		}
		return 0x7ff8000000000000
	}
	if n, err := strconv.ParseUint(s, 10, 64); err == nil {
		return n
	}
	n, _ := strconv.ParseInt(s, 10, 64)
	return uint64(n) & (1<<width - 1)
}

// runScript runs a script in both worlds and returns how many commands were
// compared.
func runScript(t *testing.T, root, script string, features api.CoreFeatures) int {
	ctx := t.Context()
	data, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Commands []specCommand }
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	plain := newWorld(t, ctx, root, features, false)
	metered := newWorld(t, ctx, root, features, true)
	compared := 0
	for i := range file.Commands {
		c := &file.Commands[i]
		at := fmt.Sprintf("line %d %s", c.Line, c.Type)
		switch c.Type {
		case "register":
			continue
		case "module":
			wasm := readWasm(t, script, c)
			name := registeredName(file.Commands[i:])
			for _, w := range []*world{plain, metered} {
				m, err := w.instantiate(ctx, wasm, name)
				if err != nil && (!w.instrumented || strings.Contains(err.Error(), "not supported")) {
					// Uses a feature that we have switched off or refuse.
					t.Logf("%s: rest skipped: %v", at, err)
					return compared
				}
				if err != nil {
					t.Fatalf("%s (instrumented: %v): %v", at, w.instrumented, err)
				}
				w.last = m
				if c.Name != "" {
					w.byName[c.Name] = m
				}
			}
		case "assert_invalid", "assert_malformed", "assert_unlinkable", "assert_uninstantiable":
			if c.ModuleType == "text" {
				continue
			}
			wasm := readWasm(t, script, c)
			_, err1 := plain.instantiate(ctx, wasm, "")
			_, err2 := metered.instantiate(ctx, wasm, "")
			if (err1 == nil) != (err2 == nil) {
				t.Errorf("%s: plain: %v, metered: %v", at, err1, err2)
			}
		case "assert_exhaustion":
			if testing.Short() {
				continue
			}
			fallthrough
		case "action", "assert_return", "assert_trap", "assert_exception":
			got1, err1 := plain.act(ctx, c)
			got2, err2 := metered.act(ctx, c)
			if trapOf(err1) != trapOf(err2) {
				t.Errorf("%s %s: plain: %v, metered: %v", at, c.Action.Field, err1, err2)
			}
			if err1 == nil && !sameValues(c.Expected, got1, got2) {
				t.Errorf("%s %s: plain: %x, metered: %x", at, c.Action.Field, got1, got2)
			}
		default:
			t.Fatalf("%s: unknown command", at)
		}
		compared++
	}
	return compared
}

func readWasm(t *testing.T, script string, c *specCommand) []byte {
	wasm, err := os.ReadFile(filepath.Join(filepath.Dir(script), c.Filename))
	if err != nil {
		t.Fatal(err)
	}
	return wasm
}

// registeredName is the name a module is registered under right after it, or
// later by its own name; wazero wants to know at instantiation.
func registeredName(commands []specCommand) string {
	for i, c := range commands[1:] {
		if c.Type == "register" && (i == 0 && c.Name == "" || c.Name != "" && c.Name == commands[0].Name) {
			return c.As
		}
	}
	return ""
}

// trapOf is the reason of an error without its stack trace.
func trapOf(err error) string {
	if err == nil {
		return ""
	}
	reason, _, _ := strings.Cut(err.Error(), "\n")
	return reason
}

// sameValues compares results bit by bit, but lets NaNs have any payload, as
// the specification does, and functions any address.
func sameValues(types []specValue, a, b []uint64) bool {
	if len(a) != len(b) {
		return false
	}
	i := 0
	for _, t := range types {
		switch {
		case t.Type == "v128":
			if (a[i] != b[i] || a[i+1] != b[i+1]) && !strings.Contains(fmt.Sprint(t.Value), "nan") {
				return false
			}
			i++
		case t.Type == "funcref":
			if (a[i] == 0) != (b[i] == 0) {
				return false
			}
		case t.Type == "f32" && isNaN32(a[i]) && isNaN32(b[i]), t.Type == "f64" && isNaN64(a[i]) && isNaN64(b[i]):
		case a[i] != b[i]:
			return false
		}
		i++
	}
	return true
}

func isNaN32(v uint64) bool { return math.IsNaN(float64(math.Float32frombits(uint32(v)))) }
func isNaN64(v uint64) bool { return math.IsNaN(math.Float64frombits(v)) }
