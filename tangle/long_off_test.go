//go:build !long

package tangle

// generatedDocuments is how many random documents are compared with Emacs.
const generatedDocuments = 40
