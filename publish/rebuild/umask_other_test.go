//go:build long && !unix

package rebuild_test

// umask does nothing: files have no mode here.
func umask(int) int { return 0 }
