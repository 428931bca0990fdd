package tangle

import (
	"fmt"
	"os"
	"strconv"
	"testing"
)

func TestZZ(t *testing.T) {
	n, _ := strconv.Atoi(os.Getenv("SEED"))
	text := generate(int64(n))
	if f := os.Getenv("DOC"); f != "" {
		b, _ := os.ReadFile(f)
		text = string(b)
	}
	m, err := tangleHere(t, text)
	for k, v := range m {
		fmt.Printf("== %s\n%s", k, v)
	}
	fmt.Println("ERR", err)
}
