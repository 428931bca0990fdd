package golang

import "wb/compile"

// addModules makes the files of downloaded modules importable.
func (s *sources) addModules(src *compile.Source) error {
	if len(src.Deps) > 0 {
		return compile.Errorf(src.At(1, 1), "go modules are not fetched yet: %s", src.Deps[0])
	}
	return nil
}
