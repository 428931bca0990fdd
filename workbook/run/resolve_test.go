package run

import (
	"context"
	"errors"
	"testing"
)

func TestResolve(t *testing.T) {
	n := newNotebook(t, diamond)
	before := n.text()
	v, err := Resolve(context.Background(), n.opts, "left")
	if err != nil || v.Int() != 1 {
		t.Errorf("left is %v, %v", v, err)
	}
	if v, err = Resolve(context.Background(), n.opts, "left(x=5)"); err != nil || v.Int() != 5 {
		t.Errorf("left(x=5) is %v, %v", v, err)
	}
	var missing *NotFoundError
	if _, err = Resolve(context.Background(), n.opts, "lift"); !errors.As(err, &missing) || missing.Near != "left" {
		t.Errorf("lift: %v", err)
	}
	if n.text() != before {
		t.Error("the file was changed")
	}
}
