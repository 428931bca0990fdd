//go:build !long

package workbook_test

// long says that the long tests run.
const long = false
