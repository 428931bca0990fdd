package compile

import (
	"strings"
	"testing"
)

// A cache over another finds what that has, and leaves it as it is.
func TestCacheOver(t *testing.T) {
	open := func() *Cache {
		c, err := OpenCache(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	shared, own := open(), open()
	key := func(c string) string { return strings.Repeat(c, 64) }
	if err := shared.Put(key("a"), &Artifact{Lane: "js", Script: "theirs"}); err != nil {
		t.Fatal(err)
	}
	over := own.Over(shared)
	if art, ok, err := over.Get(key("a")); err != nil || !ok || art.Script != "theirs" {
		t.Errorf("got %+v, %v, %v", art, ok, err)
	}
	if err := over.Put(key("b"), &Artifact{Lane: "js", Script: "mine"}); err != nil {
		t.Fatal(err)
	}
	if _, ok, _ := shared.Get(key("b")); ok {
		t.Error("it was written into the shared cache")
	}
	if _, ok, _ := own.Get(key("b")); !ok {
		t.Error("it was not written into its own")
	}
}
