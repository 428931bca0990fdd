// Package wat is the style of agents that act by writing programs. The model
// answers with one of
//
//	ToolCall::Wat(```wat … ```, "arg", …)        a program, run at once
//	ToolCall::Catalog("name", "arg", …)          a program that is kept ready
//	ToolCall::Code("js", ```js … ```, "arg", …)  a program in another language
//	ToolCall::Response("""…""")                  the answer
//
// with its reasoning before it, and reads what the program gave as
// [Observation (step N)]. Only programs that do not compile are tried again
// without counting, at most MaxRetries times in a row.
//
// A [Model] turns such answers into tool calls and back, so that the loop of
// package agent, with its bounds, journal and events, runs this style too. The
// functions a program may call are one table, [Functions], from which the
// linker, the prompt and the documentation are made.
//
// Values are pointers to [u32 little-endian length][bytes]; a list is a value
// whose bytes are values one after the other.
package wat
