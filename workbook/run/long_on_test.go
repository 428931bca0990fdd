//go:build long

package run

// generatedDocuments is how many documents are compared with Emacs.
const generatedDocuments = 600
