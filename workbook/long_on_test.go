//go:build long

package workbook

// generatedDocuments is how many documents are compared with Emacs.
const generatedDocuments = 600
