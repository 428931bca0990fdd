//go:build !long

package run

// generatedDocuments is how many documents are compared with Emacs by default.
const generatedDocuments = 60
