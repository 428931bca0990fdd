package fuel

import (
	"slices"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// The portable form burns units at the same places, hands over its memory and
// says when that grows.
func TestPortable(t *testing.T) {
	rt := wazero.NewRuntimeWithConfig(t.Context(), wazero.NewRuntimeConfigInterpreter().WithCoreFeatures(api.CoreFeaturesV2|experimental.CoreFeaturesTailCall|experimental.CoreFeaturesExtendedConst))
	defer rt.Close(t.Context())
	for name, wasm := range guests(t) {
		_, plain, err := Instrument(wasm, Options{})
		if err != nil {
			t.Fatal(err)
		}
		out, info, err := Instrument(wasm, Options{Portable: true})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if info.Sites != plain.Sites || !slices.Equal(info.Globals, plain.Globals) {
			t.Errorf("%s: %d sites, %d without", name, info.Sites, plain.Sites)
		}
		m, err := rt.CompileModule(t.Context(), out)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var imports []string
		for _, f := range m.ImportedFunctions() {
			if module, name, _ := f.Import(); module == ImportModule {
				imports = append(imports, name)
			}
		}
		if !slices.Equal(imports, []string{ImportYield, ImportGrown}) {
			t.Errorf("%s imports %v", name, imports)
		}
		if _, exported := m.ExportedMemories()[ExportMemory]; exported != (info.Memory != nil) {
			t.Errorf("%s: its memory is exported: %v", name, exported)
		}
	}
}
