package sandbox

import (
	"errors"
	"io/fs"
	"path"
	"strings"
	"syscall"
)

// Links are the links of a tree. A symbolic link holds a path within the guest's
// world; it is resolved there, one element after the other, so it cannot lead out. The
// other methods of an [FS] do not follow links: they describe, remove and rename the
// link itself. [Follow] finds what a name leads to.
type Links interface {
	// HasLinks reports whether the tree may hold symbolic links. Where it holds none,
	// names are resolved without looking for any.
	HasLinks() bool
	// Symlink makes a symbolic link to target, which need not exist.
	Symlink(target, name string) error
	// Readlink returns the target of a symbolic link; the error of anything else is
	// fs.ErrInvalid.
	Readlink(name string) (string, error)
	// Link gives a file a second name.
	Link(from, to string) error
}

// NoLinks is a tree without links, to be embedded.
type NoLinks struct{}

// HasLinks implements Links.
func (NoLinks) HasLinks() bool { return false }

// Symlink implements Links.
func (NoLinks) Symlink(_, name string) error {
	return pathError("symlink", name, errors.ErrUnsupported)
}

// Readlink implements Links.
func (NoLinks) Readlink(name string) (string, error) {
	return "", pathError("readlink", name, fs.ErrInvalid)
}

// Link implements Links.
func (NoLinks) Link(_, to string) error { return pathError("link", to, errors.ErrUnsupported) }

// maxHops is how many symbolic links one name may pass, as on Linux.
const maxHops = 40

// Follow resolves a path that stands in the directory dir, itself without links. A
// link that is the last element is followed only if last. The path is a guest's: it
// may be absolute and contain "." and "..", which stays at the root. What the name
// leads to need not exist.
func Follow(tree FS, dir, name string, last bool) (string, error) {
	if strings.HasPrefix(name, "/") {
		dir = "."
	}
	if !tree.HasLinks() {
		return clean(dir + "/" + name), nil
	}
	ahead := strings.Split(name, "/")
	for hops := 0; len(ahead) > 0; {
		elem := ahead[0]
		ahead = ahead[1:]
		switch elem {
		case "", ".":
			continue
		case "..":
			dir = path.Dir(dir)
			continue
		}
		child := joinName(dir, elem)
		if len(ahead) == 0 && !last {
			return child, nil
		}
		target, err := tree.Readlink(child)
		if err != nil { // no link, or nothing: whoever uses the name sees which
			dir = child
			continue
		}
		if hops++; hops > maxHops {
			return "", pathError("open", name, syscall.ELOOP)
		}
		if strings.HasPrefix(target, "/") {
			dir = "."
		}
		ahead = append(strings.Split(target, "/"), ahead...)
	}
	return dir, nil
}

// clean makes the name of a path without links.
func clean(p string) string {
	if name := strings.TrimPrefix(path.Clean("/"+p), "/"); name != "" {
		return name
	}
	return "."
}
