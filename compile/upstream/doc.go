// Package upstream builds the field's own command-line programs, such as GNU
// sed and coreutils, from the sources that distributions keep.
//
// Nothing of these programs is part of wb. A [Package] names a source archive by
// digest, the files that are compiled, and what stands in for configure: the
// facts about WASI in gnulib/config.h, and in posix what a Unix has and the
// sandbox has not (users, processes, modes). Package shell turns each package
// into a toolchain that is installed when a script first uses one of its
// commands.
package upstream
