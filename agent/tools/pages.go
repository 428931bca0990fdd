package tools

import "wb/sandbox/netbroker"

// Readable is a page as the text a person would read.
func Readable(reply *netbroker.Reply) string { return pageText(reply) }
