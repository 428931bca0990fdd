package store

import (
	"fmt"
	"testing"
)

// BenchmarkPut keeps values where there are as many as there may be.
func BenchmarkPut(b *testing.B) {
	s := Open(Config{Dir: b.TempDir()})
	defer s.Close()
	value := make([]byte, 100)
	fill, err := s.open(b.Context(), dockFile)
	if err != nil {
		b.Fatal(err)
	}
	for i := range DefaultLimits.Keys - 1 {
		if _, err := fill.Exec(`INSERT INTO kv VALUES('t', ?, ?)`, fmt.Sprintf("key-%06d", i), value); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		if err := s.Put(b.Context(), "t", "key", value); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkGet(b *testing.B) {
	s := Open(Config{Dir: b.TempDir()})
	defer s.Close()
	if err := s.Put(b.Context(), "t", "key", make([]byte, 100)); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, found, err := s.Get(b.Context(), "t", "key"); !found || err != nil {
			b.Fatal(err)
		}
	}
}
