// Package index keeps, on disk, what was derived from files, so that it is
// derived again only for files that changed.
//
//	cache := index.Open(dir, version)
//	view, err := cache.View(ctx, paths, build)
//	block, err := view.Block(0)     // what build made of paths[0]
//	err = view.Commit()             // keep what had to be built
//	view.Close()
//
// What a block holds is its maker's business; this package knows files,
// freshness and processes.
//
// # Layout
//
// A cache is a directory. Blocks lie one after another in segments, files that
// are written once and never changed; the manifest says which block, in which
// segment, belongs to which file. Opening a cache reads the manifest and maps
// segments into memory, and a query touches only the pages it needs.
//
// # Freshness
//
// A block belongs to contents: it is found by the SHA-256 of a file and the
// file's base name. The hash is not computed when the file's size, times and
// inode are unchanged since it was last read, unless it was read so soon
// after its last change that another change could have left them the same;
// then it is hashed again until it is older than that ([racyWindow]).
//
// # Damage
//
// The manifest has a checksum, and so has every block. Blocks are checked when
// their segment does not look, by size, times and inode, as when they were last
// known to be whole: after damage, but also after a restore. What is not whole
// is built again. Damage that leaves the times of a file alone, as a failing
// disk may do, is not looked for.
//
// # Several processes
//
// Readers take no lock: they use the manifest they found, and segments that
// are removed meanwhile stay mapped. A writer takes the lock of the cache, or
// gives up at once if another has it: its answer is right all the same, only
// what it built is not kept. Under the lock it reads the manifest again, adds
// a segment, replaces the manifest by rename and removes what no manifest
// needs. New files are flushed to disk before they get their names, so neither
// kill -9 nor a power failure leaves anything but the old state or the new
// one, and perhaps a temporary file that the next writer removes.
//
// A cache may be deleted at any time, also while it is in use.
package index
