package sandbox

// pathSymlink makes a symbolic link. An absolute target begins at the root of the
// guest's tree, where WASI would refuse it: programs write them, and nothing lies above.
func (in *Instance) pathSymlink(s []uint64) errno {
	target, e := in.path(s[0], s[1])
	if e != 0 {
		return e
	}
	name, e := in.newName(s[2], s[3], s[4])
	if e != 0 {
		return e
	}
	if err := in.chargeStorage(entryCost + int64(len(target))); err != nil {
		return errnoOf(err)
	}
	return errnoOf(in.sys.files.Symlink(target, name))
}

// pathLink gives a file a second name. WASI libraries do not ask for the target of a
// symbolic link.
func (in *Instance) pathLink(s []uint64) errno {
	if s[1]&lookupFollow != 0 {
		return errnoInval
	}
	from, wantDir, e := in.resolve(s[0], s[2], s[3], 0)
	if e != 0 {
		return e
	}
	to, e := in.newName(s[4], s[5], s[6])
	if e != 0 {
		return e
	}
	info, err := in.sys.files.Stat(from)
	switch {
	case err != nil:
		return errnoOf(err)
	case wantDir && !info.IsDir():
		return errnoNotdir
	}
	if err := in.chargeStorage(entryCost); err != nil {
		return errnoOf(err)
	}
	return errnoOf(in.sys.files.Link(from, to))
}

// newName resolves the name of what is to be made and is not a directory.
func (in *Instance) newName(fd, ptr, n uint64) (string, errno) {
	name, wantDir, e := in.resolve(fd, ptr, n, 0)
	if e != 0 || !wantDir {
		return name, e
	}
	if _, err := in.sys.files.Stat(name); err != nil {
		return "", errnoOf(err)
	}
	return "", errnoExist
}

func (in *Instance) pathReadlink(s []uint64) errno {
	name, _, e := in.resolve(s[0], s[1], s[2], 0)
	if e != 0 {
		return e
	}
	target, err := in.sys.files.Readlink(name)
	if err != nil {
		return errnoOf(err)
	}
	target = target[:min(len(target), int(uint32(s[4])))]
	if !in.Memory().Write(uint32(s[3]), []byte(target)) || !in.Memory().WriteU32(uint32(s[5]), uint32(len(target))) {
		return errnoFault
	}
	return 0
}
