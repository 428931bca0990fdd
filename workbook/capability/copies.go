package capability

import (
	"context"
	"fmt"
	"os"
	"time"

	"wb/sandbox/dock/replica"
	"wb/sandbox/dock/store"
)

// lastCopy is how long the end of a process waits for what was not copied yet.
const lastCopy = 2 * time.Minute

// copied opens the store of a directory, and follows its changes where the user wants
// copies. The host is locked.
func (h *Host) copied(config store.Config, dir string) *store.Store {
	to, err := h.target()
	if err != nil && !h.warned {
		h.warned = true
		h.uncopied(err)
	}
	if to == nil {
		return store.Open(config)
	}
	var copier *replica.Copier
	config.Changed = func() { copier.Changed() }
	s := store.Open(config)
	copier = replica.Follow(context.Background(), to, replica.Source{Store: s, Tenant: h.Tenant, Dir: dir}, h.Copies.Every, h.uncopied)
	h.copiers = append(h.copiers, copier)
	return s
}

func (h *Host) target() (replica.Target, error) {
	if h.Copies.Open == nil {
		return nil, nil
	}
	return h.Copies.Open()
}

// uncopied tells a person that copies are not made. What was to be done is done
// nevertheless.
func (h *Host) uncopied(err error) {
	text := fmt.Sprintf("warning: volumes are not copied: %v", err)
	if h.Notice == nil {
		fmt.Fprintln(os.Stderr, "wb: "+text)
		return
	}
	h.Notice(text)
}

// endCopies copies what is left.
func (h *Host) endCopies() {
	ctx, cancel := context.WithTimeout(context.Background(), lastCopy)
	defer cancel()
	for _, c := range h.copiers {
		if err := c.Close(ctx); err != nil {
			h.uncopied(err)
		}
	}
	h.copiers = nil
}
