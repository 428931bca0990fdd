package replica

import (
	"context"
	"time"
)

// thinEvery is how many generations are made between two times that old ones go.
const thinEvery = 32

// thin keeps the newest generations, and of older ones the last of each hour of a day
// and the last of each day of a month. It gives those that can go.
func thin(list []entry, now time.Time) (gone []entry) {
	const newest = 16
	kept := map[time.Time]bool{}
	for i := len(list) - 1; i >= 0; i-- {
		e := list[i]
		age, slot := now.Sub(e.at), time.Time{}
		switch {
		case len(list)-i <= newest:
			continue
		case age < 24*time.Hour:
			slot = e.at.Truncate(time.Hour)
		case age < 31*24*time.Hour:
			slot = e.at.Truncate(24 * time.Hour)
		}
		if slot.IsZero() || kept[slot] {
			gone = append(gone, e)
			continue
		}
		kept[slot] = true
	}
	return gone
}

// clean removes the generations of a line that can go, and then the chunks that none
// of those left is made of. Only the machine that writes the line does so.
func clean(ctx context.Context, at Target, line string, now time.Time) error {
	list, err := entries(ctx, at, line)
	if err != nil {
		return err
	}
	gone := map[string]bool{}
	for _, e := range thin(list, now) {
		gone[e.name] = true
	}
	needed := map[string]bool{}
	for _, e := range list {
		if gone[e.name] {
			continue
		}
		g, err := read(ctx, at, line, e)
		if err != nil { // what it needs is not known
			return err
		}
		for _, f := range g.Files {
			for _, sum := range f.Chunks {
				needed[sum] = true
			}
		}
	}
	for name := range gone {
		if err := at.Delete(ctx, generationName(line, name)); err != nil {
			return err
		}
	}
	chunks, err := at.List(ctx, line+"/chunks")
	if err != nil {
		return err
	}
	for _, sum := range chunks {
		if !needed[sum] {
			if err := at.Delete(ctx, chunkName(line, sum)); err != nil {
				return err
			}
		}
	}
	return nil
}
