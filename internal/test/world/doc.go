// Package world holds wb against org files that other people wrote: anybody's
// notes, a folder of public repositories, your own.
//
//	just world ~/notes
//
// Its test, which carries the build tag long, copies the folder, lets every verb
// that reads documents work on each file of the copy, and prints how many files
// each verb took, how long that was, and the first failures of each kind. Emacs
// tangles the same files beside wb where it is installed. Nothing in the folder is
// written, and what documents tangle reaches nothing but the copy: unshare makes a
// namespace for that, without which nothing is tangled.
package world
